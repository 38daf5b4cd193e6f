// Files of tensors in the safetensors format: 8 bytes length of the header (little-endian), the
// header (JSON: name → dtype, shape, data_offsets), the tensors' bytes.
// https://github.com/huggingface/safetensors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/shared_memory.hpp"
#include "problem/tensor_view.hpp"
#include "schema/dtype.hpp"

namespace kbench {

struct StoredTensor {
  std::string name;
  std::string dtype_name;           // name in the file: "F32"
  std::optional<DType> dtype;       // nothing where kbench has no such dtype ("F64", "U8", …)
  std::vector<std::int64_t> shape;  // lengths in elements, of packed dtypes too
  std::size_t offset = 0;           // place of the first byte in the file
  std::size_t bytes = 0;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // ordered by their bytes' place
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Reads and checks the header of a whole file in memory: afterwards every tensor lies inside
// `file`, has the size of its shape, and the tensors fill the file without gap or overlap. Nothing
// is returned when anything was reported.
std::optional<SafetensorsHeader> parse_safetensors(std::span<const std::byte> file,
                                                   const std::string& path,
                                                   Diagnostics& diagnostics);

std::string holds_text(const SafetensorsHeader& header);  // "it holds x, y"

// A file mapped read-only. Whoever shortens it meanwhile makes reads of it end the process
// (SIGBUS).
class SafetensorsFile {
 public:
  static std::optional<SafetensorsFile> open(const std::filesystem::path& path,
                                             Diagnostics& diagnostics);
  const SafetensorsHeader& header() const { return header_; }
  const StoredTensor* find(std::string_view name) const;
  // `tensor` is one of ours; its dtype is known.
  TensorView view(const StoredTensor& tensor) const;

 private:
  SharedMemory memory_;
  SafetensorsHeader header_;
  std::map<std::string, std::size_t, std::less<>> places_;  // indices of its tensors, by name
};

// Double-precision values, a dtype that no Definition has.
struct NamedDoubles {
  std::string name;
  std::vector<std::int64_t> shape;
  std::span<const double> values;
};

// Writes a file that every reader of the format takes: the header padded to 8 bytes, widest
// elements first so that each tensor is aligned.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       std::span<const std::pair<std::string, std::string>> metadata = {});
void write_safetensors(const std::filesystem::path& path, std::span<const NamedDoubles> tensors,
                       std::span<const std::pair<std::string, std::string>> metadata = {});

}  // namespace kbench

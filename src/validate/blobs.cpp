#include "validate/blobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "base/confined.hpp"
#include "base/python_text.hpp"
#include "data/safetensors.hpp"
#include "data/stored_place.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_header = 100'000'000;  // the format's limit

// The safetensors package's words for a header of wrong length, "" for a right one.
std::string_view header_length_problem(const fs::path& path) {
  const Fd file = try_open_confined(path, O_RDONLY | O_NONBLOCK);
  std::uint64_t length = 0;
  if (::pread(file.get(), &length, sizeof length, 0) != ssize_t{sizeof length})
    return "header too small";
  if (length > longest_header) return "header too large";
  std::error_code error;
  return length + sizeof length > fs::file_size(path, error) ? "invalid header length" : "";
}

BlobProblem load_failure(const fs::path& path, const Diagnostics& problems) {
  const Diagnostic first = problems.empty() ? Diagnostic{} : problems.items().front();
  const std::string_view theirs = header_length_problem(path);
  if (theirs.empty()) return {"blob load failed: " + first.message, first.hint};
  const std::string hint = first.hint.empty() ? first.message : first.message + "; " + first.hint;
  return {fmt::format("blob load failed: Error while deserializing header: {}", theirs), hint};
}

}  // namespace

BlobProblem blob_problem(const fs::path& root, const std::string& input,
                         const SafetensorsInput& source, const MaybeShape& expected) {
  const StoredPlace place = stored_place(root, source.path);
  if (!place.problem.empty())
    return {fmt::format("blob {} {}", source.path, place.problem), place.hint};
  const fs::path& path = place.file;
  std::error_code error;
  if (!fs::exists(path, error)) return {fmt::format("blob missing at {}", source.path), ""};
  Diagnostics problems;
  try {
    const auto file = SafetensorsFile::open(path, problems);
    if (!file) return load_failure(path, problems);
    const StoredTensor* tensor = file->find(source.tensor_key);
    if (tensor == nullptr) {
      return {fmt::format("tensor key '{}' not found in {}", source.tensor_key, source.path),
              holds_text(file->header())};
    }
    if (!expected || tensor->shape == *expected) return {};
    return {fmt::format("{} shape mismatch: expected {}, got {}", input, python_tuple(*expected),
                        python_tuple(tensor->shape)),
            ""};
  } catch (const std::system_error& failure) {
    return {fmt::format("blob load failed: {}", failure.code().message()), ""};
  }
}

std::string blob_dtype_problem(const fs::path& root, const std::string& input,
                               const SafetensorsInput& source, DType expected) {
  Diagnostics problems;
  const StoredPlace place = stored_place(root, source.path);
  if (!place.problem.empty()) return "";
  const auto file = SafetensorsFile::open(place.file, problems);
  const StoredTensor* tensor = file ? file->find(source.tensor_key) : nullptr;
  if (tensor == nullptr || tensor->dtype == expected) return "";
  const std::string got(tensor->dtype ? info(*tensor->dtype).name : tensor->dtype_name);
  return fmt::format("{} dtype mismatch: expected {}, got {}", input, info(expected).name, got);
}

}  // namespace kbench

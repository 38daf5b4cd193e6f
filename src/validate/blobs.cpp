#include "validate/blobs.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/text.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/safetensors.hpp"

namespace kbench {

namespace fs = std::filesystem;

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
    if (!file) {
      const Diagnostic first = problems.empty() ? Diagnostic{} : problems.items().front();
      return {"blob load failed: " + first.message, first.hint};
    }
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

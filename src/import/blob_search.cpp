#include "import/blob_search.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/file.hpp"
#include "validate/blobs.hpp"

namespace kbench {

namespace fs = std::filesystem;

BlobFile find_blob(const fs::path& top, const std::string& record_file,
                   const SafetensorsInput& source, const WantedTensor& wanted) {
  std::error_code error;
  for (fs::path folder = fs::absolute(record_file).lexically_normal().parent_path();;
       folder = folder.parent_path()) {
    const fs::path file = folder / source.path;
    if (fs::is_regular_file(file, error)) {
      BlobProblem problem = blob_problem(folder, wanted.input, source, wanted.shape);
      if (problem.message.empty())
        problem.message = blob_dtype_problem(folder, wanted.input, source, wanted.dtype);
      return {file, std::move(problem.message), std::move(problem.hint)};
    }
    if (folder == top || folder == folder.parent_path()) break;
  }
  return {
      fs::path(source.path), fmt::format("the file {} is not there", source.path),
      "its path is looked up in the folder of the workload and in those above it, up to the one "
      "that is imported"};
}

bool same_content(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (!fs::is_regular_file(a, error) || fs::file_size(a, error) != fs::file_size(b, error))
    return false;
  return read_file(a) == read_file(b);
}

}  // namespace kbench

#include "data/stored_place.hpp"

#include <algorithm>
#include <system_error>

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool may_be_outside = false;

bool is_below(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
         folder.end();
}

}  // namespace

StoredPlace stored_place(const fs::path& root, std::string_view path) {
  StoredPlace place{(root / path).lexically_normal(), "", ""};
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(root), error);
  const fs::path file = fs::weakly_canonical(fs::absolute(place.file), error);
  if (!may_be_outside && (error || !is_below(file, folder))) {
    place.problem = "lies outside of the trace set";
    place.hint = "--allow-outside reads it; only where you trust who wrote the workload";
  }
  return place;
}

fs::path link_on_the_way(const fs::path& root, const fs::path& file) {
  if (may_be_outside) return {};
  fs::path at = root;
  for (const fs::path& part : file.lexically_relative(root).parent_path()) {
    at /= part;
    std::error_code ignored;
    if (fs::is_symlink(at, ignored)) return at;
  }
  return {};
}

void allow_files_outside() { may_be_outside = true; }

}  // namespace kbench

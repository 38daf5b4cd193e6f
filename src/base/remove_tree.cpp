#include "base/remove_tree.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

void open_folders(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(path, ignored))) return;
  fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, ignored);
  for (fs::directory_iterator it(path, ignored), end; !ignored && it != end; it.increment(ignored))
    open_folders(it->path());
}

}  // namespace

std::error_code remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return error;
  open_folders(path);
  fs::remove_all(path, error);
  return error;
}

}  // namespace kbench

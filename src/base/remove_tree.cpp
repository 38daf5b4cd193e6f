#include "base/remove_tree.hpp"

#include <string>
#include <vector>

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

std::vector<fs::path> opened_entries(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  std::vector<fs::path> out;
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end;
       it.increment(ignored))
    out.push_back(it->path());
  return out;
}

// Folders that lie in folders are moved up first: however deep they nest, no path is longer and no
// more files are open than for one.
class Remover {
 public:
  explicit Remover(const fs::path& top) : top_(top) {}

  std::error_code run() {
    std::vector<fs::path> folders;
    empty(top_, folders);
    while (!folders.empty() && !error_) {
      const fs::path folder = folders.back();
      folders.pop_back();
      empty(folder, folders);
      remove(folder);
    }
    remove(top_);
    return error_;
  }

 private:
  // Removes what is in `folder` but for its own folders, which become `folders`, in the top one.
  void empty(const fs::path& folder, std::vector<fs::path>& folders) {
    for (const fs::path& entry : opened_entries(folder)) {
      if (is_folder(entry))
        folders.push_back(folder == top_ ? entry : moved_up(entry));
      else
        remove(entry);
    }
  }

  fs::path moved_up(const fs::path& folder) {
    fs::path to;
    do {
      to = top_ / ("moved" + std::to_string(count_++));
    } while (fs::exists(fs::symlink_status(to)));
    std::error_code error;
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, error);
    fs::rename(folder, to, error);
    note(error);
    return error ? folder : to;
  }

  void remove(const fs::path& path) {
    std::error_code error;
    fs::remove(path, error);
    note(error);
  }

  void note(const std::error_code& error) {
    if (error && !error_) error_ = error;
  }

  fs::path top_;
  std::size_t count_ = 0;
  std::error_code error_;
};

}  // namespace

std::error_code remove_tree(const fs::path& path) {
  if (is_folder(path)) return Remover(path).run();
  std::error_code error;
  fs::remove(path, error);
  return error;
}

}  // namespace kbench

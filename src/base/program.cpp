#include "base/program.hpp"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.hpp"

namespace kbench {

namespace fs = std::filesystem;

fs::path own_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path();
  const char* path = ::getenv("PATH");
  for (const std::string_view folder : split(path != nullptr ? path : "", ':')) {
    const fs::path candidate = fs::path(folder) / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace kbench

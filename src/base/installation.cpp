#include "base/installation.hpp"

#include <unistd.h>

#include "base/system.hpp"
#include "base/text.hpp"

namespace kbench {

namespace fs = std::filesystem;

Installation installation_of(const fs::path& program) {
  const fs::path programs = program.parent_path(), prefix = programs.parent_path();
  return {programs, prefix / "lib" / "kbench", prefix / "share" / "kbench" / "include"};
}

Installation installation() { return installation_of(fs::read_symlink("/proc/self/exe")); }

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path();
  const std::string path = search_path();
  for (const std::string_view folder : split(path, ':')) {
    const fs::path candidate = fs::path(folder) / name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

std::string search_path() {
  std::string path;
  const std::string all = variable("PATH");
  for (const std::string_view folder : split(all, ':'))
    if (folder.starts_with('/')) path.append(path.empty() ? "" : ":").append(folder);
  return path.empty() ? "/usr/bin:/bin" : path;
}

}  // namespace kbench

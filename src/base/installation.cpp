#include "base/installation.hpp"

namespace kbench {

namespace fs = std::filesystem;

Installation installation_of(const fs::path& program) {
  const fs::path programs = program.parent_path(), prefix = programs.parent_path();
  return {programs, prefix / "lib" / "kbench", prefix / "share" / "kbench" / "include"};
}

Installation installation() { return installation_of(fs::read_symlink("/proc/self/exe")); }

}  // namespace kbench

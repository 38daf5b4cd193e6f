#include "sandbox/file_view.hpp"

#include "base/file.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Folders of libraries that the machine's owner has added: /etc/ld.so.conf.d.
void add_configured(std::vector<fs::path>& out) {
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/etc/ld.so.conf.d", gone)) {
    const auto text = read_file_if_there(entry.path());
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n')) {
      const std::string_view folder = trim(line);
      if (folder.starts_with('/')) out.emplace_back(folder);
    }
  }
}

}  // namespace

// Read once: a contest starts dozens of processes that see them.
std::vector<fs::path> system_libraries() {
  static const std::vector<fs::path> all = [] {
    std::vector<fs::path> out = {"/lib",          "/lib64",         "/usr/lib",
                                 "/usr/lib64",    "/usr/local/lib", "/etc/ld.so.cache",
                                 "/etc/localtime"};
    add_configured(out);
    return out;
  }();
  return all;
}

std::vector<fs::path> system_programs() {
  std::vector<fs::path> out = system_libraries();
  out.insert(out.end(), {"/usr", "/bin", "/sbin", "/etc/alternatives"});
  return out;
}

std::vector<fs::path> machine_files() { return {"/proc/cpuinfo", "/sys/devices/system/cpu"}; }

}  // namespace kbench

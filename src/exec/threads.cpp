#include "exec/threads.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace kbench {
namespace {

// The letter after the name in brackets: proc(5).
char state_of(const std::filesystem::path& thread) {
  std::ifstream file(thread / "stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() ? text[name_end + 2] : '?';
}

}  // namespace

bool has_running_thread(pid_t process) {
  const std::string first = std::to_string(process);
  std::error_code gone;
  std::filesystem::directory_iterator thread("/proc/" + first + "/task", gone), end;
  for (; !gone && thread != end; thread.increment(gone)) {
    if (thread->path().filename() != first && state_of(thread->path()) == 'R') return true;
  }
  return false;
}

}  // namespace kbench

// The command line → a program for a shell that completes it. To add a shell: its function, its row
// in completion_text.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/shell/command_model.hpp"

namespace kbench {

struct Shell {
  std::string_view name;
  std::string (*write)(const ProgramModel& model);
};

std::span<const Shell> shells();

}  // namespace kbench

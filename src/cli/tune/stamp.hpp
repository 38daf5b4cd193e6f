// The verbs of kbench stamp, one file each: stamp_<verb>.cpp. docs/stamps.md
#pragma once

#include <functional>
#include <span>

#include "cli/shell/command.hpp"

namespace kbench {

class CommandLine;

std::span<const Command> stamp_commands();

std::function<int()> declare_stamp_parse(CommandLine line);

}  // namespace kbench

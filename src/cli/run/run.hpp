// kbench run, for the commands that are one with options of their own.
#pragma once

namespace kbench {

struct RunCommand;

// Judges what the command selects; returns the exit status.
int run(RunCommand& command);

}  // namespace kbench

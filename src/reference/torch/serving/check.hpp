// kbench-torch --compile: which references LibTorch's compiler takes, without a judge.
#pragma once

#include <span>
#include <string>

namespace kbench {

// Prints a line for each Definition file: "ok FILE" or "no FILE:LINE: message". Returns how many
// did not compile.
int check_files(std::span<const std::string> files);

}  // namespace kbench

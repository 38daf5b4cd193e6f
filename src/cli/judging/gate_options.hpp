// The options that `kbench gate` and `kbench run --gate` share.
#pragma once

#include <string>

namespace kbench {

class CommandLine;

struct GateOptions {
  std::string against, policy_file, junit_file;
  std::string base;  // of `kbench run` alone
};

// Declares all options of a gate but --base.
void declare_gate_options(CommandLine line, GateOptions& options);

}  // namespace kbench

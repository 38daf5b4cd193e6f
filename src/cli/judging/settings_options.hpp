// Options that several commands share: rows of judge_settings.hpp, and those of a gate.
#pragma once

#include <string>
#include <string_view>

#include "schema/judge_settings.hpp"

namespace kbench {

class CommandLine;

// Declares the options of a group. Options that a setting excludes must be declared before, where
// the command has them.
void declare_settings(CommandLine line, JudgeSettings& settings, SettingGroup group);

// Tells whether an option is that of a setting: "loads".
bool is_setting(std::string_view option);

struct GateOptions {
  std::string against, policy_file, junit_file;
  std::string base;  // has no meaning but for `kbench run`
};

// Declares all options of a gate but --base.
void declare_gate_options(CommandLine line, GateOptions& options);

}  // namespace kbench

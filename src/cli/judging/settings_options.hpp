// Options that several commands share: those that judge_settings.hpp has rows for, and those of a
// gate.
#pragma once

#include <string>
#include <string_view>

#include "schema/judge_settings.hpp"

namespace kbench {

class CommandLine;

// Declares the options of a group. What a setting excludes must be declared before, where the
// command has it.
void declare_settings(CommandLine line, JudgeSettings& settings, SettingGroup group);

// Whether an option is that of a setting: "loads".
bool is_setting(std::string_view option);

struct GateOptions {
  std::string against, policy_file, junit_file;
  std::string base;  // of `kbench run` alone
};

// Declares all options of a gate but --base.
void declare_gate_options(CommandLine line, GateOptions& options);

}  // namespace kbench

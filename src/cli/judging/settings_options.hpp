// The options that judge_settings.hpp has rows for.
#pragma once

#include <string_view>

#include "schema/judge_settings.hpp"

namespace kbench {

class CommandLine;

// Declares the options of a group. What a setting excludes must be declared before, where the
// command has it.
void declare_settings(CommandLine line, JudgeSettings& settings, SettingGroup group);

// Whether an option is that of a setting: "loads".
bool is_setting(std::string_view option);

}  // namespace kbench

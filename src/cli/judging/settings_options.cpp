#include "cli/judging/settings_options.hpp"

#include <type_traits>
#include <vector>

#include "base/text.hpp"
#include "cli/shell/command_line.hpp"

namespace kbench {
namespace {

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' '))
    if (!word.empty()) words.emplace_back(word);
  return words;
}

template <class Member>
Argument declared(CommandLine line, Member& value, const SettingOption& option) {
  const std::string names(option.names), help(option.help);
  if constexpr (std::is_same_v<Member, bool>) {
    return line.add_flag(names, value, help);
  } else if constexpr (std::is_same_v<Member, std::optional<RawJson>>) {
    return line.find(names);  // no such option
  } else {
    Argument argument = line.add_option(names, value, help);
    argument.text(std::string(option.placeholder));
    if (!option.words.empty()) argument.one_of(words_in(option.words));
    if constexpr (std::is_same_v<Member, double>)
      argument.check(option.least > 0 ? number(option.least, option.most) : positive(option.most));
    if constexpr (std::is_same_v<Member, std::int64_t>)
      argument.check(
          integer(static_cast<std::int64_t>(option.least), static_cast<std::int64_t>(option.most)));
    return argument;
  }
}

// Calls what(row) for each setting that has an option.
template <class Function>
void for_each_option(const Function& what) {
  const auto call = [&](const auto& row) {
    if (row.option.group != SettingGroup::none) what(row);
  };
  std::apply([&](const auto&... rows) { (call(rows), ...); }, judge_settings());
}

}  // namespace

void declare_settings(CommandLine line, JudgeSettings& settings, SettingGroup group) {
  for_each_option([&](const auto& row) {
    if (row.option.group != group) return;
    Argument argument = declared(line, settings.*row.field.member, row.option);
    for (const std::string& other : words_in(row.option.excludes))
      if (line.has(other)) argument.excludes(other);
  });
  if (group != SettingGroup::timing) return;
  line.add_action(
      "--precise", [&settings] { settings.take_precisely(); },
      "Take more turns of more starts, for narrower intervals: --budget 0.4 --loads 8");
}

bool is_setting(std::string_view option) {
  bool found = false;
  for_each_option([&](const auto& row) { found = found || row.option.names.substr(2) == option; });
  return found;
}

void declare_gate_options(CommandLine line, GateOptions& options) {
  line.add_option("--against BASELINE", options.against,
                  "An earlier run: what is slower than there, or missing, is found");
  line.add_option("--policy FILE", options.policy_file,
                  "What stops, and what is only warned of: YAML or JSON");
  line.add_option("--junit FILE", options.junit_file,
                  "Write what was found there, too, as JUnit's XML");
}

}  // namespace kbench

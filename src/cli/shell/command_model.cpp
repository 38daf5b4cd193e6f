#include "cli/shell/command_model.hpp"

#include <CLI/CLI.hpp>

#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"

namespace kbench {
namespace {

// CLI::IsMember describes itself as "{a,b,c}".
std::vector<std::string> words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{');
  const auto close = type.find('}', open);
  std::vector<std::string> words;
  if (open == type.npos || close == type.npos) return words;
  std::size_t at = open + 1;
  while (at < close) {
    const std::size_t end = std::min(type.find(',', at), close);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

OptionModel model_of_option(const CLI::Option& option) {
  OptionModel model;
  if (!option.get_positional()) {
    for (const std::string& name : option.get_snames()) model.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) model.names.push_back("--" + name);
  }
  const bool is_flag = option.get_items_expected_max() == 0;
  if (!is_flag) model.value = option.get_option_text();
  model.doc = option.get_description();
  model.words = words_of(option);
  return model;
}

CommandModel model_of_command(const std::string& name, const CLI::App& app) {
  CommandModel model{name, app.get_description(), {}};
  for (const CLI::Option* option : options_of(app))
    model.options.push_back(model_of_option(*option));
  return model;
}

// Declares the arguments of all commands, as the program does of the one that is called.
void add_commands(CLI::App& app, std::span<const Command> commands, const std::string& before,
                  std::vector<CommandModel>& to) {
  for (const Command& command : commands) {
    CLI::App& sub = *app.add_subcommand(std::string(command.name), std::string(command.doc));
    const auto action = command.declare ? command.declare(CommandLine(sub)) : nullptr;
    to.push_back(model_of_command(before + sub.get_name(), sub));
    if (command.verbs) add_commands(sub, command.verbs(), sub.get_name() + " ", to);
  }
}

}  // namespace

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  for (const CLI::App* group : app.get_subcommands({})) {
    if (!group->get_name().empty()) continue;
    for (const CLI::Option* option : options_of(*group))
      if (option != group->get_help_ptr()) options.push_back(option);
  }
  return options;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands(
      [](const CLI::App* one) { return !one->get_name().empty() && !one->get_group().empty(); });
}

ProgramModel model_of(const CLI::App& app) {
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  ProgramModel model{model_of_command(root->get_name(), *root), {}};
  CLI::App all;
  all.set_help_flag(root->get_help_ptr()->get_name(false, true),
                    root->get_help_ptr()->get_description());
  add_commands(all, commands(), "", model.commands);
  return model;
}

bool is_verb(const CommandModel& command) { return command.name.find(' ') != std::string::npos; }

std::vector<const CommandModel*> verbs_of(const ProgramModel& model, const CommandModel& of) {
  std::vector<const CommandModel*> verbs;
  for (const CommandModel& command : model.commands)
    if (command.name.starts_with(of.name + " ")) verbs.push_back(&command);
  return verbs;
}

std::string_view last_word(const CommandModel& command) {
  const std::string_view name = command.name;
  return name.substr(name.rfind(' ') + 1);
}

}  // namespace kbench

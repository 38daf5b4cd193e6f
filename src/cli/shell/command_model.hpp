// The command line as data, read from CLI11's declarations. Completions are made of it, so that
// they say what --help says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kbench {

struct OptionModel {
  std::vector<std::string> names;  // "-d", "--definition"; empty for a positional argument
  std::string value;               // "NAME..."; "" of a flag
  std::string doc;
  std::vector<std::string> words;  // values that it takes, where these are few

  bool is_positional() const { return names.empty(); }
};

struct CommandModel {
  std::string name;  // a verb's has that of its command: "kernels list"
  std::string doc;
  std::vector<OptionModel> options;  // the positional arguments in their order, among the others
};

struct ProgramModel {
  CommandModel program;                // options of its own hold with every command
  std::vector<CommandModel> commands;  // a command with verbs, then these
};

// Describes the program that `app` is, or is a command of.
ProgramModel model_of(const CLI::App& app);

// "kernels list"
bool is_verb(const CommandModel& command);
std::vector<const CommandModel*> verbs_of(const ProgramModel& model, const CommandModel& of);
// "list" of "kernels list"
std::string_view last_word(const CommandModel& command);

// CLI11 keeps groups of options as subcommands without a name. Functions here give the options of a
// command, those in groups too, and its subcommands that --help shows.
std::vector<const CLI::Option*> options_of(const CLI::App& app);
std::vector<const CLI::App*> commands_of(const CLI::App& app);

}  // namespace kbench

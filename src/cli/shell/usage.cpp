#include "cli/shell/usage.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_model.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {
namespace {

struct Usage {
  std::string message;
  std::string hint;
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options_of(app))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The chosen subcommand and its verb, or the program itself.
const CLI::App& current(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : current(*chosen.front());
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

// A near name, else all of them.
std::string suggest(std::string_view word, const std::vector<std::string>& known,
                    std::string_view noun) {
  const std::string guess = did_you_mean(word, known);
  return guess.empty() ? fmt::format("{} {}", noun, join(known, ", ")) : guess;
}

// Says where a word belongs that no argument takes; "": nothing is known of it.
std::string where_it_belongs(const CLI::App& at) {
  if (at.get_name() == "run") return "workload files and trace sets are named with --trace";
  if (at.parse_order().empty()) return "";
  const CLI::Option& last = *at.parse_order().back();
  if (last.get_items_expected_max() <= 1 || last.get_allow_extra_args()) return "";
  return fmt::format("--{0} takes one value: --{0} A --{0} B", last.get_lnames().front());
}

Usage unexpected(const CLI::App& app, const CLI::App& at, const std::string& word) {
  if (word.starts_with("-") && word != "-") {
    std::vector<std::string> known = option_names(at);
    const std::vector<std::string> global = option_names(app);
    if (&at != &app) known.insert(known.end(), global.begin(), global.end());
    return {fmt::format("unknown option {}", word),
            did_you_mean(word.substr(0, word.find('=')), known)};
  }
  const std::vector<std::string> known = command_names(at);
  if (known.empty())
    return {fmt::format("\"{}\" is one argument too many", word), where_it_belongs(at)};
  return {fmt::format("unknown command \"{}\"", word), suggest(word, known, "commands are")};
}

// The option that CLI11's text is about, which begins with its name.
const CLI::Option* option_of(const CLI::App& at, const std::string& said) {
  return at.get_option_no_throw(said.substr(0, said.find_first_of(": ")));
}

// Explains a wrong value of an option. CLI11 says "--kind: foo not in {a,b}" for CLI::IsMember,
// "--kind: 1 required TEXT missing" for a missing value.
Usage explain_value(const CLI::App& app, const std::string& said) {
  const CLI::Option* option = option_of(app, said);
  const std::string doc = option == nullptr ? "" : option->get_description();
  if (option != nullptr && said.ends_with(" is required")) {
    const bool positional = option->get_lnames().empty();
    const std::string name = positional ? option->get_option_text() : option->get_name();
    return {name + " is missing", doc};
  }
  constexpr std::string_view middle = " not in {";
  const std::size_t at = said.find(middle);
  const std::size_t colon = said.find(": ");
  if (colon == std::string::npos) return {said, ""};
  if (said.ends_with(" missing")) return {said.substr(0, colon) + " needs a value", doc};
  if (at == std::string::npos || colon > at) return {said, doc};
  const std::string_view list = std::string_view(said).substr(at + middle.size());
  std::vector<std::string> known;
  for (const std::string_view name : split(list.substr(0, list.find('}')), ','))
    known.emplace_back(name);
  const std::string value = said.substr(colon + 2, at - colon - 2);
  return {fmt::format("{}: unknown value \"{}\"", said.substr(0, colon), value),
          suggest(value, known, "known are")};
}

Usage explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = current(app);
  const std::vector<std::string> words = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !words.empty())
    return unexpected(app, at, words.front());
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {  // it may be the misspelt one
    for (const std::string& word : words)
      if (word.starts_with("--")) return unexpected(app, at, word);
  }
  Usage usage = explain_value(at, error.what());
  if (usage.hint.empty()) usage.hint = fmt::format("{} --help lists the options", full_name(at));
  return usage;
}

}  // namespace

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const Usage usage = explain(app, error);
  say_error(full_name(current(app)), usage.message, usage.hint);
  return exit_input;
}

}  // namespace kbench

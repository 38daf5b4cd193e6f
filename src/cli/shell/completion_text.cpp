#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/shell/completion.hpp"
#include "registry/platform.hpp"

namespace kbench {
namespace {

// The name of an option, or of its value; the command that prints names in its first column.
constexpr std::pair<std::string_view, std::string_view> tables[] = {
    {"--definition", "kbench list definitions"},
    {"--solution", "kbench list solutions"},
    {"OP", "kbench kernels list"},
    {"OPS", "kbench kernels list"}};

// What prints the words that an option takes; "": any file.
std::string names_command(const OptionModel& option) {
  const auto& names = option.names;
  for (const auto& [of, command] : tables) {
    if (of == option.value || std::find(names.begin(), names.end(), of) != names.end())
      return fmt::format("{} --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | sort -u",
                         command);
  }
  return "";
}

std::vector<std::string> words_of(const OptionModel& option) {
  if (option.value != "PLATFORM") return option.words;
  std::vector<std::string> words = platform_names();
  words.insert(words.begin(), "auto");
  return words;
}

// Within single quotes of any shell.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + out + "'";
}

std::string option_words(const CommandModel& command) {
  std::vector<std::string> words;
  for (const OptionModel& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  return join(words, " ");
}

std::vector<std::string> command_names(const ProgramModel& model) {
  std::vector<std::string> names;
  for (const CommandModel& command : model.commands)
    if (!is_verb(command)) names.push_back(command.name);
  return names;
}

// What may follow a command that has verbs, parted by spaces.
std::string verb_words(const ProgramModel& model, const CommandModel& of) {
  std::vector<std::string> verbs;
  for (const CommandModel* verb : verbs_of(model, of)) verbs.emplace_back(last_word(*verb));
  return join(verbs, " ");
}

// Patterns of `case "$command $word"`, where nothing is chosen yet and where a verb may follow.
std::string patterns(const ProgramModel& model, bool of_verbs) {
  std::vector<std::string> all;
  for (const CommandModel& command : model.commands)
    if (is_verb(command) == of_verbs) all.push_back(quoted((of_verbs ? "" : " ") + command.name));
  return join(all, "|");
}

std::string bash_words(const OptionModel& option) {
  const std::vector<std::string> words = words_of(option);
  const std::string names = names_command(option);
  if (!words.empty()) return quoted(join(words, " "));
  return names.empty() ? "FILES" : "$(" + names + ")";
}

// "    'run --format') words='table json' ;;"
std::string bash_values(const CommandModel& command, const std::string& prefix) {
  std::string out;
  for (const OptionModel& option : command.options) {
    if (option.value.empty() || option.is_positional()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) patterns.push_back(prefix + quoted(name));
    out += fmt::format("    {}) words={} ;;\n", join(patterns, "|"), bash_words(option));
  }
  return out;
}

std::string bash_positionals(const ProgramModel& model, const CommandModel& command) {
  const std::string verbs = verb_words(model, command);
  if (!verbs.empty()) return quoted(verbs);
  for (const OptionModel& option : command.options)
    if (option.is_positional()) return bash_words(option);
  return "FILES";
}

std::string write_bash(const ProgramModel& model) {
  std::string values = bash_values(model.program, "*\\ ");
  std::string options, positionals;
  const std::string global = option_words(model.program);
  for (const CommandModel& command : model.commands) {
    values += bash_values(command, quoted(command.name) + "\\ ");
    const std::string name = quoted(command.name);
    options +=
        fmt::format("      {}) words={} ;;\n", name, quoted(option_words(command) + " " + global));
    positionals += fmt::format("      {}) words={} ;;\n", name, bash_positionals(model, command));
  }
  const std::string names = join(command_names(model), " ");
  return fmt::format(
      R"sh(# Completes kbench in bash: eval "$(kbench completion bash)"
_kbench() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= word words=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command $word" in
      {1}) command=$word ;;
      {6}) command="$command $word"; break ;;
    esac
  done
  case "$command $previous" in
{2}  esac
  if [[ -z $words && $current == -* ]]; then
    case $command in
{3}      *) words='{4}' ;;
    esac
  elif [[ -z $words && -z $command ]]; then
    words='{0}'
  elif [[ -z $words ]]; then
    case $command in
{5}    esac
  fi
  if [[ $words == FILES ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}}
complete -F _kbench kbench
)sh",
      names, patterns(model, false), values, options, global, positionals, patterns(model, true));
}

// Escapes a text for zsh's _arguments, where brackets and colons have a meaning.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionModel& option) {
  const std::vector<std::string> words = words_of(option);
  if (!words.empty()) return "(" + join(words, " ") + ")";
  const std::string names = names_command(option);
  return names.empty() ? "_files" : "{compadd -- ${(f)\"$(" + names + ")\"}}";
}

std::string zsh_arguments(const CommandModel& command) {
  std::string out;
  for (const OptionModel& option : command.options) {
    const std::string value =
        option.value.empty() ? "" : ":" + zsh_text(option.value) + ":" + zsh_action(option);
    for (const std::string& name : option.names)
      out += fmt::format(" \\\n        {}",
                         quoted("*" + name + "[" + zsh_text(option.doc) + "]" + value));
    if (option.is_positional()) out += " \\\n        " + quoted("*" + value);
  }
  return out;
}

// What follows a command: its verbs, or its arguments.
std::string zsh_case(const ProgramModel& model, const CommandModel& command) {
  const std::string verbs = verb_words(model, command);
  const std::string first = verbs.empty() ? "" : " \\\n        " + quoted("1:verb:(" + verbs + ")");
  const char* const shift = is_verb(command) ? "shift words; (( CURRENT-- ))\n        " : "";
  return fmt::format("      {})\n        {}_arguments{}{}{} ;;\n", quoted(command.name), shift,
                     first, zsh_arguments(command), zsh_arguments(model.program));
}

std::string write_zsh(const ProgramModel& model) {
  std::string commands, cases;
  for (const CommandModel& command : model.commands) {
    if (!is_verb(command)) commands += "    " + quoted(command.name + ":" + command.doc) + "\n";
    cases += zsh_case(model, command);
  }
  return fmt::format(
      R"sh(#compdef kbench
# Completes kbench in zsh: kbench completion zsh > a folder of $fpath/_kbench
_kbench() {{
  local -a commands=(
{}  )
  local state
  _arguments -C '1: :->command' '*:: :->arguments'
  case $state in
    command) _describe -t commands command commands ;;
    arguments)
      local command=$words[1]
      case "$words[1] $words[2]" in
        {}) (( CURRENT > 2 )) && command="$words[1] $words[2]" ;;
      esac
      case $command in
{}      esac ;;
  esac
}}
compdef _kbench kbench
)sh",
      commands, patterns(model, true), cases);
}

// " -f -a 'table json'"; "": any file.
std::string fish_words(const OptionModel& option) {
  const std::vector<std::string> words = words_of(option);
  const std::string names = names_command(option);
  if (!words.empty()) return " -f -a " + quoted(join(words, " "));
  return names.empty() ? "" : " -f -a " + quoted("(" + names + ")");
}

std::string fish_option(const OptionModel& option, const std::string& condition) {
  std::string out = "complete -c kbench" + condition;
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) out += " -r" + fish_words(option);
  return out + " -d " + quoted(option.doc) + "\n";
}

// The command is on the line: a verb behind its command, a command of the same name behind none.
std::string fish_seen(const ProgramModel& model, const CommandModel& command) {
  const std::string seen = "__fish_seen_subcommand_from ";
  if (is_verb(command)) {
    const std::string of = command.name.substr(0, command.name.find(' '));
    return seen + of + "; and " + seen + std::string(last_word(command));
  }
  std::string condition = seen + command.name;
  for (const CommandModel& other : model.commands)
    if (is_verb(other) && last_word(other) == command.name)
      condition += "; and not " + seen + other.name.substr(0, other.name.find(' '));
  return condition;
}

// Where the command may stand.
std::string fish_place(const ProgramModel& model, const CommandModel& command) {
  if (!is_verb(command)) return "__fish_use_subcommand";
  const std::string of = command.name.substr(0, command.name.find(' '));
  for (const CommandModel& group : model.commands)
    if (group.name == of)
      return quoted("__fish_seen_subcommand_from " + of + "; and not __fish_seen_subcommand_from " +
                    verb_words(model, group));
  return "";
}

std::string write_fish(const ProgramModel& model) {
  std::string out = "# Completes kbench in fish: kbench completion fish | source\n";
  for (const OptionModel& option : model.program.options) out += fish_option(option, "");
  for (const CommandModel& command : model.commands) {
    const std::string_view name = last_word(command);
    out += fmt::format("complete -c kbench -f -n {} -a {} -d {}\n", fish_place(model, command),
                       name, quoted(command.doc));
    const std::string condition = " -n '" + fish_seen(model, command) + "'";
    for (const OptionModel& option : command.options) {
      if (!option.is_positional()) out += fish_option(option, condition);
      const std::string words = option.is_positional() ? fish_words(option) : "";
      if (!words.empty()) out += fmt::format("complete -c kbench{}{}\n", condition, words);
    }
  }
  return out;
}

constexpr Shell shell_writers[] = {
    {"bash", &write_bash}, {"zsh", &write_zsh}, {"fish", &write_fish}};

}  // namespace

std::span<const Shell> shells() { return shell_writers; }

}  // namespace kbench

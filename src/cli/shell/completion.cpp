// kbench completion (docs/install.md): words that may follow others on the command line, and what
// asks for them in each shell.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/command_model.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/registry/platform.hpp"

namespace kbench {
namespace {

// A shell, and the text that it reads: that asks `kbench completion SHELL -- WORD...` for the words
// that may stand for the last WORD. A new shell has a row here.
struct Shell {
  std::string_view name;
  std::string_view text;
};

// Names come from files of strangers: the shells expand none of them, and take those alone that
// need no quotes.
constexpr Shell shells[] = {
    {"bash", R"sh(# Completes kbench in bash: eval "$(kbench completion bash)"
_kbench() {
  local current=${COMP_WORDS[COMP_CWORD]} answer word
  COMPREPLY=()
  answer=$(kbench completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $answer == :files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  elif [[ $answer == ':names '* ]]; then
    answer=$(kbench ${answer#:names } --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | sort -u)
  fi
  while IFS=$'\t' read -r word _; do
    [[ $word == "$current"* && $word != *[!A-Za-z0-9_.:/@+=-]* ]] && COMPREPLY+=("$word")
  done <<<"$answer"
}
complete -F _kbench kbench
)sh"},
    {"zsh", R"sh(#compdef kbench
# Completes kbench in zsh: kbench completion zsh > a folder of $fpath/_kbench
_kbench() {
  local answer=$(kbench completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if [[ $answer == :files ]]; then
    _files
  elif [[ $answer == ':names '* ]]; then
    compadd -- ${(f)"$(kbench ${=answer#:names } --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | sort -u)"}
  else
    local -a lines=("${(@f)answer}")
    compadd -l -d lines -- "${(@)lines%%$'\t'*}"
  fi
}
compdef _kbench kbench
)sh"},
    {"fish", R"sh(# Completes kbench in fish: kbench completion fish | source
function __kbench_complete
    set -l words (commandline -opc)[2..] (commandline -ct)
    set -l answer (kbench completion fish -- $words 2>/dev/null)
    switch "$answer[1]"
        case :files
            __fish_complete_path (commandline -ct)
        case ':names *'
            kbench (string split ' ' -- $answer[1])[2..] --format csv 2>/dev/null | tail -n +2 | cut -d, -f1 | sort -u
        case '*'
            string join \n -- $answer
    end
end
complete -c kbench -f -a '(__kbench_complete)'
)sh"}};

using Words = std::vector<std::string>;

// The name of an option, or of its value; the command that lists the names which it takes.
constexpr std::pair<std::string_view, std::string_view> tables[] = {
    {"--definition", "list definitions"},
    {"--solution", "list solutions"},
    {"OP", "kernels list"},
    {"OPS", "kernels list"}};

std::string completion_line(std::string_view word, std::string_view doc, const std::string& begin) {
  return word.starts_with(begin) ? fmt::format("{}\t{}\n", word, doc) : "";
}

std::string value_lines(const OptionModel& option, const std::string& begin) {
  Words words = option.words;
  if (option.value == "PLATFORM") {
    words = platform_names();
    words.emplace_back("auto");
  }
  std::string out;
  for (const std::string& word : words) out += completion_line(word, "", begin);
  if (!words.empty()) return out;
  for (const auto& [of, command] : tables)
    if (of == option.value || has_word(option.names, of))
      return fmt::format(":names {}\n", command);
  return ":files\n";
}

std::string option_lines(const CommandModel& command, const std::string& begin) {
  std::string out;
  for (const OptionModel& option : command.options)
    for (const std::string& name : option.names) out += completion_line(name, option.doc, begin);
  return out;
}

// Commands where `of` is "", else its verbs.
std::string command_lines(const ProgramModel& model, const std::string& of,
                          const std::string& begin) {
  std::string out;
  for (const CommandModel& command : model.commands) {
    const std::string before =
        is_verb(command) ? command.name.substr(0, command.name.find(' ')) : "";
    if (before == of) out += completion_line(last_word(command), command.doc, begin);
  }
  return out;
}

// Returns the command that the words name, with its verb; nullptr where they name none.
const CommandModel* named_command(const ProgramModel& model, const Words& words) {
  const CommandModel* found = nullptr;
  for (auto word = words.begin(); word + 1 < words.end(); ++word) {
    const std::string name = found == nullptr ? *word : found->name + " " + *word;
    for (const CommandModel& command : model.commands)
      if (command.name == name) found = &command;
  }
  return found;
}

// Returns the option that takes the next word; nullptr where none does.
const OptionModel* open_option(const CommandModel& command, const std::string& name) {
  for (const OptionModel& option : command.options)
    if (!option.value.empty() && has_word(option.names, name)) return &option;
  return nullptr;
}

// Returns lines of a word, a tabulator and what the word means; or the one line ":files" where a
// file may stand, or ":names" and the command whose first column lists the names that may. Words
// with another beginning than the last of `words` are left out.
std::string words_that_follow(const ProgramModel& model, const Words& words) {
  const std::string begin = words.empty() ? "" : words.back();
  const std::string before = words.size() < 2 ? "" : words[words.size() - 2];
  const CommandModel* const command = named_command(model, words);
  for (const CommandModel* of : {command, &model.program}) {
    const OptionModel* const option = of == nullptr ? nullptr : open_option(*of, before);
    if (option != nullptr) return value_lines(*option, begin);
  }
  if (begin.starts_with('-'))
    return (command == nullptr ? "" : option_lines(*command, begin)) +
           option_lines(model.program, begin);
  if (command == nullptr) return command_lines(model, "", begin);
  if (!verbs_of(model, *command).empty()) return command_lines(model, command->name, begin);
  for (const OptionModel& option : command->options)
    if (option.is_positional()) return value_lines(option, begin);
  return ":files\n";
}

}  // namespace

std::function<int()> declare_completion(CommandLine line) {
  auto shell = std::make_shared<std::string>();
  auto words = std::make_shared<Words>();
  Words names;
  for (const Shell& one : shells) names.emplace_back(one.name);
  line.add_option("shell SHELL", *shell, "bash, zsh or fish").required().one_of(names);
  line.add_option("word [-- WORD...]", *words,
                  "Behind --: print what may stand for the last of these words");
  return [shell, words, line] {
    const auto one = std::find_if(std::begin(shells), std::end(shells),
                                  [&](const Shell& known) { return known.name == *shell; });
    print(words->empty() ? std::string(one->text)
                         : words_that_follow(model_of(line.app()), *words));
    return static_cast<int>(exit_good);
  };
}

}  // namespace kbench

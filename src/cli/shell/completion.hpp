// Words that may follow others on the command line, and what asks for them in each shell.
#pragma once

#include <string>
#include <vector>

#include "cli/shell/command_model.hpp"

namespace kbench {

// A shell, and the text that it reads: that asks `kbench completion SHELL -- WORD...` for the words
// that may stand for the last WORD. To add a shell: its row in completion.cpp.
struct Shell {
  std::string_view name;
  std::string_view text;
};

// Returns lines of a word, a tabulator and what the word means; or the one line ":files" where a
// file may stand, or ":names" and the command whose first column lists the names that may. Words
// that do not begin as the last of `words` does are left out.
std::string words_that_follow(const ProgramModel& model, const std::vector<std::string>& words);

}  // namespace kbench

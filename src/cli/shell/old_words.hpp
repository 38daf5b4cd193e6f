// Commands that have become part of others: their old words run these, and stand in no help.
#pragma once

#include <string>
#include <vector>

namespace kbench {

// The words of a command line, after the program's name, with new words in the place of old ones.
std::vector<std::string> with_new_words(std::vector<std::string> words);

}  // namespace kbench

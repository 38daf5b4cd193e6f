// Words in lists, and names by a unique prefix.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

inline bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return is_one_of(word, std::span(words.begin(), words.size()));
}

inline bool has_word(std::span<const std::string> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Names on the command line: exact, else a unique prefix.

// Meaning of a word among names: one match, or none with the reason.
struct NameMatch {
  std::string name;         // "" when nothing or more than one name fits
  std::string message;      // reason for no match: "unknown definition …", "… is ambiguous"
  std::string hint;         // did you mean, or the names that fit
  bool is_unknown = false;  // set where no name fits
};

// `noun` is what messages call the thing ("definition"). A final ".json" or ".jsonl" of the word
// does not count.
NameMatch match_name(std::string_view word, std::span<const std::string> names,
                     std::string_view noun);

// Returns all names that a pattern with * or ? fits, and for another word what match_name says. An
// empty result has its reason in `why`.
std::vector<std::string> match_names(std::string_view word, std::span<const std::string> names,
                                     std::string_view noun, NameMatch& why);

}  // namespace kbench

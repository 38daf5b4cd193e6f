#include "cli/shell/old_words.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"

namespace kbench {
namespace {

struct OldWords {
  std::string_view words;
  std::string_view now;
  std::string_view last = "";  // word behind all that follows
};

// To merge a command into another: its row.
constexpr OldWords table[] = {
    {"verify", "replay --check"},
    {"tuned ls", "tuned list"},
    {"tuned show", "tuned list --long"},
    {"tuned verify", "tuned list --check"},
    {"tuned path", "tuned list --paths"},
    {"tuned export", "tuned copy store -"},
    {"tuned import", "tuned copy", "store"},
};

// The number of words before the command: global options, and the values of those that take one.
std::size_t words_before_command(const std::vector<std::string>& words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with('-'))
    at += is_one_of(words[at], {"--color", "--errors", "--trusted-keys"}) ? 2 : 1;
  return std::min(at, words.size());
}

}  // namespace

std::vector<std::string> with_new_words(std::vector<std::string> words) {
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(words_before_command(words));
  for (const OldWords& row : table) {
    const auto old = split(row.words, ' '), now = split(row.now, ' ');
    const auto end = command + std::min<std::ptrdiff_t>(words.end() - command, std::ssize(old));
    if (!std::equal(command, end, old.begin(), old.end())) continue;
    std::vector<std::string> out(words.begin(), command);
    out.insert(out.end(), now.begin(), now.end());
    out.insert(out.end(), end, words.end());
    if (!row.last.empty()) out.emplace_back(row.last);
    return out;
  }
  return words;
}

}  // namespace kbench

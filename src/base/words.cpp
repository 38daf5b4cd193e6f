#include "base/words.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr std::size_t shown_candidates = 8;

std::string_view without_extension(std::string_view word) {
  for (const std::string_view extension : {".jsonl", ".json"}) {
    if (word.ends_with(extension) && word.size() > extension.size())
      return word.substr(0, word.size() - extension.size());
  }
  return word;
}

std::string list(std::vector<std::string> candidates) {
  const std::size_t left = candidates.size() - std::min(candidates.size(), shown_candidates);
  candidates.resize(candidates.size() - left);
  return "it could be " + join(candidates, ", ") +
         (left > 0 ? fmt::format(" and {} more", left) : "");
}

}  // namespace

NameMatch match_name(std::string_view word, std::span<const std::string> names,
                     std::string_view noun) {
  const std::string_view wanted = without_extension(word);
  std::vector<std::string> candidates;
  for (const std::string& name : names) {
    if (name == wanted || name == word) return {name, "", ""};
    if (name.starts_with(wanted)) candidates.push_back(name);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  if (candidates.size() == 1) return {candidates.front(), "", ""};
  if (candidates.empty())
    return {"", fmt::format("unknown {} \"{}\"", noun, word), did_you_mean(wanted, names), true};
  return {"", fmt::format("{} \"{}\" is ambiguous", noun, word), list(std::move(candidates))};
}

std::vector<std::string> match_names(std::string_view word, std::span<const std::string> names,
                                     std::string_view noun, NameMatch& why) {
  if (word.find_first_of("*?") == word.npos) {
    why = match_name(word, names, noun);
    return why.name.empty() ? std::vector<std::string>{} : std::vector{why.name};
  }
  const std::string pattern(word);
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) found.push_back(name);
  if (found.empty()) why = {"", fmt::format("no {} fits \"{}\"", noun, word), "", true};
  return found;
}

}  // namespace kbench

#include "import/python_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace kbench {

std::string tidy_name(std::string_view text) {
  std::string out;
  for (const char c : lower(text)) {
    const bool is_good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_good || (!out.empty() && out.back() != '_')) out += is_good ? c : '_';
  }
  while (out.ends_with('_')) out.pop_back();
  return out;
}

bool has_function(const python::Module& module, std::string_view name) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [&](const python::Function& one) { return one.name == name; });
}

void note_what_fails_in_python(ForeignFile& answer) {
  constexpr std::pair<std::string_view, std::string_view> rows[] = {
      {"load_inline", "it starts a compiler in its call, which a candidate may not"},
      {"torch.compile", "it starts a compiler in its call, which a candidate may not"},
      {".cuda(", "no GPU is shown to candidates in Python"},
  };
  for (const auto& [word, why] : rows) {
    const std::size_t at = answer.source->text.find(word);
    if (at != std::string::npos)
      answer.notes.warning(locate(*answer.source, at), fmt::format("{} will fail: {}", word, why),
                           "docs/coming-from-kernelbench.md says what takes its place");
  }
}

}  // namespace kbench

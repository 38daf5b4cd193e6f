#include "scaffold/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/file.hpp"
#include "base/installation.hpp"

namespace kbench {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";

const std::string& value_of(std::string_view word, const std::string& name,
                            const TemplateValues& values) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.first == word; });
  if (found == values.end())
    throw std::runtime_error(fmt::format("template {}: no value for {{{{{}}}}}", name, word));
  return found->second;
}

}  // namespace

std::string filled(const std::string& name, const TemplateValues& values) {
  const std::string text =
      read_file(installation().headers.parent_path() / "templates" / (name + ".in"));
  std::string out;
  std::size_t at = 0;
  for (auto open = text.find("{{"); open != text.npos; open = text.find("{{", open + 1)) {
    const auto end = text.find_first_not_of(letters, open + 2);
    if (end == open + 2 || text.compare(end, 2, "}}") != 0) continue;  // braces of the text itself
    const std::string& value =
        value_of(std::string_view(text).substr(open + 2, end - open - 2), name, values);
    out += text.substr(at, open - at) + value;
    const bool ends_line = value.empty() || value.ends_with('\n');
    at = end + 2 + (ends_line && text.compare(end + 2, 1, "\n") == 0 ? 1 : 0);
  }
  return out + text.substr(at);
}

}  // namespace kbench

#include "codegen/quoting.hpp"

#include <fmt/format.h>

namespace kbench {

// A number has three digits, which a digit behind it does not change. Two '?' may begin a trigraph.
std::string quoted_in_cpp(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < ' ' || code == 0x7f) {
      out += fmt::format("\\{:03o}", code);
      continue;
    }
    if (c == '"' || c == '\\' || c == '?') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string comment_in_cpp(std::string_view text) {
  const std::string quoted = quoted_in_cpp(text);
  return quoted.substr(1, quoted.size() - 2) + (text.ends_with('\\') ? "." : "");
}

// https://cmake.org/cmake/help/latest/manual/cmake-language.7.html#escape-sequences
std::string quoted_in_cmake(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == ';') out += '\\';
    out += c == '$' ? std::string("\\$<1:\\$>") : std::string(1, c);
  }
  return out + "\"";
}

}  // namespace kbench

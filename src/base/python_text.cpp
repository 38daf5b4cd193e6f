#include "base/python_text.hpp"

#include <fmt/format.h>

namespace kbench {

std::string python_string(std::string_view text) {
  const bool double_quotes =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = double_quotes ? '"' : '\'';
  constexpr std::string_view plain = "\n\r\t\\";
  constexpr std::string_view letters = "nrt\\";
  std::string out(1, quote);
  for (const char c : text) {
    const std::size_t known = plain.find(c);
    if (c == quote || known != std::string_view::npos) {
      out += {'\\', c == quote ? quote : letters[known]};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string python_list(const std::set<std::string_view>& names) {
  std::string out = "[";
  for (const std::string_view name : names) {
    if (out.size() > 1) out += ", ";
    out += python_string(name);
  }
  return out + "]";
}

std::string python_tuple(std::span<const std::int64_t> values) {
  return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

}  // namespace kbench

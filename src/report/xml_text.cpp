#include "report/xml_text.hpp"

#include "base/text.hpp"

namespace kbench {
std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace kbench

#include "report/xml_text.hpp"

namespace kbench {
namespace {

// Whether XML 1.0 can hold it at all ("Char", section 2.2); of bytes beyond ASCII UTF-8 is checked
// elsewhere.
bool is_xml(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (is_xml(c)) {
      out += c;
    } else {
      out += "\uFFFD";
    }
  }
  return out;
}

}  // namespace kbench

#include "report/csv.hpp"

#include <charconv>
#include <system_error>

#include "base/text.hpp"

namespace kbench {
namespace {

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// A spreadsheet runs what begins so. Source: OWASP, CSV injection.
bool is_formula(std::string_view text) {
  return text.size() > 1 && std::string_view("=+-@").find(text.front()) != text.npos &&
         !is_number(text);
}

}  // namespace

std::string csv_field(std::string_view given) {
  std::string text = printable_lines(given);
  if (is_formula(text)) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace kbench

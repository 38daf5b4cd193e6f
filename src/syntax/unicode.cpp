#include "syntax/unicode.hpp"

#include <utf8proc.h>

#include <algorithm>

namespace kbench::python {

CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  utf8proc_int32_t value = 0;
  const auto size =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + offset,
                       static_cast<utf8proc_ssize_t>(text.size() - offset), &value);
  if (size <= 0) return {};
  return {static_cast<std::uint32_t>(value), static_cast<std::size_t>(size)};
}

bool starts_identifier(std::uint32_t value) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(value));
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return true;
  constexpr std::uint32_t others[] = {0x1885, 0x1886, 0x2118, 0x212E};  // Other_ID_Start
  return category == UTF8PROC_CATEGORY_NL ||
         std::find(std::begin(others), std::end(others), value) != std::end(others);
}

bool continues_identifier(std::uint32_t value) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(value));
  const bool is_other = value == 0xB7 || value == 0x387 || value == 0x19DA ||
                        (value >= 0x1369 && value <= 0x1371);  // Other_ID_Continue
  return starts_identifier(value) || is_other || category == UTF8PROC_CATEGORY_MN ||
         category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ND ||
         category == UTF8PROC_CATEGORY_PC;
}

bool is_printable(std::uint32_t value) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(value));
  return category != UTF8PROC_CATEGORY_CN && category < UTF8PROC_CATEGORY_ZS;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
    bool crlf = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (text[i] == '\n' || (text[i] == '\r' && !crlf)) ++line;
  }
  return line;
}

}  // namespace kbench::python

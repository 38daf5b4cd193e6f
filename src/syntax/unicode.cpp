#include "syntax/unicode.hpp"

#include <algorithm>

namespace kbench::python {

namespace {

bool within(std::span<const CodeRange> ranges, std::uint32_t value) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), value,
                                [](std::uint32_t v, const CodeRange& r) { return v < r.first; });
  return after != ranges.begin() && value <= std::prev(after)->last;
}

std::size_t sequence_size(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool is_scalar_value(std::uint32_t value, std::size_t size) {
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = value >= 0xD800 && value < 0xE000;
  return value >= least[size] && value <= 0x10FFFF && !surrogate;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  std::size_t size = sequence_size(byte(0));
  if (size == 0 || offset + size > text.size()) return {};
  if (size == 1) return {byte(0), 1};
  std::uint32_t value = byte(0) & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  return is_scalar_value(value, size) ? CodePoint{value, size} : CodePoint{};
}

bool starts_identifier(std::uint32_t value) { return within(identifier_start_ranges(), value); }

bool continues_identifier(std::uint32_t value) {
  return starts_identifier(value) || within(identifier_extra_ranges(), value);
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

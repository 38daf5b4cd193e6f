#include "base/utf8.hpp"

namespace kbench {
namespace {

// Length of the sequence that starts with `lead` and its smallest code point; 0: no lead byte.
struct Sequence {
  std::size_t length;
  std::uint32_t smallest;
  std::uint32_t bits;  // of the lead byte
};

Sequence sequence_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0, lead};
  if ((lead & 0xE0) == 0xC0) return {2, 0x80, lead & 0x1FU};
  if ((lead & 0xF0) == 0xE0) return {3, 0x800, lead & 0x0FU};
  if ((lead & 0xF8) == 0xF0) return {4, 0x10000, lead & 0x07U};
  return {0, 0, 0};
}

bool valid_at(std::string_view text, const Sequence& sequence) {
  if (sequence.length == 0 || sequence.length > text.size()) return false;
  std::uint32_t value = sequence.bits;
  for (std::size_t i = 1; i < sequence.length; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xC0) != 0x80) return false;
    value = (value << 6) | (c & 0x3FU);
  }
  return value >= sequence.smallest && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

}  // namespace

bool is_utf16(std::string_view text) {
  const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const std::string_view first = text.substr(0, 2);
  // Two zeros are no letter, but what a crash leaves of a file.
  return marked || (first.find('\0') != first.npos && first.find_first_not_of('\0') != first.npos);
}

char* append_utf8(char* out, std::uint32_t c) {
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
  return out;
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Sequence sequence = sequence_of(static_cast<unsigned char>(text[i]));
    if (!valid_at(text.substr(i), sequence)) return i;
    i += sequence.length;
  }
  return std::string_view::npos;
}

}  // namespace kbench

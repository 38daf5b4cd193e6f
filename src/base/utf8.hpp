// UTF-8, as far as JSON and YAML need it. RFC 3629.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kbench {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// True for a text that an editor has saved as UTF-16, with a byte order mark or without.
bool is_utf16(std::string_view text);

// Whether a byte goes on with a character that an earlier one began.
constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Writes a code point (1 to 4 bytes) and returns the place after it.
char* append_utf8(char* out, std::uint32_t code_point);

// The first byte that is part of no valid UTF-8 sequence, npos when there is none: overlong forms,
// surrogates and values above U+10FFFF are invalid.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace kbench

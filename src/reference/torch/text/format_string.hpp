// f-strings, which LibTorch's parser does not know, as calls of str.format, which it does.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

bool is_format_string(std::string_view literal);

// Does f"{x:.3f}" or f"{x!r}" say how to write x?
bool has_specification(std::string_view literal);

// Does "{} {}" leave it to format() how to write its arguments, and which of them?
bool is_plain_format(std::string_view literal);

// f"a {x:.3f} b" → "a {} b".format(x). What a format specification says is lost: these texts are
// messages.
std::string format_call(std::string_view literal);

}  // namespace kbench

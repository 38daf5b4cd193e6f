// SHA-256 by the processor's own instructions, several times as fast as libmd's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbench {

// FIPS 180-4, hexadecimal; nothing where this processor has no such instructions.
std::optional<std::string> sha256_by_instructions(std::string_view data);

}  // namespace kbench

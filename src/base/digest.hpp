// Digests of contents, by libmd.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

std::string sha1_hex(
    std::string_view data);  // FIPS 180-4; only where another program's file asks for it
std::string sha256_hex(std::string_view data);  // FIPS 180-4

}  // namespace kbench

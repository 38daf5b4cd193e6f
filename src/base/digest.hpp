// Digests of contents; the cryptographic ones are libmd's, but for SHA-256 where the processor has
// instructions for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kbench {

std::string sha1_hex(
    std::string_view data);  // FIPS 180-4; used only where another program's file asks for it
std::string sha256_hex(std::string_view data);  // FIPS 180-4

// Tells contents apart at the speed of memory, where chance is the enemy and nobody else: eight
// sums of 64 bits over the words, and SHA-256 over those. 64 hexadecimal digits.
std::string content_digest(std::string_view data);

// The digest of a file's content, whatever machine it lies on; "absent" without one. Read once a
// process, unless the file changes.
std::string content_identity(const std::filesystem::path& path);

// SHA-256 by the processor's own instructions, several times as fast as libmd's; returns nothing
// where it has none.
std::optional<std::string> sha256_by_instructions(std::string_view data);

}  // namespace kbench

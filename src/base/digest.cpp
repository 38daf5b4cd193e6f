#include "base/digest.hpp"

#include <sha1.h>
#include <sha256.h>

#include <array>

namespace kbench {

std::string sha1_hex(std::string_view data) {
  std::array<char, SHA1_DIGEST_STRING_LENGTH> out{};
  SHA1Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), out.data());
  return out.data();
}

std::string sha256_hex(std::string_view data) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> out{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), out.data());
  return out.data();
}

}  // namespace kbench

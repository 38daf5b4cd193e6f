// Signatures by Ed25519 (RFC 8032), with keys as `openssl genpkey -algorithm ed25519` writes them
// (PEM of RFC 8410).
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

class SigningKey {
 public:
  // Reads the key between "-----BEGIN PRIVATE KEY-----" and its end. Throws std::runtime_error
  // where the file holds none, or others than its owner may read it, and std::system_error.
  static std::shared_ptr<const SigningKey> read(const std::filesystem::path& file);
  ~SigningKey();
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;

  // Base64 of 64 bytes, and of 32.
  std::string sign(std::string_view text) const;
  std::string public_key() const;

 private:
  explicit SigningKey(const unsigned char* seed);
  std::array<unsigned char, 64> secret_{};
  std::array<unsigned char, 32> public_{};
};

// Reads the keys that stand between "-----BEGIN PUBLIC KEY-----" and its end, in Base64. Throws
// std::runtime_error where there is none or one is no key of Ed25519, and std::system_error.
std::vector<std::string> read_public_keys(const std::filesystem::path& file);

// Tells whether the owner of `public_key` has signed the text.
bool is_signed(std::string_view text, const std::string& signature, const std::string& public_key);

}  // namespace kbench

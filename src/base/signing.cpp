#include "base/signing.hpp"

#include <sodium.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/file.hpp"

namespace kbench {
namespace {

using Bytes = std::vector<unsigned char>;

// Prefix of the 32 bytes of a key: the algorithm's name, in DER.
constexpr std::array<unsigned char, 16> before_private = {
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
constexpr std::array<unsigned char, 12> before_public = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                                         0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error(file.string() + ": " + why);
}

std::string base64(const unsigned char* bytes, std::size_t size) {
  std::string text(sodium_base64_encoded_len(size, sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes, size, sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // its NUL
  return text;
}

std::optional<Bytes> bytes_of(std::string_view text) {
  Bytes bytes(text.size());
  std::size_t size = 0;
  const char* end = nullptr;
  if (sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(), " \r\n\t", &size,
                        &end, sodium_base64_VARIANT_ORIGINAL) != 0 ||
      end != text.data() + text.size())
    return std::nullopt;
  bytes.resize(size);
  return bytes;
}

// Takes what stands between the lines "-----BEGIN `what`-----" and "-----END `what`-----" off
// `text` and returns it. Returns nothing where there is no more.
std::optional<std::string_view> next_block(std::string_view& text, const std::string& what) {
  const std::string first = "-----BEGIN " + what + "-----", last = "-----END " + what + "-----";
  const auto begin = text.find(first);
  if (begin == text.npos) return std::nullopt;
  const auto end = text.find(last, begin);
  if (end == text.npos) return std::nullopt;
  const std::string_view block = text.substr(begin + first.size(), end - begin - first.size());
  text.remove_prefix(end + last.size());
  return block;
}

template <std::size_t size>
std::optional<Bytes> key_in(std::string_view block, const std::array<unsigned char, size>& before) {
  auto der = bytes_of(block);
  if (!der || der->size() != size + 32 || !std::equal(before.begin(), before.end(), der->begin()))
    return std::nullopt;
  return Bytes(der->begin() + size, der->end());
}

}  // namespace

SigningKey::SigningKey(const unsigned char* seed) {
  crypto_sign_seed_keypair(public_.data(), secret_.data(), seed);
}

SigningKey::~SigningKey() { sodium_memzero(secret_.data(), secret_.size()); }

std::shared_ptr<const SigningKey> SigningKey::read(const std::filesystem::path& file) {
  std::string text = read_file(file);
  std::string_view rest = text;
  if (next_block(rest, "ENCRYPTED PRIVATE KEY"))
    refuse(file, "it is encrypted: `openssl pkey -in KEY -out PLAIN` asks for its password");
  const auto block = next_block(rest, "PRIVATE KEY");
  auto seed = block ? key_in(*block, before_private) : std::nullopt;
  sodium_memzero(text.data(), text.size());
  if (!seed) {
    refuse(file,
           "it holds no private key of Ed25519; `openssl genpkey -algorithm ed25519` makes one");
  }
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    refuse(file, "others than its owner may read this key: chmod 600");
  const std::shared_ptr<const SigningKey> key(new SigningKey(seed->data()));
  sodium_memzero(seed->data(), seed->size());
  return key;
}

std::string SigningKey::sign(std::string_view text) const {
  std::array<unsigned char, crypto_sign_BYTES> signature{};
  crypto_sign_detached(signature.data(), nullptr,
                       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                       secret_.data());
  return base64(signature.data(), signature.size());
}

std::string SigningKey::public_key() const { return base64(public_.data(), public_.size()); }

std::vector<std::string> read_public_keys(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  std::string_view rest = text;
  std::vector<std::string> keys;
  while (const auto block = next_block(rest, "PUBLIC KEY")) {
    const auto key = key_in(*block, before_public);
    if (!key) refuse(file, "a public key in it is none of Ed25519");
    keys.push_back(base64(key->data(), key->size()));
  }
  if (keys.empty())
    refuse(file, "it holds no public key; `openssl pkey -in KEY -pubout` writes that of a key");
  return keys;
}

bool is_signed(std::string_view text, const std::string& signature, const std::string& public_key) {
  const auto bytes = bytes_of(signature), key = bytes_of(public_key);
  if (!bytes || bytes->size() != crypto_sign_BYTES) return false;
  if (base64(bytes->data(), bytes->size()) != signature) return false;  // spelled in one way alone
  if (!key || key->size() != crypto_sign_PUBLICKEYBYTES) return false;
  return crypto_sign_verify_detached(bytes->data(),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size(), key->data()) == 0;
}

}  // namespace kbench

#include "base/sha256_instructions.hpp"

#include <gtest/gtest.h>
#include <sha256.h>

#include <array>
#include <random>

namespace kbench {
namespace {

bool has_them() { return sha256_by_instructions("").has_value(); }

std::string by_libmd(const std::string& data) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> out{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), out.data());
  return out.data();
}

// The vectors are those of FIPS 180-2, appendix B, and one of nothing.
TEST(Sha256ByInstructions, KnowsTheStandardsExamples) {
  if (!has_them()) GTEST_SKIP() << "this processor has no instructions for SHA-256";
  EXPECT_EQ(sha256_by_instructions(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_by_instructions("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_by_instructions("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_by_instructions(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256ByInstructions, IsThatOfLibmdForAnyLength) {
  if (!has_them()) GTEST_SKIP() << "this processor has no instructions for SHA-256";
  std::mt19937 random(1);
  const auto check = [&](std::size_t size) {
    std::string data(size, '\0');
    for (char& c : data) c = static_cast<char>(random());
    ASSERT_EQ(sha256_by_instructions(data), by_libmd(data)) << size << " bytes";
  };
  for (std::size_t size = 0; size < 300; ++size) check(size);
  for (int i = 0; i < 200; ++i) check(random() % 100'000);
}

}  // namespace
}  // namespace kbench

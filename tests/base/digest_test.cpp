#include "base/digest.hpp"

#include <gtest/gtest.h>
#include <sha256.h>

#include <array>
#include <random>
#include <set>
#include <string>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

TEST(Digest, KnowsTheStandardsExamples) {
  EXPECT_EQ(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ContentDigest, TellsEveryBitAndEveryLengthApart) {
  std::set<std::string> seen;
  std::string text(200, '\0');
  seen.insert(content_digest(text));
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    text[bit / 8] = static_cast<char>(1 << (bit % 8));
    seen.insert(content_digest(text));
    text[bit / 8] = 0;
  }
  for (std::size_t size = 0; size < text.size(); ++size)
    seen.insert(content_digest(text.substr(0, size)));
  EXPECT_EQ(seen.size(), 1 + 8 * text.size() + text.size());
}

// Two differences in one of the sums: signs of numbers, say, or numbers that change places.
TEST(ContentDigest, TwoChangesDoNotCancel) {
  const std::string zeros(256, '\0');
  std::set<std::string> seen{content_digest(zeros)};
  std::size_t count = 1;
  for (std::size_t bit = 0; bit < 64; ++bit) {
    for (std::size_t distance = 64; distance <= 128; distance += 64) {
      std::string text = zeros;
      text[bit / 8] ^= static_cast<char>(1 << (bit % 8));
      text[bit / 8 + distance] ^= static_cast<char>(1 << (bit % 8));
      seen.insert(content_digest(text));
      ++count;
    }
  }
  EXPECT_EQ(seen.size(), count);
}

bool has_them() { return sha256_by_instructions("").has_value(); }

std::string by_libmd(const std::string& data) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> out{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), out.data());
  return out.data();
}

// The vectors are those of FIPS 180-2, appendix B, and one of an empty text.
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

TEST(ContentIdentity, IsThatOfTheContentAndOfNothingElse) {
  TempFolder folder;
  const auto first = folder.path() / "first", second = folder.path() / "second";
  EXPECT_EQ(content_identity(first), "absent");
  write_file(first, "a compiler");
  write_file(second, "a compiler");
  const std::string identity = content_identity(first);
  EXPECT_EQ(content_identity(second), identity);
  write_file(first, "another compiler");
  EXPECT_NE(content_identity(first), identity);
}

}  // namespace

}  // namespace kbench

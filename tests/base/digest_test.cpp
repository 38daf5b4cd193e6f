#include "base/digest.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

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

}  // namespace
}  // namespace kbench

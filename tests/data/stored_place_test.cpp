#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "base/file.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/random.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

class StoredPlaces : public testing::Test {
 protected:
  void SetUp() override {
    write_file(top_.path() / "set" / "blob" / "in.safetensors", "text");
    write_file(top_.path() / "out.safetensors", "text");
    write_file(top_.path() / "set-beside" / "out.safetensors", "text");
  }
  fs::path root() const { return top_.path() / "set"; }
  bool may_be_read(std::string_view path) const {
    return stored_place(root(), path).problem.empty();
  }
  TempFolder top_;
};

TEST_F(StoredPlaces, FilesOfTheTraceSetMayBeRead) {
  EXPECT_TRUE(may_be_read("blob/in.safetensors"));
  EXPECT_TRUE(may_be_read("./blob/../blob/in.safetensors"));
  EXPECT_TRUE(may_be_read("blob/not_there.safetensors"));
  EXPECT_TRUE(may_be_read((root() / "blob" / "in.safetensors").string()));
  fs::create_symlink("in.safetensors", root() / "blob" / "link.safetensors");
  EXPECT_TRUE(may_be_read("blob/link.safetensors"));
}

TEST_F(StoredPlaces, TheTraceSetMayBeALinkItself) {
  fs::create_directory_symlink(root(), top_.path() / "link");
  EXPECT_EQ(stored_place(top_.path() / "link", "blob/in.safetensors").problem, "");
}

TEST_F(StoredPlaces, FilesOutsideMayNot) {
  EXPECT_FALSE(may_be_read("../out.safetensors"));
  EXPECT_FALSE(may_be_read("../set-beside/out.safetensors"));
  EXPECT_FALSE(may_be_read("blob/../../out.safetensors"));
  EXPECT_FALSE(may_be_read((top_.path() / "out.safetensors").string()));
  fs::create_symlink(top_.path() / "out.safetensors", root() / "link.safetensors");
  EXPECT_FALSE(may_be_read("link.safetensors"));
  fs::create_directory_symlink(top_.path(), root() / "folder");
  EXPECT_FALSE(may_be_read("folder/out.safetensors"));
}

std::vector<std::uint32_t> words(const Stream& stream, std::uint64_t first, std::size_t count) {
  std::vector<std::uint32_t> out(count);
  random_words(stream, first, out);
  return out;
}

// The known answers that the authors publish with their implementation (philox4x32, 10 rounds).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, WordsAreThoseOfTheirCounters) {
  const Stream stream{0x0123456789abcdef, 5, 9};
  const std::uint64_t first = (std::uint64_t{1} << 36) + 7 * words_per_group;  // counter above 2^32
  const auto some = words(stream, first, 200);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::uint64_t group = (first + i) / 64, word = (first + i) % 64 / 16, lane = i % 16;
    const std::uint64_t counter = 16 * group + lane;
    const PhiloxBlock block = philox(
        {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 5, 9},
        {0x89abcdef, 0x01234567});
    ASSERT_EQ(some[i], block[word]) << i;
  }
}

TEST(Philox, PartsAreTheWhole) {
  const Stream stream{42, 1, 2};
  const auto whole = words(stream, 0, 1000);
  for (const std::size_t first : {0, 64, 128, 640, 960}) {
    for (const std::size_t count : {0, 1, 39, 64, 100}) {
      if (first + count > whole.size()) continue;
      const auto part = words(stream, first, count);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(first)));
    }
  }
}

TEST(Philox, EveryPartOfTheStreamsNameCounts) {
  const std::uint64_t high = std::uint64_t{1} << 32;
  const Stream streams[] = {{0, 0, 0}, {1, 0, 0}, {high, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::set<std::vector<std::uint32_t>> seen;
  for (const Stream& stream : streams) seen.insert(words(stream, 0, 64));
  seen.insert(words(streams[0], 64, 64));
  EXPECT_EQ(seen.size(), 6U);
}

TEST(Philox, EachBitIsSetHalfOfTheTime) {
  const auto sample = words({7}, 0, 1 << 18);
  for (int bit = 0; bit < 32; ++bit) {
    const auto ones =
        std::count_if(sample.begin(), sample.end(), [&](auto w) { return w >> bit & 1U; });
    EXPECT_NEAR(static_cast<double>(ones), 131072, 5 * 256) << bit;  // five standard deviations
  }
}

}  // namespace

}  // namespace kbench

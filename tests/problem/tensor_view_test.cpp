#include "problem/tensor_view.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kbench {
namespace {

constexpr std::size_t page = 4096;

TEST(Place, ATensorEndsWithItsPagesUpToTheAlignment) {
  for (const std::size_t bytes : {0UL, 1UL, 63UL, 64UL, 65UL, 4000UL, 4096UL, 4097UL, 100000UL}) {
    const Placement at = among_pages(bytes, page);
    EXPECT_EQ(at.size % page, 0U) << bytes;
    EXPECT_EQ(at.data % 64, 0U) << bytes;
    EXPECT_LE(at.data + bytes, at.size);
    EXPECT_LT(at.size - at.data - bytes, 64U) << bytes;
    EXPECT_LE(at.data, page) << bytes;  // no page too many
  }
}

class Poison : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 100;
  static constexpr std::byte margin{0x5A};
  Placement place_ = among_pages(bytes, page);
  std::vector<std::byte> pages_ = std::vector<std::byte>(place_.size);

  void SetUp() override { poison(pages_.data(), place_, bytes, 0x0807060504030201U, margin); }
  bool is_whole() const { return is_margin_whole(pages_.data(), place_, bytes, margin); }
};

TEST_F(Poison, RepeatsThePatternToTheLastByte) {
  for (std::size_t i = 0; i < bytes; ++i)
    ASSERT_EQ(pages_[place_.data + i], static_cast<std::byte>(i % 8 + 1)) << i;
}

TEST_F(Poison, AnyByteBesideTheTensorIsSeen) {
  EXPECT_TRUE(is_whole());
  for (const std::size_t i :
       {std::size_t{0}, place_.data - 1, place_.data + bytes, place_.size - 1}) {
    pages_[i] ^= std::byte{1};
    EXPECT_FALSE(is_whole()) << i;
    pages_[i] ^= std::byte{1};
  }
  pages_[place_.data] ^= std::byte{1};
  pages_[place_.data + bytes - 1] ^= std::byte{1};
  EXPECT_TRUE(is_whole());
}

}  // namespace
}  // namespace kbench

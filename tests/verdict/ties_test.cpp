#include "verdict/ties.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kbench {
namespace {

using SignedBytes = std::vector<std::int8_t>;

TensorView signed_view(const SignedBytes& bytes) {
  return {DType::int8,
          {static_cast<std::int64_t>(bytes.size())},
          reinterpret_cast<const std::byte*>(bytes.data()),
          bytes.size()};
}

// Bytes that `own` may have instead, with what differs in a run on average.
struct Case {
  SignedBytes own;
  std::vector<Alternate> seen;
  double per_run = 1;

  TieMisses judge(const SignedBytes& output) const {
    return tie_misses(signed_view(output), signed_view(own),
                      Ties({seen, per_run}, signed_view(own)));
  }
};

TEST(Ties, WhatWasSeenIsRightAndOthersAreNot) {
  const Case c{{10, 20, 30}, {{1, 21}, {1, 90}}};
  EXPECT_TRUE(c.judge({10, 20, 30}).accepts());
  EXPECT_TRUE(c.judge({10, 21, 30}).accepts());
  EXPECT_TRUE(c.judge({10, 90, 30}).accepts());
  const TieMisses misses = c.judge({10, 20, 31});
  EXPECT_FALSE(misses.accepts());
  EXPECT_EQ(misses.first, 2U);
  EXPECT_EQ(misses.missed, (std::vector<bool>{false, false, true}));
}

TEST(Ties, HalvesOfAByteCountAlone) {
  const Case c{{0x23}, {{0, 0x24}, {0, 0x33}}};
  EXPECT_TRUE(c.judge({0x34}).accepts());  // each half was seen, never together
  EXPECT_FALSE(c.judge({0x35}).accepts());
  EXPECT_FALSE(c.judge({0x43}).accepts());
}

// Two in a byte: element 1 is the high half of byte 0.
TEST(Ties, PackedNumbersAreJudgedOneByOne) {
  const SignedBytes own{0x23, 0x11}, first{0x24, 0x11}, second{0x33, 0x11}, both{0x34, 0x11},
      other{0x23, 0x12};
  const auto packed = [](const SignedBytes& bytes) {
    return TensorView{DType::float4_e2m1,
                      {2 * static_cast<std::int64_t>(bytes.size())},
                      reinterpret_cast<const std::byte*>(bytes.data()),
                      bytes.size()};
  };
  const std::vector<Alternate> seen{{0, 0x24}, {0, 0x33}};
  const Ties ties({seen, 1}, packed(own));
  for (const SignedBytes* right : {&own, &first, &second, &both})
    EXPECT_TRUE(tie_misses(packed(*right), packed(own), ties).accepts());
  const TieMisses misses = tie_misses(packed(other), packed(own), ties);
  EXPECT_FALSE(misses.accepts());
  EXPECT_EQ(misses.first, 2U);
}

TEST(Ties, NotMoreThanIsLikelyMayDiffer) {
  Case c{SignedBytes(1000, 5), {}, 10};
  for (std::int64_t i = 0; i < 1000; ++i) c.seen.push_back({i, 6});
  SignedBytes output = c.own;
  // Two honest programs differ in 7.5 elements; six spreads above that are 24.99.
  std::fill_n(output.begin(), 24, std::int8_t{6});
  EXPECT_TRUE(c.judge(output).accepts());
  output[24] = 6;
  EXPECT_FALSE(c.judge(output).accepts());
}

TEST(Ties, AFewUnseenOnesMayBeAStepOff) {
  Case c{SignedBytes(10000, 0x25), {}, 500};
  for (std::int64_t i = 0; i < 1000; ++i) c.seen.push_back({i, 0x26});
  SignedBytes output = c.own;
  std::fill_n(output.begin() + 5000, 4, std::int8_t{0x24});  // a hundredth of 491
  EXPECT_TRUE(c.judge(output).accepts());
  output[6000] = 0x24;
  EXPECT_FALSE(c.judge(output).accepts());
  output = c.own;
  output[6000] = 0x2D;  // another sign
  EXPECT_FALSE(c.judge(output).accepts());
  EXPECT_EQ(c.judge(output).far, 1U);
}

TEST(Ties, WhereNothingMovesNothingMayDiffer) {
  const Case c{{1, 2}, {}, 0};
  EXPECT_TRUE(c.judge({1, 2}).accepts());
  EXPECT_FALSE(c.judge({1, 3}).accepts());
}

}  // namespace
}  // namespace kbench

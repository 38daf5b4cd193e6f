#include "gpu/lanes.hpp"

#include <gtest/gtest.h>

namespace kbench::gpu {
namespace {

using Numbers = std::array<std::int64_t, warp_lanes>;

Numbers numbers(std::int64_t (*of)(std::int64_t lane)) {
  Numbers all{};
  for (std::size_t i = 0; i < warp_lanes; ++i) all[i] = of(static_cast<std::int64_t>(i));
  return all;
}

const Lanes thread_lanes = lane_number(32);  // threadIdx.x
constexpr unsigned and_table = 0xc0, xor_table = 0x3c, or_table = 0xfc;

TEST(Lanes, AreLinearInTheThread) {
  const Lanes address = sum(product(thread_lanes, constant(12)), any_number());
  ASSERT_TRUE(address.is_known);
  EXPECT_EQ(address.offset, numbers([](std::int64_t i) { return 12 * i; }));
  EXPECT_EQ(product(thread_lanes, constant(12)).divisor, 384);
  EXPECT_EQ(address.divisor, 1);
  EXPECT_EQ(negative(thread_lanes).offset, numbers([](std::int64_t i) { return -i; }));
  EXPECT_EQ(shifted_left(thread_lanes, constant(3)), product(constant(8), thread_lanes));
}

TEST(Lanes, OfAStrideThatNobodyKnowsAreNotKnown) {
  EXPECT_FALSE(product(thread_lanes, any_number()).is_known);
  EXPECT_TRUE(is_same_in_all_lanes(product(any_number(), any_number())));
  EXPECT_FALSE(sum(thread_lanes, Lanes{}).is_known);
}

TEST(Lanes, AreCutInBitsBelowWhatDividesTheBase) {
  const Lanes lane = bitwise({thread_lanes, constant(31), constant(0)}, and_table);
  ASSERT_TRUE(lane.is_known);
  EXPECT_EQ(lane.offset, numbers([](std::int64_t i) { return i; }));
  EXPECT_EQ(bitwise({thread_lanes, constant(7), constant(0)}, and_table).offset,
            numbers([](std::int64_t i) { return i & 7; }));
  EXPECT_EQ(shifted_right(thread_lanes, constant(2)).offset,
            numbers([](std::int64_t i) { return i >> 2; }));
  // Above: some number, the same in all lanes.
  EXPECT_TRUE(is_same_in_all_lanes(shifted_right(thread_lanes, constant(5))));
  EXPECT_FALSE(shifted_right(thread_lanes, constant(6)).is_known);
  EXPECT_FALSE(
      bitwise({sum(thread_lanes, any_number()), constant(7), constant(0)}, and_table).is_known);
}

TEST(Lanes, AreMixedAsASwizzleDoes) {
  const Lanes lane = bitwise({thread_lanes, constant(31), constant(0)}, and_table);
  EXPECT_EQ(lane.divisor, 0);  // whatever the warp, these are 0 to 31
  const Lanes row = shifted_right(lane, constant(3));
  const Lanes column = bitwise({lane, constant(7), constant(0)}, and_table);
  const Lanes mixed = bitwise({row, column, constant(0)}, xor_table);
  EXPECT_EQ(mixed.offset, numbers([](std::int64_t i) { return (i >> 3) ^ (i & 7); }));
  const Lanes both = bitwise({shifted_left(row, constant(3)), column, constant(0)}, or_table);
  EXPECT_EQ(both, lane);
}

TEST(Lanes, OfTwoWaysKeepWhatBothHave) {
  const Lanes one = product(thread_lanes, constant(4));
  const Lanes next = sum(one, constant(128));
  const Lanes some = either(one, next);
  ASSERT_TRUE(some.is_known);
  EXPECT_EQ(some.offset, one.offset);
  EXPECT_EQ(some.divisor, 128);
  EXPECT_EQ(either(some, sum(some, constant(128))), some);  // a loop comes to an end
  EXPECT_FALSE(either(one, thread_lanes).is_known);
  EXPECT_FALSE(either(one, Lanes{}).is_known);
}

TEST(Lanes, StayInRangeHoweverOftenTheyAreMultiplied) {
  Lanes value = thread_lanes;
  for (int i = 0; i < 100; ++i) value = product(value, constant(999'983));
  EXPECT_TRUE(value.is_known);
  for (const std::int64_t offset : value.offset) EXPECT_LE(std::abs(offset), std::int64_t{1} << 31);
  EXPECT_LE(value.divisor, std::int64_t{1} << 32);
}

}  // namespace
}  // namespace kbench::gpu

#include "exec/poisoned_outputs.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "problem/element.hpp"

namespace kbench {
namespace {

TEST(PoisonedOutputs, EveryElementIsUnwrittenAfterPoison) {
  for (const DTypeInfo& type : dtypes()) {
    PoisonedOutputs memory({{"y", type.dtype, false, {3, 5}}});
    memory.poison(42);
    EXPECT_EQ(memory.unwritten(0).count, 15U) << type.name;
    EXPECT_EQ(memory.unwritten(0).first, 0U) << type.name;
    EXPECT_EQ(memory.overrun(), -1);
  }
}

TEST(PoisonedOutputs, FloatsArePoisonedWithNaN) {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float8_e4m3fn,
                            DType::float8_e5m2}) {
    PoisonedOutputs memory({{"y", dtype, false, {7}}});
    for (std::uint64_t secret = 0; secret < 50; ++secret) {
      memory.poison(secret);
      std::vector<double> values(7);
      decode(dtype, memory.views()[0].data, 0, values);
      for (const double value : values) EXPECT_NE(value, value) << info(dtype).name;
    }
  }
}

TEST(PoisonedOutputs, CountsWhatWasNotWritten) {
  PoisonedOutputs memory({{"y", DType::float32, false, {4}}});
  memory.poison(1);
  const float written[2] = {0, 1};
  std::memcpy(memory.data(0), written, sizeof written);
  EXPECT_EQ(memory.unwritten(0).count, 2U);
  EXPECT_EQ(memory.unwritten(0).first, 2U);
}

TEST(PoisonedOutputs, SeesWritesBesideATensor) {
  PoisonedOutputs memory({{"a", DType::int8, false, {3}}, {"b", DType::int64, false, {2}}});
  memory.poison(7);
  EXPECT_EQ(memory.overrun(), -1);
  memory.data(1)[16] ^= std::byte{1};
  EXPECT_EQ(memory.overrun(), 1);
  memory.poison(8);
  memory.data(0)[-1] ^= std::byte{1};
  EXPECT_EQ(memory.overrun(), 0);
}

TEST(PoisonedOutputs, LiesElsewhereForAnotherShift) {
  std::set<std::size_t> places;
  for (std::uint64_t shift = 0; shift < 50; ++shift) {
    PoisonedOutputs memory({{"a", DType::float32, false, {1030}}, {"b", DType::int8, false, {5}}},
                           shift);
    memory.poison(7);
    EXPECT_EQ(memory.offset(0) % 64, 0U);
    EXPECT_EQ(memory.unwritten(0).count, 1030U);
    EXPECT_EQ(memory.overrun(), -1);
    memory.data(1)[5] ^= std::byte{1};
    EXPECT_EQ(memory.overrun(), 1) << shift;
    places.insert(memory.offset(0) % 4096);
  }
  EXPECT_GT(places.size(), 25U);
}

TEST(PoisonedOutputs, OutputsOfOneTypeHoldOnePattern) {
  PoisonedOutputs memory({{"a", DType::int32, false, {3}}, {"b", DType::int32, false, {2}}});
  memory.poison(7);  // so a result that was allocated for either of them holds it
  EXPECT_EQ(memory.pattern(0), memory.pattern(1));
  EXPECT_EQ(std::memcmp(memory.data(0), memory.data(1), 8), 0);
}

TEST(PoisonedOutputs, AnEmptyOutputIsNoTrouble) {
  PoisonedOutputs memory({{"y", DType::float32, false, {0, 8}}});
  memory.poison(3);
  EXPECT_EQ(memory.unwritten(0).count, 0U);
  EXPECT_EQ(memory.overrun(), -1);
}

TEST(PoisonedOutputs, AnotherSecretIsAnotherPattern) {
  PoisonedOutputs memory({{"y", DType::int64, false, {1}}});
  memory.poison(1);
  std::int64_t first = 0;
  std::memcpy(&first, memory.data(0), sizeof first);
  memory.poison(2);
  EXPECT_NE(std::memcmp(&first, memory.data(0), sizeof first), 0);
}

}  // namespace
}  // namespace kbench

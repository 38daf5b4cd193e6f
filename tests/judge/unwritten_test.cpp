#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "judge/trial_verdict.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr std::int64_t count = 64;
constexpr DType with_nan[] = {DType::float32, DType::float16, DType::bfloat16, DType::float8_e4m3fn,
                              DType::float8_e5m2};

// Standards of outputs that are judged as numbers, or as a test says.
std::vector<Standard> judged_by(Standard standard = SameBits{}) {
  std::vector<Standard> out;
  out.push_back(std::move(standard));
  return out;
}

void write(PoisonedOutputs& memory, std::int64_t elements, double value) {
  const std::vector<double> values(static_cast<std::size_t>(elements), value);
  encode(memory.views()[0].dtype, std::span<const double>(values), memory.data(0), 0);
}

TEST(Unwritten, ANanThatPassedMustHaveBeenWritten) {
  for (const DType dtype : with_nan) {
    for (std::uint64_t secret = 0; secret < 50; ++secret) {
      PoisonedOutputs memory({{"y", dtype, false, {count}}});
      memory.poison(secret);
      EXPECT_NE(unwritten_cause(memory, true, judged_by()), "") << info(dtype).name;
      write(memory, count / 4, 1);  // numbers at its begin; the rest is left
      EXPECT_EQ(unwritten_cause(memory, true, judged_by()),
                "UNWRITTEN: 48 of 64 elements of output \"y\" were not written; first at [16]")
          << info(dtype).name;
    }
  }
}

TEST(Unwritten, NobodysOwnNanIsTakenForIt) {
  for (const DType dtype : with_nan) {
    for (std::uint64_t secret = 0; secret < 2000; ++secret) {
      PoisonedOutputs memory({{"y", dtype, false, {count}}});
      for (const double sign : {1.0, -1.0}) {
        memory.poison(secret);
        write(memory, count, std::copysign(std::nan(""), sign));
        ASSERT_EQ(unwritten_cause(memory, true, judged_by()), "") << info(dtype).name;
      }
      memory.poison(secret);
      std::memset(memory.data(0), 0xFF, memory.views()[0].bytes);
      ASSERT_EQ(unwritten_cause(memory, true, judged_by()), "") << info(dtype).name;
    }
  }
}

// Numbers beyond the range of float8_e4m3fn become NaN; half of these are the pattern by chance.
TEST(Unwritten, NanOfOverflowAreNoCauseOfAFailure) {
  PoisonedOutputs memory({{"y", DType::float8_e4m3fn, false, {count}}});
  memory.poison(3);
  EXPECT_NE(unwritten_cause(memory, false, judged_by()), "");
  write(memory, count, std::nan(""));
  EXPECT_EQ(unwritten_cause(memory, false, judged_by()), "");
}

TEST(Unwritten, WhatPassedIsLeftAloneWhereNobodyKnowsOrJudges) {
  PoisonedOutputs memory({{"y", DType::float32, false, {count}}});
  memory.poison(1);
  EXPECT_EQ(unwritten_cause(memory, true), "");
  EXPECT_EQ(unwritten_cause(memory, true, judged_by(Anything{})), "");
  EXPECT_NE(unwritten_cause(memory, false), "");
  PoisonedOutputs codes({{"y", DType::int8, false, {count}}});  // a right one may look so
  codes.poison(1);
  EXPECT_EQ(unwritten_cause(codes, true, judged_by()), "");
}

}  // namespace
}  // namespace kbench

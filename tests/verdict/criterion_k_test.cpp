#include "verdict/criterion_k.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kbench {
namespace {

TensorView view(const std::vector<float>& values) {
  return {DType::float32,
          {static_cast<std::int64_t>(values.size())},
          reinterpret_cast<const std::byte*>(values.data()),
          values.size() * sizeof(float)};
}

TEST(CriterionK, SigmaAddsItsThreeParts) {
  // r = 3, M = 4, so G = 5; n = 16.
  const KScale out{.u_out = 0.5, .u_acc = 0};
  EXPECT_DOUBLE_EQ(k_sigma(-3, 4, out), 1.5 / std::sqrt(3.0));
  const KScale intermediate{.u_int = 0.5, .u_acc = 0};
  EXPECT_DOUBLE_EQ(k_sigma(3, 4, intermediate), 2.5 / std::sqrt(3.0));
  const KScale accumulator{.u_acc = 0.25, .terms = 16};
  EXPECT_DOUBLE_EQ(k_sigma(3, 4, accumulator), 0.5 * 0.25 * 4 * 5);
}

TEST(CriterionK, CountsBeyondTheRoundingOfTheOutput) {
  const KScale scale{.u_out = 0x1p-3, .u_acc = 0x1p-4};
  const std::vector<float> y{1, 1.125F, 2};
  const std::vector<double> r{1, 1, 1}, gauge{0, 0, 0};
  const KStatistic statistic = k_statistic(view(y), r, gauge, scale);
  const double sigma = k_sigma(1, 0, scale);
  EXPECT_DOUBLE_EQ(statistic.largest_z, 0.875 / sigma);
  EXPECT_EQ(statistic.worst, 2U);
  EXPECT_DOUBLE_EQ(statistic.rms, std::sqrt((0.125 * 0.125 + 1) / 3) / sigma);
  EXPECT_EQ(statistic.count, 3U);
  EXPECT_FALSE(k_accepts(statistic));
}

TEST(CriterionK, NanAndInfinityHaveTheirOwnKind) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const auto unlike = [](const std::vector<float>& y, const std::vector<double>& r) {
    return k_statistic(view(y), r, std::vector<double>(r.size()), {}).unlike;
  };
  const float finf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(unlike({finf, -finf, std::nanf(""), 1}, {inf, -inf, nan, 1}), 0U);
  EXPECT_EQ(unlike({finf, finf, 1, std::nanf(""), std::nanf("")}, {-inf, 1, inf, 1, inf}), 5U);
}

TEST(CriterionK, LimitOfTheRmsFollowsTheCount) {
  EXPECT_DOUBLE_EQ(k_rms_limit(1), std::sqrt(1 + 6 * std::sqrt(0.8)));
  EXPECT_DOUBLE_EQ(k_rms_limit(2), std::sqrt(1 + 6 * std::sqrt(0.4)));
  EXPECT_DOUBLE_EQ(k_rms_limit(1U << 20), 1.1);
}

TEST(CriterionK, StoredDtypesAreNoIntermediates) {
  const KProblem fp8{{DType::float8_e4m3fn, DType::float32}, {DType::bfloat16}, 128};
  EXPECT_EQ(native_scale(fp8, DType::bfloat16).u_int, 0x1p-8);
  EXPECT_EQ(native_scale(fp8, DType::bfloat16).terms, 128);
  const KProblem fp4{{DType::float4_e2m1, DType::float32}, {DType::float32}, 1};
  EXPECT_EQ(native_scale(fp4, DType::float32).u_int, 0x1p-24);
}

TEST(CriterionK, OneOutputThatLeavesIsEnough) {
  const std::vector<float> right{1, 2}, wrong{1, 2.01F};
  const std::vector<double> r{1, 2}, gauge{1, 2};
  const KProblem problem{{DType::float32}, {DType::float32, DType::float32}, 2};
  const auto quantises = [&](const std::vector<float>& second) {
    const TensorView native[] = {view(right), view(second)};
    const std::span<const double> answers[] = {r, r}, gauges[] = {gauge, gauge};
    return quantises_inside(problem, native, answers, gauges);
  };
  EXPECT_FALSE(quantises(right));
  EXPECT_TRUE(quantises(wrong));
}

}  // namespace
}  // namespace kbench

#include "verdict/within_tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "verdict/view.hpp"

namespace kbench {
namespace {

// Answers whose condition estimates are 0: σ comes from the answer alone.
struct Known {
  std::vector<double> answer, condition;
  ErrorTolerance error_tolerance;
  Known(std::vector<double> r, const KScale& scale, std::vector<std::int64_t> shape = {})
      : answer(std::move(r)),
        condition(answer.size()),
        error_tolerance(
            {answer, condition, 48},
            shape.empty() ? std::vector{static_cast<std::int64_t>(answer.size())} : shape, scale) {}
};

TEST(CriterionK, SigmaAddsItsThreeParts) {
  // Let r = 3, M = 4, so G = 5; n = 16.
  const KScale out{.u_out = 0.5, .u_acc = 0};
  EXPECT_DOUBLE_EQ(k_sigma(-3, 4, out), 1.5 / std::sqrt(3.0));
  const KScale intermediate{.u_int = 0.5, .u_acc = 0};
  EXPECT_DOUBLE_EQ(k_sigma(3, 4, intermediate), 2.5 / std::sqrt(3.0));
  const KScale accumulator{.u_acc = 0.25, .terms = 16};
  EXPECT_DOUBLE_EQ(k_sigma(3, 4, accumulator), 0.5 * 0.25 * 4 * 5);
}

TEST(CriterionK, CountsBeyondTheRoundingOfTheOutput) {
  const KScale scale{.u_out = 0x1p-3, .u_acc = 0x1p-6};
  const Known known({1, 1, 1}, scale);
  const KStatistic statistic = k_statistic(view({1, 1.125F, 2}), known.error_tolerance);
  const double sigma = known.error_tolerance.sigma(0);
  EXPECT_DOUBLE_EQ(statistic.largest_z, 0.875 / sigma);
  EXPECT_EQ(statistic.worst, 2U);
  EXPECT_EQ(statistic.misses, 1U);
  EXPECT_DOUBLE_EQ(statistic.rms, std::sqrt((0.125 * 0.125 + 1) / 3) / sigma);
  EXPECT_DOUBLE_EQ(statistic.max_absolute, 1);
  EXPECT_FALSE(statistic.accepts());
}

// PyTorch makes NaN of what is rounded beyond 448, saturating hardware makes 448.
TEST(CriterionK, WithoutInfinitiesNumbersBeyondTheRangeBecomeNanOrTheLargest) {
  constexpr auto nan = static_cast<std::uint8_t>(0x7F), largest = static_cast<std::uint8_t>(0x7E);
  const KProblem problem{.inputs = {DType::float32}, .outputs = {DType::float8_e4m3fn}};
  const Known known({500, inf, 460, 440, std::numeric_limits<double>::quiet_NaN()},
                    native_scale(problem, DType::float8_e4m3fn));
  const auto misses = [&](std::vector<std::uint8_t> codes) {
    std::vector<bool> missed;
    k_statistic({DType::float8_e4m3fn, {5}, reinterpret_cast<const std::byte*>(codes.data()), 5},
                known.error_tolerance, &missed);
    return missed;
  };
  const std::vector<bool> none(5);
  EXPECT_EQ(misses({nan, nan, largest, largest, nan}), none);
  EXPECT_EQ(misses({largest, largest, largest, largest, nan}), none);
  EXPECT_EQ(misses({nan, nan, nan, nan, largest}),
            (std::vector<bool>{false, false, true, true, true}));
  EXPECT_EQ(misses({0x7D, 0xFE, largest, largest, nan}),
            (std::vector<bool>{true, true, false, false, false}));
}

// An answer 2^-30 of its operands may have lost as many digits.
TEST(ErrorTolerance, IsNoShorterThanItsOperandsDigits) {
  const KScale scale{.u_out = 0x1p-24, .u_acc = 0x1p-24, .stands_alone = true};
  Known known({1, 0x1p-30, 1, 1}, scale);
  const double before = known.error_tolerance.sigma(1);
  known.error_tolerance.raise_floor(std::vector<double>{1, 0});
  EXPECT_LT(before, 0x1p-50);
  EXPECT_DOUBLE_EQ(known.error_tolerance.sigma(1), 4 * 0x1p-24);
  EXPECT_LT(known.error_tolerance.sigma(2), 0x1p-23);  // it is in the second half
  known.error_tolerance.raise_floor(std::vector<double>{0, 0, 0, 2});
  EXPECT_DOUBLE_EQ(known.error_tolerance.sigma(1), 4 * 0x1p-24);
  EXPECT_DOUBLE_EQ(known.error_tolerance.sigma(3), 8 * 0x1p-24);
}

TEST(CriterionK, NanAndInfinityHaveTheirOwnKind) {
  const auto misses = [](const std::vector<float>& y, const std::vector<double>& r) {
    return k_statistic(view(y), Known(r, {.largest = 1e30}).error_tolerance).misses;
  };
  const float finf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(misses({finf, -finf, std::nanf(""), 1}, {inf, -inf, std::nan(""), 1}), 0U);
  EXPECT_EQ(misses({finf, finf, 1, std::nanf(""), std::nanf("")}, {-inf, 1, inf, 1, inf}), 5U);
}

TEST(CriterionK, BeyondTheRangeTheEndOrAnInfinityIsRight) {
  const Known known({70000, 70000, -70000, 70000, 60000}, {.u_out = 0x1p-11, .largest = 65504});
  std::vector<bool> missed;
  const float finf = std::numeric_limits<float>::infinity();
  k_statistic(view({65504, finf, -finf, -finf, finf}), known.error_tolerance, &missed);
  EXPECT_EQ(missed, (std::vector<bool>{false, false, false, true, true}));
}

TEST(CriterionK, LimitOfTheRmsFollowsTheRows) {
  EXPECT_NEAR(k_rms_limit(1), 5.55, 0.01);
  EXPECT_NEAR(k_rms_limit(8), 2.43, 0.01);
  EXPECT_NEAR(k_rms_limit(90), 1.39, 0.01);
  EXPECT_DOUBLE_EQ(k_rms_limit(10000), 1.1);
  EXPECT_DOUBLE_EQ(k_rms_limit(1U << 20), 1.1);
}

// A bad slice of many does not hide behind the good ones.
TEST(CriterionK, FindsTheSliceThatIsWorst) {
  constexpr std::int64_t batch = 8, heads = 16, width = 32;
  const KScale scale{.u_out = 0x1p-8};
  const Known known(std::vector<double>(batch * heads * width, 1.0), scale, {batch, heads, width});
  std::vector<float> y(known.answer.size());
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> rounding(-0x1p-8F, 0x1p-8F);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool is_bad = i / width % heads == 5;
    y[i] = 1 + rounding(engine) * (is_bad ? 4 : 1);
  }
  const KStatistic statistic = k_statistic(view(y, {batch, heads, width}), known.error_tolerance);
  EXPECT_EQ(statistic.misses, 0U);
  EXPECT_LT(statistic.rms, 1.6);
  ASSERT_TRUE(statistic.worst_slice.has_value());
  EXPECT_EQ(statistic.worst_slice->axis, 1U);
  EXPECT_EQ(statistic.worst_slice->index, 5);
  EXPECT_FALSE(statistic.accepts());
}

// Outputs have one axis: the same errors are many where each element was calculated alone.
TEST(CriterionK, ElementsThatStandAloneAreRows) {
  KScale scale{.u_out = 0x1p-8};
  const std::vector<double> r(100, 1.0);
  const std::vector<float> y(100, 1 + 0x1p-8F);  // 1.73 σ
  EXPECT_TRUE(k_statistic(view(y), Known(r, scale).error_tolerance).accepts());
  scale.stands_alone = true;
  const KStatistic statistic = k_statistic(view(y), Known(r, scale).error_tolerance);
  EXPECT_DOUBLE_EQ(statistic.rms_limit, k_rms_limit(100));
  EXPECT_FALSE(statistic.accepts());
  const KStatistic slices = k_statistic(view(y, {4, 25}), Known(r, scale, {4, 25}).error_tolerance);
  ASSERT_TRUE(slices.worst_slice.has_value());
  EXPECT_DOUBLE_EQ(slices.worst_slice->limit, k_rms_limit(25));
}

TEST(ErrorTolerance, WhatIsFarBelowItsRowMayHaveLostItsDigits) {
  const std::vector<double> r{1, 1e-9, inf, 1e-9}, condition(4, 0.0);
  KScale scale{.u_out = 0x1p-24};
  const ErrorTolerance rows({r, condition, 48}, {2, 2}, scale);
  EXPECT_NEAR(rows.sigma(1), 4 * 0x1p-24 / std::sqrt(2.0), 1e-14);
  EXPECT_LT(rows.sigma(3), 1e-15);  // another row; infinities have no size
  scale.stands_alone = true;
  EXPECT_LT(ErrorTolerance({r, condition, 48}, {2, 2}, scale).sigma(1), 1e-16);
}

TEST(ErrorTolerance, StoredDtypesAreNoIntermediates) {
  const KProblem fp8{
      .inputs = {DType::float8_e4m3fn, DType::float32}, .outputs = {DType::bfloat16}, .terms = 128};
  EXPECT_EQ(native_scale(fp8, DType::bfloat16).u_int, 0x1p-8);
  EXPECT_EQ(native_scale(fp8, DType::bfloat16).terms, 128);
  const KProblem fp4{.inputs = {DType::float4_e2m1, DType::float32}, .outputs = {DType::float32}};
  EXPECT_EQ(native_scale(fp4, DType::float32).u_int, 0x1p-24);
}

TEST(ErrorTolerance, IntermediatesAreFloat32WhereNothingElseIsOfUse) {
  KProblem problem{.inputs = {DType::bfloat16}, .outputs = {DType::bfloat16, DType::float32}};
  EXPECT_EQ(solution_scale(problem, DType::bfloat16).u_int, 0x1p-8);
  EXPECT_EQ(solution_scale(problem, DType::float32).u_int, 0x1p-24);
  problem.multiplies = true;  // probabilities go into a product as bfloat16
  EXPECT_EQ(solution_scale(problem, DType::float32).u_int, 0x1p-8);
  problem.knows_roundings = true;  // roundings are known, element by element
  EXPECT_EQ(solution_scale(problem, DType::float32).u_int, 0x1p-24);
  EXPECT_EQ(solution_scale(problem, DType::bfloat16).u_int, 0x1p-8);
  problem.only_sums = true;
  EXPECT_EQ(solution_scale(problem, DType::bfloat16).u_int, 0x1p-24);
}

TEST(ErrorTolerance, WhatRoundingsOnTheWayDoIsAddedWhereItIsKnown) {
  const std::vector<double> exact{1, 1}, condition{0, 0}, roundings{0, 0x1p-7};
  const ErrorTolerance error_tolerance({exact, condition, 4, roundings, 4}, {2}, {});
  EXPECT_LT(error_tolerance.sigma(0), 0x1p-20);
  EXPECT_GT(error_tolerance.sigma(1), 0x1p-8);
}

TEST(ErrorTolerance, ANativeAnswerHasItsOwnNoise) {
  const std::vector<float> native{1, 2, 3, 4};
  const std::vector<double> exact{1.1, 1.9, 3.1, 3.9}, condition{0, 0, 0, 0};
  const ErrorTolerance error_tolerance({exact, condition, 4}, view(native), {.u_out = 0x1p-24});
  EXPECT_EQ(error_tolerance.answer(1), 2);
  EXPECT_NEAR(error_tolerance.sigma(1), 0.1, 1e-6);
  EXPECT_TRUE(k_statistic(view({1.1F, 1.9F, 3.1F, 3.9F}), error_tolerance).accepts());
  EXPECT_FALSE(k_statistic(view({1, 2, 3, 5}), error_tolerance).accepts());
}

TEST(ErrorTolerance, WithoutADoubleAnswerARowIsItsCondition) {
  const std::vector<float> native{3, 4, 0, 0};
  const ErrorTolerance error_tolerance(view(native, {2, 2}),
                                       {.u_out = 0, .u_int = 0x1p-8, .u_acc = 0});
  EXPECT_NEAR(error_tolerance.sigma(0), 0x1p-8 * std::hypot(3, std::sqrt(12.5)) / std::sqrt(3.0),
              1e-12);
  EXPECT_EQ(error_tolerance.sigma(2), 0);
}

}  // namespace
}  // namespace kbench

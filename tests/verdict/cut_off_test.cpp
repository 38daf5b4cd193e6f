// Results that are cut off are told from rounded ones, whatever else is in their errors.
#include "verdict/cut_off.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "problem/element.hpp"
#include "verdict/view.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

// Rounds towards zero.
double cut(DType dtype, double value) {
  const double nearest = stored(dtype, value);
  if (std::fabs(nearest) <= std::fabs(value)) return nearest;
  int exponent = 0;
  std::frexp(nearest == 0 ? 1 : nearest, &exponent);
  return stored(dtype, value - std::copysign(std::ldexp(unit_roundoff(dtype), exponent), value));
}

struct Rounded : testing::TestWithParam<DType> {
  const DType dtype = GetParam();
  const double u = unit_roundoff(dtype);
  std::mt19937_64 random{3};
  std::vector<double> answer, condition;

  void normals(std::size_t count) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < count; ++i) answer.push_back(normal(random));
  }
  CutOff found(const std::function<double(double r)>& program) {
    condition.assign(answer.size(), 0);
    std::vector<double> made;
    for (const double r : answer) made.push_back(program(r));
    std::vector<std::byte> bytes(storage_bytes(dtype, made.size()));
    encode(dtype, std::span<const double>(made), bytes.data(), 0);
    const auto count = static_cast<std::int64_t>(made.size());
    const KScale scale{.u_out = u,
                       .u_int = u,
                       .half_smallest = info(dtype).smallest / 2,
                       .largest = info(dtype).largest};
    const ErrorTolerance error_tolerance({answer, condition, 48}, {count}, scale);
    return cut_off(rounding_tally({dtype, {count}, bytes.data(), bytes.size()}, error_tolerance));
  }
};

TEST_P(Rounded, RightOnesHaveNoDrift) {
  normals(20000);
  const CutOff right = found([](double r) { return r; });
  EXPECT_EQ(right.drift, 0);
  EXPECT_TRUE(right.accepts());
}

TEST_P(Rounded, CutOffIsHalfAStep) {
  normals(20000);
  const CutOff wrong = found([&](double r) { return cut(dtype, r); });
  EXPECT_NEAR(wrong.drift, -0.5, 0.1);
  EXPECT_FALSE(wrong.accepts());
}

TEST_P(Rounded, AFewHundredElementsAreEnough) {
  normals(400);
  const CutOff wrong = found([&](double r) { return cut(dtype, r); });
  EXPECT_LE(wrong.outside, 2);  // the count that tells it from rounding
  EXPECT_FALSE(wrong.accepts());
  EXPECT_GT(wrong.part_of_limit(), 1);
}

// The constant in them is rounded: all are too small by a factor, whichever it is.
TEST_P(Rounded, ResultsThatAreTooSmallByAFactorAreNotCutOff) {
  for (int seed = 0; seed < 200; ++seed) {
    answer.clear();
    normals(500);
    const double part = 0.1 + 0.01 * (seed % 80);
    const CutOff right = found([&](double r) { return r * (1 - part * u); });
    EXPECT_TRUE(right.accepts()) << part << ": " << right.outside << " " << right.least_outside;
  }
}

TEST_P(Rounded, CutOffIsSeenThroughOtherErrors) {
  normals(40000);
  std::uniform_real_distribution<double> other(-0.2 * u, 0.2 * u);
  const auto noisy = [&](double r) { return r * (1 + other(random)); };
  EXPECT_TRUE(found(noisy).accepts());
  const CutOff wrong = found([&](double r) { return cut(dtype, noisy(r)); });
  EXPECT_NEAR(wrong.drift, -0.5, 0.15);
  EXPECT_FALSE(wrong.accepts());
}

// Rounding a constant, the scale of a softmax, gives errors of one sign: that is no cut-off.
TEST_P(Rounded, ErrorsThatFollowTheAnswersSizeAreNoDrift) {
  normals(20000);
  EXPECT_TRUE(std::isfinite(found([&](double r) { return r * (1 - 0.9 * u); }).limit));
  const CutOff constant = found([&](double r) { return r * (1 - 0.9 * u); });
  EXPECT_TRUE(constant.accepts()) << constant.drift;
  const CutOff power = found([&](double r) { return r * (1 + 0.3 * u * std::log(std::fabs(r))); });
  EXPECT_TRUE(power.accepts()) << power.drift;
}

// The second rounding has one error for each significand, by chance with a jump.
TEST_P(Rounded, RoundedTwiceIsNotCutOff) {
  normals(40000);
  for (const double c : {1.0038, 0.9962, 1.13, 1.3, 1.7}) {
    std::vector<double> before = answer;
    for (double& r : answer) r *= c;
    const CutOff right = found([&](double r) { return stored(dtype, r / c) * c; });
    EXPECT_TRUE(right.accepts()) << c << " " << right.drift;
    answer = std::move(before);
  }
}

// x·c in bfloat16 has 128 errors, each of them many times.
TEST_P(Rounded, OneErrorIsNoEvidenceTwice) {
  for (int i = 0; i < 40000; ++i) answer.push_back(std::ldexp((128 + i % 128) * 1.3 / 128, i % 5));
  EXPECT_TRUE(found([&](double r) { return r * (1 - 0.6 * u); }).accepts());
  EXPECT_TRUE(std::isinf(found([&](double r) { return cut(dtype, r); }).limit));
}

TEST_P(Rounded, WhatRoundsAsItLikesDoesNotCount) {
  for (int i = 0; i < 20000; ++i) {  // numbers of the dtype, half way between two, and the ends
    const double one = 1 + 2 * u * (i % 4), half = one + u;
    answer.insert(answer.end(), {one, half, info(dtype).largest * 2, info(dtype).smallest});
  }
  EXPECT_TRUE(std::isinf(found([&](double r) { return cut(dtype, r); }).limit));
}

// The curve 1/significand is nearly a parabola there.
TEST_P(Rounded, AnswersWithinOneBinadeTellNothing) {
  std::uniform_real_distribution<double> within(1.05, 1.95);
  for (int i = 0; i < 20000; ++i) answer.push_back(within(random));
  EXPECT_TRUE(std::isinf(found([&](double r) { return cut(dtype, r); }).limit));
}

INSTANTIATE_TEST_SUITE_P(DTypes, Rounded, testing::Values(DType::float16, DType::bfloat16),
                         [](const auto& one) { return std::string(kbench::info(one.param).name); });

TEST(CutOff, IsAskedOf16BitsAlone) {
  std::vector<double> answer(4096), condition(4096);
  std::vector<float> y(4096);
  for (std::size_t i = 0; i < y.size(); ++i) {
    answer[i] = std::exp(0.001 * static_cast<double>(i));
    y[i] = static_cast<float>(answer[i] * (1 - 0x1p-24));
  }
  for (const auto& [u_out, is_asked] :
       {std::pair{0x1p-24, false}, {0x1p-8, true}, {0x1p-4, false}}) {
    const ErrorTolerance error_tolerance({answer, condition, 48}, {4096}, {.u_out = u_out});
    EXPECT_EQ(std::isfinite(cut_off(rounding_tally(view(y), error_tolerance)).limit), is_asked)
        << u_out;
  }
}

TEST(CutOff, RefusesInCriterionK) {
  KStatistic statistic;
  statistic.rms_limit = 1.1;
  EXPECT_TRUE(statistic.accepts());
  statistic.cut_off = {-0.5, 0.25};
  EXPECT_FALSE(statistic.accepts());
}

}  // namespace
}  // namespace kbench

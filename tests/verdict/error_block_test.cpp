// Vector code sums up over blocks as its elements' own functions say one by one.
#include "verdict/error_block.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "verdict/view.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

struct Sums {
  double squares = 0, largest_z = 0, product = 0, square = 0, coherent = 0, relative = 0;
  std::size_t count = 0, misses = 0;
};

Sums one_by_one(const std::vector<float>& made, const ErrorTolerance& by) {
  Sums out;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double y = made[i], r = by.answer(i), sigma = by.typical_sigma(i);
    if (!std::isfinite(y) || !std::isfinite(r)) {
      out.misses += std::isnan(y) != std::isnan(r) ? 1 : 0;
      continue;
    }
    const double error = std::max(std::fabs(y - r) - by.scale().half_smallest, 0.0);
    const double z = by.beyond(y, i) > 0 ? by.beyond(y, i) / by.unit(i) : 0;
    ++out.count;
    out.misses += z > k_largest_z ? 1 : 0;
    out.largest_z = std::max(out.largest_z, z);
    out.relative = std::max(out.relative, std::fabs(y - r) / (std::fabs(r) + 1e-8));
    out.squares += error > 0 ? error * error / sigma / sigma : 0;
    out.product += sigma > 0 ? (y - r) * r / sigma / sigma : 0;
    out.square += sigma > 0 ? r * r / sigma / sigma : 0;
    out.coherent += sigma > 0 ? by.coherent(i) * std::fabs(r) / sigma / sigma : 0;
  }
  return out;
}

// Rows of 300: a block of 1024 ends within one. Some answers are 0, some conditions, and some are
// large.
struct Drawn {
  std::vector<double> answer, condition;
  std::vector<float> made;
  explicit Drawn(double wrong) {
    std::mt19937_64 random{11};
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < 37 * 300UL; ++i) {
      answer.push_back(i % 101 == 0 ? 0 : normal(random));
      condition.push_back(i % 17 == 0 ? 0 : std::fabs(answer[i]) * (i % 5 == 0 ? 9 : 1.4));
      made.push_back(static_cast<float>(answer[i] * (1 + wrong * normal(random))));
    }
  }
};

void expect_alike(const std::vector<float>& made, const ErrorTolerance& by) {
  const KStatistic found = k_statistic(view(made, {37, 300}), by);
  const Sums wanted = one_by_one(made, by);
  const auto near = [](double a, double b) { EXPECT_NEAR(a, b, 1e-11 * std::fabs(b) + 1e-300); };
  EXPECT_EQ(found.misses, wanted.misses);
  EXPECT_EQ(found.evidence.count, static_cast<double>(wanted.count));
  near(found.evidence.squares, wanted.squares);
  near(found.evidence.bias.all.square, wanted.square);
  near(found.evidence.bias.all.coherent, wanted.coherent);
  EXPECT_NEAR(found.evidence.bias.all.product, wanted.product, 1e-11 * wanted.square);
  if (std::isfinite(found.largest_z)) near(found.largest_z, wanted.largest_z);
  if (!std::isnan(found.max_relative)) near(found.max_relative, wanted.relative);
}

constexpr KScale coarse{.u_out = 0x1p-9,
                        .u_int = 0x1p-9,
                        .terms = 300,
                        .half_smallest = 1e-40,
                        .largest = 3e38,
                        .looks_for_bias = true};

TEST(ErrorBlock, SumsUpWhatElementsSayOneByOne) {
  for (const double wrong : {0.0, 0x1p-10, 0x1p-6, 0.5}) {
    const Drawn drawn(wrong);
    ErrorTolerance by({drawn.answer, drawn.condition, 6}, {37, 300}, coarse);
    expect_alike(drawn.made, by);
    std::vector<double> sizes(37 * 3);
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = 1e5 * static_cast<double>(k);
    by.raise_floor(sizes);
    expect_alike(drawn.made, by);
  }
}

TEST(ErrorBlock, HasTheNoiseOfANativeAnswerAndOfRoundings) {
  const Drawn drawn(0x1p-8), native(0x1p-9);
  const KAnswer answer{drawn.answer, drawn.condition, 4, drawn.condition, 5};
  expect_alike(drawn.made, ErrorTolerance(answer, view(native.made, {37, 300}), coarse));
  expect_alike(drawn.made, ErrorTolerance(view(native.made, {37, 300}), coarse));
}

TEST(ErrorBlock, WhatIsNotFiniteIsLookedAtAlone) {
  Drawn drawn(0x1p-10);
  drawn.made[5] = static_cast<float>(inf);
  drawn.made[1030] = static_cast<float>(nan);
  drawn.answer[2500] = nan;
  drawn.made[2500] = static_cast<float>(nan);
  drawn.answer[5000] = nan;
  const ErrorTolerance by({drawn.answer, drawn.condition, 6}, {37, 300}, coarse);
  std::vector<bool> missed;
  const KStatistic found = k_statistic(view(drawn.made, {37, 300}), by, &missed);
  EXPECT_EQ(found.misses, 3U);
  EXPECT_TRUE(missed[5] && missed[1030] && !missed[2500] && missed[5000]);
  EXPECT_EQ(found.evidence.count, 37 * 300 - 4);
  EXPECT_EQ(found.largest_z, inf);
}

TEST(ErrorBlock, AddsUpInTheSameOrderOnEveryMachine) {
  std::vector<double> values(21, 1.0);
  values[8] = 0x1p60;
  values[16] = -0x1p60;  // adds to the same lane as the one before
  EXPECT_EQ(sum(values), 18);
}

}  // namespace
}  // namespace kbench

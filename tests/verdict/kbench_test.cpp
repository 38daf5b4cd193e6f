// The rule `kbench` on tensors.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>
#include <vector>

#include "verdict/verdict.hpp"
#include "verdict/view.hpp"

namespace kbench {
namespace {

struct Judged : testing::Test {
  const std::vector<double> answer = std::vector<double>(256, 1.0);
  const std::vector<double> condition = std::vector<double>(256, 1.0);
  const std::vector<float> native = std::vector<float>(256, 1.0F);
  const std::vector<std::int32_t> indices{1, 2, 3, 4};
  std::vector<Standard> standards;
  std::vector<std::string> names{"y", "i"};

  Judged() {
    const KScale scale{.u_out = 0x1p-24, .u_int = 0x1p-24};
    standards.emplace_back(ErrorTolerance({answer, condition, 48}, {16, 16}, scale));
    standards.emplace_back();
  }

  Verdict judge(const std::vector<float>& y, const std::vector<std::int32_t>& i) {
    VerdictContext context;
    context.names = names;
    context.standards = standards;
    const std::vector<TensorView> outputs = {view(DType::float32, y, {16, 16}),
                                             view(DType::int32, i, {4})};
    const std::vector<TensorView> reference = {view(DType::float32, native, {16, 16}),
                                               view(DType::int32, indices, {4})};
    return find_rule("kbench")->judge(context, outputs, reference);
  }
};

TEST_F(Judged, RightIsPassedWithItsMargin) {
  std::vector<float> y = native;
  y[3] = 1 + 0x1p-23F;
  const Verdict verdict = judge(y, indices);
  EXPECT_EQ(verdict.status, Status::passed) << verdict.detail;
  ASSERT_TRUE(verdict.margin.has_value());
  EXPECT_GT(*verdict.margin, 0);
  EXPECT_LT(*verdict.margin, 1);
}

TEST_F(Judged, ManyWrongElementsAreCountedAndPlaced) {
  std::vector<float> y = native;
  for (std::size_t k = 0; k < 16; ++k) y[5 * 16 + k] = 1.001F;
  const Verdict verdict = judge(y, indices);
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_EQ(
      verdict.detail,
      "output \"y\": 16 of 256 elements wrong; worst at [5, 0]: got 1.001, expected 1, allowed "
      "±1.5e-06; all at index 5 of axis 0");
  EXPECT_NEAR(verdict.correctness.max_absolute_error, 0.001, 1e-6);
}

TEST_F(Judged, ErrorsThatAreAllTooLargeAreSeenTogether) {
  std::vector<float> y = native;
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = 1 + (k % 2 == 0 ? 12 : -12) * 0x1p-24F;
  const Verdict verdict = judge(y, indices);
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_NE(verdict.detail.find("errors are together 3 times"), std::string::npos)
      << verdict.detail;
}

TEST(KbenchRule, ABoolIsZeroOrOne) {
  const std::vector<std::uint8_t> reference{1, 0, 1}, two{1, 0, 2};
  const std::vector<Standard> standards(1);
  const std::vector<std::string> names{"m"};
  VerdictContext context;
  context.names = names;
  context.standards = standards;
  const auto judged = [&](const std::vector<std::uint8_t>& output) {
    const TensorView made = view(DType::boolean, output, {3});
    const TensorView wanted = view(DType::boolean, reference, {3});
    return find_rule("kbench")->judge(context, std::span(&made, 1), std::span(&wanted, 1));
  };
  EXPECT_EQ(judged(reference).status, Status::passed);
  const Verdict verdict = judged(two);
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_EQ(verdict.detail,
            "output \"m\": 1 of 3 elements wrong; first at [2]: byte 2 is neither 0 nor 1; all at "
            "index 2 of axis 0");
}

TEST_F(Judged, IntegersAreComparedToTheBit) {
  const Verdict verdict = judge(native, {1, 2, 3, 5});
  EXPECT_EQ(
      verdict.detail,
      "output \"i\": 1 of 4 elements wrong; first at [3]: got 5, expected 4; all at index 3 of "
      "axis 0");
}

TEST(KbenchRule, SaysThatResultsAreCutOff) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<double> answer(16384);
  const std::vector<double> condition(answer.size());
  std::vector<std::uint16_t> cut;
  for (double& r : answer) {
    const float drawn = normal(random);
    r = drawn;
    cut.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(drawn) >> 16));
  }
  std::vector<Standard> standards;
  standards.emplace_back(
      ErrorTolerance({answer, condition, 48}, {128, 128}, {.u_out = 0x1p-8, .u_int = 0x1p-8}));
  VerdictContext context;
  context.standards = standards;
  const std::vector<TensorView> outputs = {view(DType::bfloat16, cut, {128, 128})};
  const Verdict verdict = find_rule("kbench")->judge(context, outputs, outputs);
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_NE(verdict.detail.find("results look cut off instead of rounded"), std::string::npos)
      << verdict.detail;
  EXPECT_GT(verdict.margin.value_or(0), 1);
}

TEST_F(Judged, AnotherShapeEndsTheJudging) {
  VerdictContext context;
  context.standards = standards;
  const std::vector<TensorView> outputs = {view(DType::float32, native, {256})};
  const std::vector<TensorView> reference = {view(DType::float32, native, {16, 16})};
  const Verdict verdict = find_rule("kbench")->judge(context, outputs, reference);
  EXPECT_EQ(verdict.status, Status::incorrect_shape);
  EXPECT_TRUE(verdict.ends_judging);
}

// Trials of 90 bfloat16 results each: too few to tell how one trial's were rounded.
struct Together : testing::Test {
  std::mt19937 random{7};
  std::normal_distribution<float> normal;

  using Make = std::function<float(float)>;
  static float cut(float r) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(r) & 0xffff0000U);
  }
  static float rounded(float r) {
    const auto bits = std::bit_cast<std::uint32_t>(r);
    return cut(std::bit_cast<float>(bits + 0x7fffU + (bits >> 16 & 1U)));
  }

  Verdict trial(const Make& make) {
    std::vector<double> answer(90);
    const std::vector<double> condition(90);
    std::vector<std::uint16_t> made;
    for (double& r : answer) {
      const float drawn = normal(random);
      r = drawn;
      made.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(make(drawn)) >> 16));
    }
    const KScale scale{.u_out = 0x1p-8, .u_int = 0x1p-8, .stands_alone = true};
    std::vector<Standard> standards;
    standards.emplace_back(ErrorTolerance({answer, condition, 48}, {90}, scale));
    VerdictContext context;
    context.standards = standards;
    const std::vector<TensorView> outputs = {view(DType::bfloat16, made, {90})};
    return find_rule("kbench")->judge(context, outputs, outputs);
  }
  std::vector<Verdict> trials(const Make& make) { return {trial(make), trial(make), trial(make)}; }
};

TEST_F(Together, WhatIsCutOffIsSeenInSeveralTrials) {
  const std::vector<Verdict> cut_off = trials(&cut);
  for (const Verdict& one : cut_off) EXPECT_EQ(one.status, Status::passed) << one.detail;
  const Verdict verdict = combine(cut_off);
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_EQ(verdict.detail.find("output 0: over 3 input sets results look cut off"), 0U)
      << verdict.detail;
  EXPECT_GT(verdict.margin.value_or(0), 1);
}

TEST_F(Together, WhatIsRoundedPasses) {
  for (int i = 0; i < 100; ++i) {
    const Verdict verdict = combine(trials(&rounded));
    EXPECT_EQ(verdict.status, Status::passed) << verdict.detail;
    EXPECT_LT(verdict.margin.value_or(2), 1);
  }
}

TEST_F(Together, ErrorsThatAreTooLargeAreSeenInSeveralTrials) {
  const auto off = [](float r) { return rounded(r * 1.0038F); };
  const std::vector<Verdict> larger = trials(off);
  for (const Verdict& one : larger) EXPECT_EQ(one.status, Status::passed) << one.detail;
  const Verdict verdict = combine(larger);
  EXPECT_EQ(verdict.status, Status::incorrect_numerical);
  EXPECT_EQ(verdict.detail.find("output 0: over 3 input sets errors are together 1."), 0U)
      << verdict.detail;
}

TEST_F(Together, TheSameAnswersAreNoEvidenceTwice) {
  const Verdict one = trial(&cut);
  EXPECT_EQ(combine(std::vector{one, one, one}).status, Status::passed);
}

}  // namespace
}  // namespace kbench

// Choices by their scores, and integers by the numbers that they were rounded from.
#include "verdict/choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "verdict/codes.hpp"
#include "verdict/view.hpp"

namespace kbench {
namespace {

// Choice of the best 3 of 6, in 2 rows; the last element of each row of the output is padding.
struct Choices : testing::Test {
  std::vector<double> scores{0.1, 0.9, 0.5, 0.5, 0.3, 0.2,  //
                             1,   2,   3,   4,   5,   6};
  std::vector<double> condition{0.1, 0.9, 0.5, 0.5, 0.3, 0.2, 1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> slots{0, 1, 2, 4, 5, 6}, options;
  std::vector<ChoiceRow> rows =
      std::vector<ChoiceRow>(2, {ChoiceKind::greatest, PickOrder::best_first, 3, 6, 0});
  bool in_order = true;

  std::vector<std::int32_t> right{1, 2, 3, -1, 5, 4, 3, -1};

  ChoiceMisses misses(const std::vector<std::int32_t>& output) const {
    const KScale scale{.u_out = 0x1p-24, .u_int = 0x1p-24};
    const Choice choice{{rows, slots, options, scores, condition}, 48, scale, in_order};
    return choice_misses(view(DType::int32, output, {2, 4}), view(DType::int32, right, {2, 4}),
                         choice);
  }
  std::string wrong(const std::vector<std::int32_t>& output) const {
    const ChoiceMisses found = misses(output);
    EXPECT_EQ(found.count == 0, found.first.empty());
    return found.first;
  }
};

TEST_F(Choices, EqualScoresAreEquallyRight) {
  EXPECT_EQ(wrong(right), "");
  EXPECT_EQ(wrong({1, 3, 2, -1, 5, 4, 3, -1}), "");
}

TEST_F(Choices, ScoresThatRoundingTellsNotApartAreEquallyRight) {
  scores[4] = 0.5 + 2e-8;
  EXPECT_EQ(wrong({1, 3, 2, -1, 5, 4, 3, -1}), "");
  EXPECT_GT(misses({1, 3, 2, -1, 5, 4, 3, -1}).margin, 0);
  scores[4] = 0.5 + 1e-5;
  EXPECT_EQ(wrong({1, 3, 2, -1, 5, 4, 3, -1}).substr(0, 60),
            "[0, 1]: 3 has the score 0.5, expected is 4 with 0.50001 ± 4");
}

TEST_F(Choices, AnInputsElementsAreToldApart) {
  for (ChoiceRow& row : rows) row.is_input = 1;
  scores[4] = 0.5 + 2e-8;
  EXPECT_NE(wrong({1, 3, 2, -1, 5, 4, 3, -1}), "");
}

TEST_F(Choices, TheirOrderCountsWhereOthersGoWithThem) {
  EXPECT_NE(wrong({2, 1, 3, -1, 5, 4, 3, -1}), "");
  in_order = false;
  EXPECT_EQ(wrong({2, 1, 3, -1, 5, 4, 3, -1}), "");
}

// A sort's indices say the order alone. Indices of a topk of all are a set like others.
TEST_F(Choices, TheirOrderCountsWhereAllAreChosen) {
  scores = {0.1, 0.9, 0.5, 1, 2, 3};
  condition = scores;
  for (ChoiceRow& row : rows) row.options = 3;
  in_order = false;
  EXPECT_EQ(wrong({0, 1, 2, -1, 2, 1, 0, -1}), "");
  for (ChoiceRow& row : rows) row.order = PickOrder::sorted;
  EXPECT_EQ(wrong({1, 2, 0, -1, 2, 1, 0, -1}), "");
  EXPECT_EQ(wrong({0, 1, 2, -1, 2, 1, 0, -1}).substr(0, 58),
            "[0, 0]: 0 has the score 0.1, expected is 1 with 0.9 ± 4.8");
  scores[2] = 0.9;
  EXPECT_EQ(wrong({2, 1, 0, -1, 2, 1, 0, -1}), "");
  for (ChoiceRow& row : rows) row.order = PickOrder::stable;
  EXPECT_EQ(wrong({2, 1, 0, -1, 2, 1, 0, -1}), "");  // scores are calculated
  for (ChoiceRow& row : rows) row.is_input = 1;
  EXPECT_EQ(wrong({2, 1, 0, -1, 2, 1, 0, -1}),
            "[0, 0]: 2, expected is 1: the sort is stable, and both are 0.9");
  EXPECT_EQ(wrong({1, 2, 0, -1, 2, 1, 0, -1}), "");
}

TEST_F(Choices, WorseOnesTwiceTheSameAndNoOptionsAreWrong) {
  EXPECT_EQ(wrong({1, 2, 0, -1, 5, 4, 3, -1}).substr(0, 30), "[0, 2]: 0 has the score 0.1, e");
  EXPECT_EQ(wrong({1, 2, 2, -1, 5, 4, 3, -1}), "[0, 2]: 2 is chosen twice");
  EXPECT_EQ(wrong({1, 2, 6, -1, 5, 4, 3, -1}), "[0, 2]: 6 is none of the 6 to choose from");
  EXPECT_EQ(wrong({1, 2, -1, -1, 5, 4, 3, -1}), "[0, 2]: -1 is none of the 6 to choose from");
  const ChoiceMisses all = misses({2, 3, 4, -1, 6, 5, 4, -1});
  EXPECT_EQ(all.count, 3U);  // the first and the last of row 0; 6
}

TEST_F(Choices, PaddingMustBeThere) {
  EXPECT_EQ(wrong({1, 2, 3, 0, 5, 4, 3, -1}), "[0, 3]: 0, expected -1");
}

TEST_F(Choices, ATableSaysWhatStandsForWhat) {
  options = {70, 71, 72, 73, 74, 75, 80, 81, 82, 83, 84, 85};
  right = {71, 72, 73, -1, 85, 84, 83, -1};
  EXPECT_EQ(wrong(right), "");
  EXPECT_EQ(wrong({71, 73, 72, -1, 85, 84, 83, -1}), "");
  EXPECT_EQ(wrong({71, 73, 72, -1, 75, 84, 83, -1}), "[1, 0]: 75 is none of the 6 to choose from");
}

TEST_F(Choices, TheLeastAreChosenLikewise) {
  for (ChoiceRow& row : rows) row.kind = ChoiceKind::least;
  right = {0, 5, 4, -1, 0, 1, 2, -1};
  EXPECT_EQ(wrong(right), "");
  EXPECT_NE(wrong({1, 5, 4, -1, 0, 1, 2, -1}), "");
}

TEST_F(Choices, ANaNIsTheGreatestAndInfinitiesAreEqual) {
  const double infinity = std::numeric_limits<double>::infinity();
  scores[5] = std::nan("");
  EXPECT_EQ(wrong({5, 1, 2, -1, 5, 4, 3, -1}), "");
  EXPECT_NE(wrong({1, 2, 3, -1, 5, 4, 3, -1}), "");
  std::fill(scores.begin(), scores.begin() + 6, -infinity);
  EXPECT_EQ(wrong({5, 0, 2, -1, 5, 4, 3, -1}), "");
}

TEST(CodeRanges, AStepIsRightOnlyBesideAMidpoint) {
  std::vector<double> values(64), condition(64);
  std::vector<std::int8_t> own(64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i) - 30.2;
    condition[i] = 40;
  }
  values[7] = 3.5 - 1e-7;  // honest arithmetic may have 3.5000001
  for (std::size_t i = 0; i < values.size(); ++i)
    own[i] = static_cast<std::int8_t>(std::nearbyint(values[i]));
  const Codes codes({Rounding::nearest, values, condition}, 48, view(DType::int8, own, {64}),
                    {.u_out = 1, .u_int = 0x1p-24});
  const auto misses = [&](const std::vector<std::int8_t>& output) {
    return code_misses(view(DType::int8, output, {64}), codes);
  };
  EXPECT_TRUE(misses(own).accepts());
  std::vector<std::int8_t> other = own;
  other[7] = 4;
  EXPECT_TRUE(misses(other).accepts());
  EXPECT_EQ(misses(other).others, 1U);
  other[8] = static_cast<std::int8_t>(other[8] + 1);
  EXPECT_EQ(misses(other).count, 1U);
  EXPECT_EQ(misses(other).first, 8U);
}

TEST(CodeRanges, ManyStepsAreNoChance) {
  std::vector<double> values(4096), condition(4096, 1);
  std::vector<std::int8_t> own(4096), other(4096);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 2.5 + (i % 16 == 0 ? 2e-7 : 0.2);
    own[i] = 3;
    other[i] = i % 16 == 0 ? 2 : 3;  // rounds to the other side always
  }
  const Codes codes({Rounding::nearest, values, condition}, 48, view(DType::int8, own, {4096}),
                    {.u_out = 1, .u_int = 0x1p-24});
  const CodeMisses misses = code_misses(view(DType::int8, other, {4096}), codes);
  EXPECT_EQ(misses.count, 0U);
  EXPECT_EQ(misses.others, 256U);
  EXPECT_FALSE(misses.accepts());
}

}  // namespace
}  // namespace kbench

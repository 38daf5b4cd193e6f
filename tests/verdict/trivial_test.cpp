#include "verdict/trivial.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "verdict/view.hpp"

namespace kbench {
namespace {

using Names = std::vector<std::string>;

// Trials of one float32 output [2, 4] with exact answers, and an input x of as many elements.
class Gate : public ::testing::Test {
 protected:
  struct Data {
    std::vector<float> x, y;
    std::vector<double> exact, condition;
  };

  Names passing(const std::vector<std::pair<std::vector<float>, std::vector<float>>>& trials,
                double u_out = 0x1p-24, bool copies = false) {
    const std::size_t count = trials.size();
    std::vector<Data> data(count);
    std::vector<std::vector<NamedTensor>> inputs(count);
    std::vector<std::vector<TensorView>> answers(count);
    std::vector<std::vector<Standard>> error_tolerances(count);
    std::vector<GateTrial> gate;
    for (std::size_t t = 0; t < count; ++t) {
      data[t] = {trials[t].first, trials[t].second, {}, std::vector<double>(8)};
      data[t].exact.assign(data[t].y.begin(), data[t].y.end());
      inputs[t] = {{"x", view(DType::float32, data[t].x, {8})}};
      answers[t] = {view(DType::float32, data[t].y, {2, 4})};
      error_tolerances[t].emplace_back(
          ErrorTolerance({data[t].exact, data[t].condition, 8}, {2, 4}, {.u_out = u_out}));
      gate.push_back({inputs[t], answers[t], error_tolerances[t]});
    }
    const std::vector<std::string> names{"y"};
    VerdictContext context;
    context.names = names;
    return trivial_answers(*find_rule("kbench"), context, gate, copies).names;
  }
  const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8};
};

TEST_F(Gate, RandomAnswersPassNothing) {
  EXPECT_EQ(passing({{x, {3, 1, 4, 1, 5, 9, 2, 6}}, {x, {2, 7, 1, 8, 2, 8, 1, 8}}}), Names{});
}

TEST_F(Gate, NamesWhatPasses) {
  const std::vector<float> zeros(8), rows{1, 1, 1, 1, 2, 2, 2, 2};
  EXPECT_EQ(passing({{x, zeros}}), (Names{"zeros", "mean", "mean of each row"}));
  EXPECT_EQ(passing({{x, std::vector<float>(8, 1)}}), (Names{"ones", "mean", "mean of each row"}));
  EXPECT_EQ(passing({{x, rows}}), Names{"mean of each row"});
  EXPECT_EQ(passing({{x, x}}), Names{"copy of x"});
  const std::vector<float> y{3, 1, 4, 1, 5, 9, 2, 6};
  EXPECT_EQ(passing({{x, y}, {x, y}}), Names{"previous answer"});
  EXPECT_EQ(passing({{x, {1, 1.001F, 1, 0.999F, 1, 1, 1, 1}}}, 0.01).size(), 3U);  // all are near
}

TEST_F(Gate, ACopyIsNoWeaknessWhereTheOperationCopies) {
  EXPECT_EQ(passing({{x, x}}, 0x1p-24, true), Names{});
  const std::vector<float> zeros(8);
  EXPECT_EQ(passing({{zeros, zeros}}, 0x1p-24, true), (Names{"zeros", "mean", "mean of each row"}));
}

TEST_F(Gate, OneTrialThatTellsIsEnough) {
  const std::vector<float> zeros(8), y{3, 1, 4, 1, 5, 9, 2, 6};
  EXPECT_EQ(passing({{x, zeros}, {x, y}}), Names{});
}

TEST(GateOfSeveral, EachOutputIsNamed) {
  const std::vector<std::int32_t> zeros(3), ids{1, 2, 3};
  const std::vector<TensorView> answers{view(DType::int32, ids, {3}),
                                        view(DType::int32, zeros, {3})};
  const std::vector<Standard> none(2);
  const std::vector<std::string> names{"ids", "flags"};
  VerdictContext context;
  context.names = names;
  const std::vector<GateTrial> trials{{{}, answers, none}};
  const TrivialAnswers found = trivial_answers(*find_rule("kbench"), context, trials);
  EXPECT_EQ(found.names, (Names{"flags: zeros", "flags: mean"}));
  EXPECT_FALSE(found.everywhere);  // these are wrong in the other output
}

TEST(GateOfSeveral, NothingIsToldWhereEachOutputHasOne) {
  const std::vector<std::int32_t> zeros(3), ones(3, 1);
  const std::vector<TensorView> answers{
      view(DType::int32, zeros, {3}), view(DType::int32, ones, {3}), view(DType::int32, ones, {3})};
  const std::vector<std::string> names{"a", "b", "kept"};
  VerdictContext context;
  context.names = names;
  std::vector<Standard> nobody_knows(3);
  nobody_knows[2] = Anything{};
  const std::vector<GateTrial> trials{{{}, answers, nobody_knows}};
  const TrivialAnswers found = trivial_answers(*find_rule("kbench"), context, trials);
  EXPECT_EQ(found.names, (Names{"a: zeros", "a: mean", "b: ones", "b: mean"}));
  EXPECT_TRUE(found.everywhere);
}

}  // namespace
}  // namespace kbench

#include "judge/derive/gradient_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/derive/cotangents.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

Problem norm() {
  Problem out;
  out.axes.items = {{"rows", 3}, {"n", 4}};
  out.inputs = {{{"x", DType::bfloat16, false, {3, 4}}, RandomInput{}},
                {{"weight", DType::float32, false, {4}}, RandomInput{}},
                {{"ids", DType::int32, false, {3}}, RandomInput{}},
                {{"eps", DType::float32, true, {}}, RandomInput{}}};
  out.outputs = {{"y", DType::bfloat16, false, {3, 4}}, {"best", DType::int64, false, {3}}};
  return out;
}

std::vector<std::string> names_of(const std::vector<InputPlan>& inputs) {
  std::vector<std::string> out;
  for (const InputPlan& input : inputs) out.push_back(input.tensor.name);
  return out;
}

std::vector<std::string> names_of(const std::vector<TensorPlan>& tensors) {
  std::vector<std::string> out;
  for (const TensorPlan& tensor : tensors) out.push_back(tensor.name);
  return out;
}

using Names = std::vector<std::string>;

TEST(GradientProblem, HasResidualsInputsOutputsAndCotangentsInOrder) {
  const GradientProblem g =
      gradient_problem(norm(), {{}, {{"rstd", {"rows"}, DType::float32, {}}}});
  EXPECT_EQ(names_of(g.forward.inputs), (Names{"x", "weight", "ids", "eps"}));
  EXPECT_EQ(names_of(g.forward.outputs), (Names{"y", "best", "rstd"}));
  EXPECT_EQ(names_of(g.backward.inputs),
            (Names{"rstd", "x", "weight", "ids", "eps", "y", "best", "d_y"}));
  EXPECT_EQ(names_of(g.backward.outputs), (Names{"d_x", "d_weight"}));
  EXPECT_EQ(g.forward.outputs.back().shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(g.backward.outputs.front().dtype, DType::bfloat16);
}

TEST(GradientProblem, LeavesOutWhatIsDeclaredNondiff) {
  const GradientProblem g = gradient_problem(norm(), {{{"weight", {}}}, {}});
  EXPECT_EQ(names_of(g.backward.outputs), (Names{"d_x"}));
  EXPECT_EQ(g.nondiff, (std::vector<std::size_t>{1}));
}

TEST(GradientProblem, NamesNoTwoTensorsAlike) {
  Problem problem = norm();
  problem.outputs[0].name = "x";  // as of an operator in place
  problem.inputs[1].tensor.name = "d_x";
  const GradientProblem g = gradient_problem(problem, {});
  EXPECT_EQ(names_of(g.backward.inputs), (Names{"x", "d_x", "ids", "eps", "x_", "best", "d_x_"}));
  EXPECT_EQ(names_of(g.backward.outputs), (Names{"d_x__", "d_d_x"}));
}

TEST(Cotangents, AreNeverAllOnes) {
  const GradientProblem g = gradient_problem(norm(), {});
  const auto all = cotangents_for(g, 7);
  ASSERT_EQ(all.size(), 3U);  // random, one-hot at a random element, one-hot at the last
  EXPECT_EQ(all[0].label, "random");
  EXPECT_EQ(all[2].label, "one-hot y[2, 3]");
  for (const Cotangent& cotangent : all) {
    ASSERT_EQ(cotangent.tensors.size(), 1U) << "of the floating output alone";
    const std::vector<double> values = decoded(cotangent.tensors[0].tensor);
    EXPECT_FALSE(std::all_of(values.begin(), values.end(), [](double v) { return v == 1; }));
  }
  const std::vector<double> last = decoded(all[2].tensors[0].tensor);
  EXPECT_EQ(std::count(last.begin(), last.end(), 0.0), 11);
  EXPECT_EQ(last.back(), 1);
}

TEST(Cotangents, DependOnTheSeedAndTheDraw) {
  const GradientProblem g = gradient_problem(norm(), {});
  EXPECT_EQ(random_cotangent(g, 1, 0).bytes, random_cotangent(g, 1, 0).bytes);
  EXPECT_NE(random_cotangent(g, 1, 0).bytes, random_cotangent(g, 2, 0).bytes);
  EXPECT_NE(random_cotangent(g, 1, 0).bytes, random_cotangent(g, 1, 1).bytes);
}

TEST(Cotangents, AddUpAndScaleExactly) {
  const GradientProblem g = gradient_problem(norm(), {});
  const Cotangent own = random_cotangent(g, 3, 0);
  const Summands parts = summands(own);
  const auto value = [](const Cotangent& c) { return decoded(c.tensors[0].tensor); };
  const auto a = value(own), b = value(parts.part), sum = value(parts.sum);
  bool is_mixed = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i] + b[i], sum[i]);
    is_mixed |= b[i] != b[0];
    EXPECT_EQ(value(scaled(own, 6))[i], 64 * a[i]);
    EXPECT_EQ(value(zero_cotangent(g))[i], 0);
  }
  EXPECT_TRUE(is_mixed) << "the part is neither all nor nothing";
}

}  // namespace
}  // namespace kbench

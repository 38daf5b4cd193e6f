#include "judge/operand_sizes.hpp"

#include <gtest/gtest.h>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

// a [M, K] = [2, 2], s [M] and b [K]; what of them comes into an output.
struct OperandSizes : testing::Test {
  Case c{"def run(a, s, b):\n    return a\n"};
  OperandSizes() {
    c.tensor("a", DType::float32, {2, 2}, std::vector<float>{3, 4, 0, 1});
    c.tensor("s", DType::float32, {2}, std::vector<float>{1, -7});
    c.tensor("b", DType::float32, {2}, std::vector<float>{100, 100});
    c.seal();
    c.definition.inputs["a"].shape = {"M", "K"};
    c.definition.inputs["s"].shape = {"M"};
    c.definition.inputs["b"].shape = {"K"};
  }
  std::vector<double> of(const std::vector<std::string>& names, std::vector<std::int64_t> shape) {
    TensorSpec spec;
    spec.shape = names;
    TensorPlan plan;
    plan.shape = std::move(shape);
    return operand_sizes(c.definition, spec, plan, c.inputs);
  }
};

TEST_F(OperandSizes, AreOfTheAxesThatAreShared) {
  const double first = std::sqrt(12.5), second = 7;
  EXPECT_EQ(of({"M"}, {2}), (std::vector<double>{first, second}));
  EXPECT_EQ(of({"M", "N"}, {2, 5}), (std::vector<double>{first, second}));
  EXPECT_EQ(of({"M", "K"}, {2, 2}), (std::vector<double>{3, 4, 7, 7}));
  EXPECT_EQ(of({"N"}, {5}), std::vector<double>());
}

}  // namespace
}  // namespace kbench

#include "judge/contraction.hpp"

#include <gtest/gtest.h>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class Contraction : public ExactTest {
 protected:
  // Tells whether `expression` is a contraction of a [M, K] = [6, 20] and b [N, K] = [5, 20].
  static bool is_one(const std::string& expression) {
    Case c("import torch\ndef run(a, b):\n    return " + expression + "\n");
    c.tensor("a", DType::bfloat16, {6, 20}, stored(DType::bfloat16, numbers(120, 1)));
    c.tensor("b", DType::bfloat16, {5, 20}, stored(DType::bfloat16, numbers(100, 2)));
    c.output("c", DType::bfloat16).seal();
    c.problem.axes["M"] = 6;
    c.problem.axes["N"] = 5;
    c.problem.axes["K"] = 20;
    c.definition.inputs["a"].shape = {"M", "K"};
    c.definition.inputs["b"].shape = {"N", "K"};
    c.definition.outputs["c"].shape = {"M", "N"};
    for (const char* name : {"a", "b"}) c.definition.inputs[name].dtype = DType::bfloat16;
    const ReferenceAnswer answer = evaluate(EvaluatorChoice::libtorch, c);
    EXPECT_TRUE(answer.exact.has_value()) << answer.message << answer.exact_absent;
    return answer.exact && is_contraction(c.definition, c.problem, c.inputs, *answer.exact);
  }
};

TEST_F(Contraction, IsWhatItComputes) {
  EXPECT_TRUE(is_one("(a.float() @ b.float().T).to(torch.bfloat16)"));
  EXPECT_TRUE(is_one("torch.einsum('mk,nk->mn', a, b)"));
}

TEST_F(Contraction, AnythingMoreShows) {
  EXPECT_FALSE(is_one("torch.relu(a @ b.T)"));
  EXPECT_FALSE(is_one("torch.nn.functional.gelu(a @ b.T)"));
  EXPECT_FALSE(is_one("(a @ b.T) * 0.5"));
  EXPECT_FALSE(is_one("(a @ b.T) + b.float().sum()"));
}

TEST(NamedContraction, NeedsTwoTensorsAndNoFunction) {
  Definition definition;
  definition.op_type = "grouped_gemm";
  definition.reference = "def run(a, b, first):\n    return a @ b\n";
  for (const char* name : {"a", "b"}) {
    definition.inputs[name].shape = {"M", "K"};
    definition.inputs[name].dtype = DType::bfloat16;
  }
  definition.inputs["first"].shape = {"G"};
  definition.inputs["first"].dtype = DType::int32;
  EXPECT_TRUE(is_named_contraction(definition));
  definition.reference = "def run(a, b, first):\n    return torch.relu(a @ b)\n";
  EXPECT_FALSE(is_named_contraction(definition));
  definition.reference = "def run(a, b, first):\n    return a @ b\n";
  definition.op_type = "moe";
  EXPECT_FALSE(is_named_contraction(definition));
}

// Sizes of operands a [M, K] = [2, 2], s [M] and b [K] along the axes of an output.
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

// Uses of integer inputs that a call shows, by both evaluators, and answers that do not follow from
// the inputs.
#include <gtest/gtest.h>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class InputWatchTest : public ExactTest {
 protected:
  // Calls run(x, t) with 64 float32 and 8 int64: 0 to 7.
  static ReferenceAnswer call(EvaluatorChoice choice, const std::string& body) {
    Case c("import torch\nimport torch.nn.functional as F\ndef run(x, t):\n" + body);
    c.tensor("x", DType::float32, {8, 8}, stored(DType::float32, numbers(64)));
    c.tensor("t", DType::int64, {8}, stored(DType::int64, {0, 1, 2, 3, 4, 5, 6, 7}));
    c.output("y").seal();
    return evaluator(choice).evaluate(c.definition, c.problem, c.inputs, {.watch = true});
  }
  static void expect_compared(const std::string& body, const std::vector<std::int64_t>& wanted) {
    for (const EvaluatorChoice choice : both_evaluators) {
      const ReferenceAnswer answer = call(choice, body);
      ASSERT_EQ(answer.watched.uses.size(), 2U) << body << answer.message;
      EXPECT_EQ(answer.watched.uses[1].compared, wanted) << body << name_of(choice);
    }
  }
  static void expect_index(const std::string& body, std::optional<std::int64_t> wanted) {
    for (const EvaluatorChoice choice : both_evaluators) {
      const ReferenceAnswer answer = call(choice, body);
      ASSERT_EQ(answer.watched.uses.size(), 2U) << body << answer.message;
      EXPECT_EQ(answer.watched.uses[1].index_of, wanted) << body << name_of(choice);
    }
  }
  static void expect_need(const std::string& body, std::size_t input, InputNeed wanted) {
    for (const EvaluatorChoice choice : both_evaluators) {
      const ReferenceAnswer answer = call(choice, body);
      ASSERT_EQ(answer.watched.uses.size(), 2U) << body << answer.message;
      EXPECT_EQ(answer.watched.uses[input].need, wanted) << body << name_of(choice);
    }
  }
  static void expect_unsteady(const std::string& body, const std::string& wanted) {
    for (const EvaluatorChoice choice : both_evaluators)
      EXPECT_EQ(call(choice, body).watched.unsteady, wanted) << body << name_of(choice);
  }
};

TEST_F(InputWatchTest, ConstantsThatElementsAreHeldAgainst) {
  expect_compared("    return torch.where(t == 5, x, -x)\n", {5});
  expect_compared("    return torch.where((t.view(8, 1) != 3) | (t == 2), x, -x)\n", {3, 2});
  expect_compared("    return F.cross_entropy(x, t, ignore_index=-1)\n", {-1});
  expect_compared("    return F.cross_entropy(x, t)\n", {-100});
  expect_compared("    return torch.where(t > 5, x, x * (t + 1 == 9))\n", {});
}

TEST_F(InputWatchTest, WhatElementsIndex) {
  expect_index("    return x[t]\n", 8);
  expect_index("    return x.view(4, 16)[torch.where(t < 4, t, 0)]\n", 4);
  expect_index("    return x[:, :5].gather(1, t.view(8, 1) % 5 + x[:, :1].long())\n", std::nullopt);
  expect_index("    return F.embedding(t.view(2, 4), x)\n", 8);
  expect_index("    y = torch.zeros(9)\n    y[t] = x[0]\n    return y\n", 9);
  expect_index("    return x[:4][t]\n", 4);  // a failed call says as much
}

TEST_F(InputWatchTest, FormsThatOperatorsNeed) {
  expect_need("    return t // 3\n", 1, InputNeed::none);
  expect_need("    return torch.arange(8) % t\n", 1, InputNeed::not_zero);
  expect_need("    return torch.searchsorted(t, t)\n", 1, InputNeed::sorted);
  expect_need("    return torch.bucketize(t, x[0])\n", 0, InputNeed::sorted);
  expect_need("    return torch.linalg.eigvalsh(x)\n", 0, InputNeed::symmetric);
  expect_need("    return torch.linalg.cholesky(x)\n", 0, InputNeed::definite);
  expect_need("    return torch.linalg.eigvalsh(x + x.T)\n", 0, InputNeed::none);
}

TEST_F(InputWatchTest, AnswersThatDoNotFollowFromTheInputs) {
  expect_unsteady("    return x + torch.rand_like(x)\n", "rand_like");
  expect_unsteady("    y = torch.empty_like(x)\n    y[1:] = x[1:]\n    return y\n", "empty_like");
  expect_unsteady("    y = torch.empty_like(x)\n    y[:] = x\n    return y\n", "");
  expect_unsteady("    torch.manual_seed(3)\n    return x + torch.rand(8)\n", "");
  expect_unsteady("    return torch.multinomial(x.abs(), 1)\n", "");
}

TEST_F(InputWatchTest, IntegersThatAreTooLarge) {
  for (const EvaluatorChoice choice : both_evaluators) {
    EXPECT_FALSE(call(choice, "    return t * 1152921504606846976 + 3\n").watched.wraps);
    EXPECT_TRUE(call(choice, "    return t * 2305843009213693952 + 3\n").watched.wraps);
    EXPECT_TRUE(call(choice, "    return (t * 1073741824).to(torch.int32)\n").watched.wraps);
    EXPECT_TRUE(call(choice, "    return (t + 2305843009213693952).sum()\n").watched.wraps);
  }
}

}  // namespace
}  // namespace kbench

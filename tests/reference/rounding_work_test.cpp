// Sums that a reference makes, and errors that all of its outputs share.
#include <gtest/gtest.h>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

struct Seen {
  double longest = 0;
  bool shares = false;
  int runs = 0;
};

class RoundingWork : public ExactTest {
 protected:
  // Evaluates run(x, w) with x float32 [4, 10] and w float32 [10, 6].
  static Seen seen(EvaluatorChoice choice, const std::string& expression, double budget = 0) {
    Case c("import torch\ndef run(x, w):\n    return " + expression + "\n");
    c.tensor("x", DType::float32, {4, 10}, stored(DType::float32, numbers(40)));
    c.tensor("w", DType::float32, {10, 6}, stored(DType::float32, numbers(60, 2)));
    c.output("y", DType::float32).seal();
    const ReferenceAnswer answer = evaluator(choice).evaluate(
        c.definition, c.problem, c.inputs, {.watch = true}, {true, 4, 48, budget, {}});
    EXPECT_TRUE(answer.exact.has_value()) << answer.message << answer.exact_absent;
    if (!answer.exact) return {};
    return {answer.exact->longest_sum, answer.exact->shares_an_error, answer.exact->perturbed_runs};
  }
};

TEST_F(RoundingWork, SumsAreAsLongAsTheirOperatorsMakeThem) {
  const std::pair<const char*, double> cases[] = {
      {"torch.exp(x) * 2 + 1", 1},
      {"x @ w", 10},
      {"torch.nn.functional.linear(x, w.T)", 10},
      {"torch.einsum('ab,bc->ac', x, w)", 10},
      {"x.sum(dim=0)", 4},
      {"x.mean()", 40},
      {"torch.softmax(x, dim=0)", 4},
      {"torch.log_softmax(x, dim=-1)", 10},
      {"torch.logsumexp(x, dim=1)", 10},
      {"torch.cumsum(x, dim=0)", 4},
      {"torch.nn.functional.layer_norm(x, (10,))", 10},
      {"x / x.norm()", 40},
      {"x.amax(dim=-1)", 1},
      {"torch.round(x * 9).sum(dim=0)", 1},  // whole numbers: no term is rounded
      {"torch.round(x * 9).norm()", 1},
      {"(torch.round(x * 9) * 1e8).sum()", 40},  // float32 has no such sum
      {"torch.nn.functional.scaled_dot_product_attention(x, x[:3].repeat(5, 1), x[:3].repeat(5, "
       "1))",
       15},
  };
  for (const EvaluatorChoice choice : both_evaluators) {
    for (const auto& [text, terms] : cases)
      EXPECT_EQ(seen(choice, text).longest, terms) << name_of(choice) << ": " << text;
  }
}

TEST_F(RoundingWork, OneNumberThatIsCalculatedIsShared) {
  for (const EvaluatorChoice choice : both_evaluators) {
    EXPECT_TRUE(seen(choice, "x / x.norm()").shares);
    EXPECT_TRUE(seen(choice, "x * torch.exp(w[0, 0])").shares);
    EXPECT_FALSE(seen(choice, "x * 0.3").shares);
    EXPECT_FALSE(seen(choice, "x * w[0, 0]").shares);  // an input's own number is exact
    EXPECT_FALSE(seen(choice, "x / x.sum(dim=-1, keepdim=True)").shares);
    EXPECT_FALSE(seen(choice, "x / x.abs().max()").shares);  // a maximum is, too
  }
}

TEST_F(RoundingWork, RunsAreCountedByWorkAndNotByTheClock) {
  EXPECT_EQ(seen(EvaluatorChoice::libtorch, "x @ w", 0).runs, 4);
  EXPECT_EQ(seen(EvaluatorChoice::libtorch, "x @ w", 1).runs, 48);
  const double a_call = 1e-5;  // the least that an operator counts
  const int some = seen(EvaluatorChoice::libtorch, "torch.exp(torch.exp(x))", 25 * a_call).runs;
  EXPECT_GT(some, 4);
  EXPECT_LE(some, 12);
}

}  // namespace
}  // namespace kbench

// What happened on the way to an output, as the double run sees it.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class ValueFlow : public ExactTest, public testing::WithParamInterface<EvaluatorChoice> {
 protected:
  // run(x, w, v) with x and w bfloat16 [4, 8] and [8, 8], v float32 [8, 8], and two outputs.
  static ReferenceAnswer answer(EvaluatorChoice choice, const std::string& body) {
    Case c("import torch\ndef run(x, w, v):\n" + body);
    c.tensor("x", DType::bfloat16, {4, 8}, stored(DType::bfloat16, numbers(32)));
    c.tensor("w", DType::bfloat16, {8, 8}, stored(DType::bfloat16, numbers(64, 2)));
    c.tensor("v", DType::float32, {8, 8}, stored(DType::float32, numbers(64, 3)));
    c.output("a", DType::float32).output("b", DType::float32).seal();
    ReferenceAnswer out =
        evaluator(choice).evaluate(c.definition, c.problem, c.inputs, {}, {true, 4, 48, 0.01, {}});
    EXPECT_TRUE(out.exact.has_value()) << out.message << out.exact_absent;
    return out;
  }
  static double largest(std::span<const double> numbers) {
    double out = 0;
    for (const double number : numbers) out = std::max(out, number);
    return out;
  }
};

// Operands of the scores are inputs; the probabilities of the second product are not.
TEST_P(ValueFlow, AttentionRoundsItsProbabilitiesAndNotItsScores) {
  const ReferenceAnswer found =
      answer(GetParam(),
             "    s = x.float() @ w.float().T * 0.3\n"
             "    return torch.logsumexp(s, -1), torch.softmax(s, -1) @ v\n");
  ASSERT_TRUE(found.exact);
  EXPECT_FALSE(found.exact->outputs[0].after_product);
  ASSERT_EQ(found.exact->outputs[0].roundings.size(), 4U);
  EXPECT_LT(largest(found.exact->outputs[0].roundings), 0x1p-20);
  EXPECT_TRUE(found.exact->outputs[1].after_product);
  ASSERT_EQ(found.exact->outputs[1].roundings.size(), 32U);
  const double off = largest(found.exact->outputs[1].roundings);
  EXPECT_GT(off, 0x1p-15);  // probabilities in bfloat16 are 1 together, and v is about 1
  EXPECT_LT(off, 0x1p-5);
  EXPECT_GE(found.exact->rounded_runs, 4);
}

TEST_P(ValueFlow, FollowsLoopsBuffersAndLists) {
  const ReferenceAnswer found = answer(GetParam(),
                                       "    a = torch.zeros(4, 8)\n"
                                       "    b = []\n"
                                       "    for i in range(4):\n"
                                       "        h = torch.relu(x[i].float() @ w.float())\n"
                                       "        a[i] = torch.tanh(h) @ v\n"
                                       "        b.append(h)\n"
                                       "    return a, torch.stack(b)\n");
  ASSERT_TRUE(found.exact);
  EXPECT_TRUE(found.exact->outputs[0].after_product);
  EXPECT_FALSE(found.exact->outputs[1].after_product);
}

// What is only moved or made positive has no other digits than before.
TEST_P(ValueFlow, InputsStayInputs) {
  const ReferenceAnswer found =
      answer(GetParam(),
             "    y = torch.cat([x.float()[:, :4], x.float()[:, 4:]], -1).abs()\n"
             "    return y.reshape(4, 8) @ w.float()[:, :8].contiguous(), (x.float() * 0.3) @ "
             "w.float()\n");
  ASSERT_TRUE(found.exact);
  EXPECT_FALSE(found.exact->outputs[0].after_product);
  EXPECT_TRUE(found.exact->outputs[1].after_product);
}

TEST_P(ValueFlow, KnowsWhichOutputsAreMadeOfCodes) {
  const ReferenceAnswer found =
      answer(GetParam(),
             "    s = x.float().abs().amax(-1, keepdim=True) / 127\n"
             "    return s.expand(4, 8), torch.round(x.float() / s) * s\n");
  ASSERT_TRUE(found.exact);
  EXPECT_TRUE(found.exact->makes_codes);
  EXPECT_FALSE(found.exact->outputs[0].after_codes);
  EXPECT_TRUE(found.exact->outputs[1].after_codes);
}

// 1 + erf(-4) and log Σ e^x lose digits inside of one operator; a row shares its normaliser.
TEST_P(ValueFlow, OperatorsRoundInsideWhereDigitsCancel) {
  const ReferenceAnswer found = answer(GetParam(),
                                       "    y = torch.nn.functional.gelu(x.float() * 0 - 4)\n"
                                       "    a = torch.log_softmax(v + 100, -1)\n"
                                       "    return y, (torch.softmax(v, -1) * a).sum(-1)\n");
  ASSERT_TRUE(found.exact);
  const ExactTensor& gelu = found.exact->outputs[0];
  const ExactTensor& entropy = found.exact->outputs[1];
  ASSERT_EQ(gelu.roundings.size(), 32U);
  EXPECT_GT(largest(gelu.roundings), 0x1p-24);
  EXPECT_LT(largest(gelu.roundings), 0x1p-21);
  ASSERT_EQ(entropy.roundings.size(), 8U);
  EXPECT_GT(largest(entropy.roundings), 100 * 0x1p-26);
  EXPECT_LT(largest(entropy.roundings), 100 * 0x1p-21);
}

TEST_P(ValueFlow, KnowsWhatConsistsOfSums) {
  const ReferenceAnswer sums = answer(GetParam(),
                                      "    a = torch.zeros(4, 8)\n"
                                      "    a[torch.tensor([1])] = x.float().sum(0)\n"
                                      "    return a, x.float() @ w.float()\n");
  ASSERT_TRUE(sums.exact);
  EXPECT_TRUE(sums.exact->outputs[0].only_sums);
  EXPECT_TRUE(sums.exact->outputs[1].only_sums);
  const ReferenceAnswer others = answer(GetParam(),
                                        "    a = (x.float() * w.float()[:4]).sum(0)\n"
                                        "    return a, torch.exp(x.float()).sum(0)\n");
  ASSERT_TRUE(others.exact);
  EXPECT_FALSE(others.exact->outputs[0].only_sums);
  EXPECT_FALSE(others.exact->outputs[1].only_sums);
}

INSTANTIATE_TEST_SUITE_P(Evaluators, ValueFlow,
                         testing::Values(EvaluatorChoice::libtorch, EvaluatorChoice::python));

}  // namespace
}  // namespace kbench

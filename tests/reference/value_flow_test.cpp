// Operations on the way to an output, as the double run sees them.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class ValueFlowInPython : public ExactTest {
 protected:
  // Evaluates run(x, w, v) with x and w bfloat16 [4, 8] and [8, 8], v float32 [8, 8], and two
  // outputs of the dtype `made`.
  static ExactAnswer answer(EvaluatorChoice choice, const std::string& body,
                            DType made = DType::float32) {
    Case c("import torch\ndef run(x, w, v):\n" + body);
    c.tensor("x", DType::bfloat16, {4, 8}, stored(DType::bfloat16, numbers(32)));
    c.tensor("w", DType::bfloat16, {8, 8}, stored(DType::bfloat16, numbers(64, 2)));
    c.tensor("v", DType::float32, {8, 8}, stored(DType::float32, numbers(64, 3)));
    c.output("a", made).output("b", made).seal();
    ReferenceAnswer out =
        evaluator(choice).evaluate(c.definition, c.problem, c.inputs, {}, {true, 4, 48, 0.01, {}});
    if (!out.exact) throw std::runtime_error(body + out.message + out.exact_absent);
    return std::move(*out.exact);
  }
  static double largest(std::span<const double> numbers) {
    double out = 0;
    for (const double number : numbers) out = std::max(out, number);
    return out;
  }
};

class ValueFlow : public ValueFlowInPython, public testing::WithParamInterface<EvaluatorChoice> {};

// Operands of the scores are inputs; the probabilities of the second product are not.
TEST_P(ValueFlow, AttentionRoundsItsProbabilitiesAndNotItsScores) {
  const ExactAnswer found = answer(GetParam(),
                                   "    s = x.float() @ w.float().T * 0.3\n"
                                   "    return torch.logsumexp(s, -1), torch.softmax(s, -1) @ v\n");
  EXPECT_FALSE(found.outputs[0].after_product);
  ASSERT_EQ(found.outputs[0].roundings.size(), 4U);
  EXPECT_LT(largest(found.outputs[0].roundings), 0x1p-20);
  EXPECT_TRUE(found.outputs[1].after_product);
  ASSERT_EQ(found.outputs[1].roundings.size(), 32U);
  const double off = largest(found.outputs[1].roundings);
  EXPECT_GT(off, 0x1p-15);  // probabilities in bfloat16 are 1 together, and v is about 1
  EXPECT_LT(off, 0x1p-5);
  EXPECT_GE(found.rounded_runs, 4);
}

TEST_P(ValueFlow, FollowsLoopsBuffersAndLists) {
  const ExactAnswer found = answer(GetParam(),
                                   "    a = torch.zeros(4, 8)\n"
                                   "    b = []\n"
                                   "    for i in range(4):\n"
                                   "        h = torch.relu(x[i].float() @ w.float())\n"
                                   "        a[i] = torch.tanh(h) @ v\n"
                                   "        b.append(h)\n"
                                   "    return a, torch.stack(b)\n");
  EXPECT_TRUE(found.outputs[0].after_product);
  EXPECT_FALSE(found.outputs[1].after_product);
}

// Numbers that are only moved or made positive have no other digits than before.
TEST_P(ValueFlow, InputsStayInputs) {
  const ExactAnswer found =
      answer(GetParam(),
             "    y = torch.cat([x.float()[:, :4], x.float()[:, 4:]], -1).abs()\n"
             "    return y.reshape(4, 8) @ w.float()[:, :8].contiguous(), (x.float() * 0.3) @ "
             "w.float()\n");
  EXPECT_FALSE(found.outputs[0].after_product);
  EXPECT_TRUE(found.outputs[1].after_product);
}

TEST_P(ValueFlow, KnowsWhichOutputsAreMadeOfCodes) {
  const ExactAnswer found = answer(GetParam(),
                                   "    s = x.float().abs().amax(-1, keepdim=True) / 127\n"
                                   "    return s.expand(4, 8), torch.round(x.float() / s) * s\n");
  EXPECT_TRUE(found.makes_codes);
  EXPECT_FALSE(found.outputs[0].after_codes);
  EXPECT_TRUE(found.outputs[1].after_codes);
}

// Ranks, counts and picks of values: the comparisons are of inputs' own elements, and of what the
// reference itself converts by name.
TEST_P(ValueFlow, ComparisonsOfInputsAreCertain) {
  const std::string certain[] = {
      "(v.unsqueeze(-1) > v.unsqueeze(-2)).sum(-1)",
      "(v.unsqueeze(-1) > v.unsqueeze(-2)).float().sum(-1).to(torch.int64)",
      "(x > 0.5).sum(-1)",
      "torch.where(v >= v.amax(-1, keepdim=True), 1, 0).cumsum(-1)",
      "torch.where(v == v[0], torch.ones_like(v), torch.zeros_like(v)).long()",
      "(v.to(torch.bfloat16) > 0).sum(-1)"};
  for (const std::string& of : certain) {
    const ExactAnswer found =
        answer(GetParam(), "    a = " + of + "\n    return a, a + 1\n", DType::int64);
    EXPECT_FALSE(found.outputs[0].is_uncertain) << of;
    EXPECT_FALSE(found.outputs[1].is_uncertain) << of;
    EXPECT_TRUE(found.outputs[0].moved.empty()) << of;
  }
}

// 0.3 is another number in bfloat16; a rounded number may fall on either side; of equal numbers an
// operator may take any; and a number that Python read decides what nobody sees.
TEST_P(ValueFlow, WhatIsRoundedBeforeItIsComparedIsUncertain) {
  const std::string uncertain[] = {"(x > 0.3).sum(-1)",
                                   "(v * 3 > 1).sum(-1)",
                                   "(v > v.mean()).sum(-1)",
                                   "torch.argsort(torch.argsort(x, -1), -1)",
                                   "torch.floor(v * 100).long()",
                                   "torch.arange(8) + int((v * 3).sum().item() > 0)",
                                   "torch.histc(v, 4, -1.0, 1.0).long()"};
  for (const std::string& of : uncertain) {
    const ExactAnswer found =
        answer(GetParam(), "    a = " + of + "\n    return a, a + 1\n", DType::int64);
    EXPECT_TRUE(found.outputs[1].is_uncertain) << of;
  }
}

// 1 + erf(-4) and log Σ e^x lose digits inside of one operator; a row shares its normaliser.
TEST_P(ValueFlow, OperatorsRoundInsideWhereDigitsCancel) {
  const ExactAnswer found = answer(GetParam(),
                                   "    y = torch.nn.functional.gelu(x.float() * 0 - 4)\n"
                                   "    a = torch.log_softmax(v + 100, -1)\n"
                                   "    return y, (torch.softmax(v, -1) * a).sum(-1)\n");
  const ExactTensor& gelu = found.outputs[0];
  const ExactTensor& entropy = found.outputs[1];
  ASSERT_EQ(gelu.roundings.size(), 32U);
  EXPECT_GT(largest(gelu.roundings), 0x1p-24);
  EXPECT_LT(largest(gelu.roundings), 0x1p-21);
  ASSERT_EQ(entropy.roundings.size(), 8U);
  EXPECT_GT(largest(entropy.roundings), 100 * 0x1p-26);
  EXPECT_LT(largest(entropy.roundings), 100 * 0x1p-21);
}

// Terms of both signs are larger than their sum, and so is what is rounded on the way to it.
TEST_P(ValueFlow, SumsRoundWhatTheyHaveAddedUp) {
  const ExactAnswer found = answer(GetParam(),
                                   "    t = torch.tensor([1.0, -1.0]).repeat(32).view(8, 8)\n"
                                   "    y = 1.1 + v * 0\n"
                                   "    return (y * t).sum(-1), (y * t).mean((0, 1))\n");
  const ExactTensor& sum = found.outputs[0];
  const ExactTensor& mean = found.outputs[1];
  ASSERT_EQ(sum.roundings.size(), 8U);
  EXPECT_GT(largest(sum.roundings), 0x1p-23);  // 8 / √6 of 2^-24, and the terms' own
  EXPECT_LT(largest(sum.roundings), 0x1p-20);
  ASSERT_EQ(mean.roundings.size(), 1U);
  EXPECT_GT(largest(mean.roundings), 0x1p-27);
  EXPECT_LT(largest(mean.roundings), 0x1p-23);
}

TEST_P(ValueFlow, SumsOfWholeNumbersRoundNothing) {
  const ExactAnswer found = answer(GetParam(),
                                   "    y = torch.arange(64.0).view(8, 8) + v * 0\n"
                                   "    return (y * y).sum(-1), (y * 0.3).sum(-1)\n");
  EXPECT_EQ(largest(found.outputs[0].roundings), 0);
  EXPECT_GT(largest(found.outputs[1].roundings), 0);
}

// The place of the last of 64 elements is about 7, and the numbers rise by 1 from one to the next.
// TorchScript has no interpolate.
TEST_F(ValueFlowInPython, ResizingRoundsPlaces) {
  const ExactAnswer found =
      answer(EvaluatorChoice::python,
             "    y = torch.arange(8.0) - 6 + v[0] * 0\n"
             "    z = torch.nn.functional.interpolate(y[None, None], size=64, mode='linear')\n"
             "    return z, y\n");
  const ExactTensor& resized = found.outputs[0];
  ASSERT_EQ(resized.roundings.size(), 64U);
  EXPECT_GT(resized.roundings[48], 2 * 0x1p-24);  // 6 / √3 at least, where the number is near 0
  EXPECT_LT(resized.roundings[48], 16 * 0x1p-24);
  EXPECT_LT(resized.roundings[8], 6 * 0x1p-24);
}

TEST_P(ValueFlow, KnowsWhatConsistsOfSums) {
  const ExactAnswer sums = answer(GetParam(),
                                  "    a = torch.zeros(4, 8)\n"
                                  "    a[torch.tensor([1])] = x.float().sum(0)\n"
                                  "    return a, x.float() @ w.float()\n");
  EXPECT_TRUE(sums.outputs[0].only_sums);
  EXPECT_TRUE(sums.outputs[1].only_sums);
  const ExactAnswer others = answer(GetParam(),
                                    "    a = (x.float() * w.float()[:4]).sum(0)\n"
                                    "    return a, torch.exp(x.float()).sum(0)\n");
  EXPECT_FALSE(others.outputs[0].only_sums);
  EXPECT_FALSE(others.outputs[1].only_sums);
}

INSTANTIATE_TEST_SUITE_P(Evaluators, ValueFlow,
                         testing::Values(EvaluatorChoice::libtorch, EvaluatorChoice::python));

}  // namespace
}  // namespace kbench

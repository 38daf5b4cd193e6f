// The double-precision answer: what is mapped, what is not, and the condition estimate beside it.
#include <gtest/gtest.h>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class Exact : public ExactTest {
 protected:
  // Runs run(x) with x of `dtype`, by both evaluators; returns the outputs, the same for both.
  static std::vector<std::vector<double>> answers(const std::string& text,
                                                  const std::vector<double>& x,
                                                  DType dtype = DType::float32, int outputs = 1) {
    std::vector<std::vector<double>> first;
    for (const EvaluatorChoice choice : both_evaluators) {
      Case c("import math\nimport torch\nimport torch.nn.functional as F\n" + text);
      c.tensor("x", dtype, {static_cast<std::int64_t>(x.size())}, stored(dtype, x));
      for (int i = 0; i < outputs; ++i) c.output(std::string(1, static_cast<char>('a' + i)), dtype);
      c.seal();
      const ReferenceAnswer answer = evaluate(choice, c);
      EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message;
      EXPECT_EQ(answer.exact_absent, "") << name_of(choice) << "\n" << text;
      if (!answer.exact) return first;
      std::vector<std::vector<double>> values;
      for (const ExactTensor& output : answer.exact->outputs) {
        values.push_back(output.is_floating ? doubles(output.values) : doubles(output.stored));
      }
      if (choice == both_evaluators[0]) first = values;
      expect_near(values, first, text);
    }
    return first;
  }
  static void expect_near(const std::vector<std::vector<double>>& got,
                          const std::vector<std::vector<double>>& wanted, const std::string& text) {
    ASSERT_EQ(got.size(), wanted.size()) << text;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].size(), wanted[i].size()) << text;
      for (std::size_t k = 0; k < got[i].size(); ++k) {
        EXPECT_NEAR(got[i][k], wanted[i][k], 1e-13 * std::fabs(wanted[i][k]))
            << text << " at " << k;
      }
    }
  }
  // Expects run(x) to give f(x), element for element, in double precision.
  template <class F>
  static void expect_map(const std::string& text, F f, DType dtype = DType::float32) {
    const auto x = rounded(dtype, numbers(64));
    std::vector<double> wanted;
    for (const double value : x) wanted.push_back(f(value));
    expect_near(answers(text, x, dtype), {wanted}, text);
  }
  static std::string refusal(EvaluatorChoice choice, const std::string& text, DType dtype) {
    Case c("import torch\n" + text);
    c.tensor("x", dtype, {4}, stored(dtype, {1, 2, 3, 4})).output("y", DType::int32).seal();
    const ReferenceAnswer answer = evaluate(choice, c);
    EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message;
    EXPECT_FALSE(answer.exact.has_value());
    return answer.exact_absent;
  }
};

TEST_F(Exact, ConversionsDoNotRound) {
  const auto third = [](double x) { return x / 3; };
  expect_map("def run(x):\n    return x / 3\n", third);
  expect_map("def run(x):\n    return x / 3\n", third, DType::bfloat16);
  expect_map("def run(x):\n    return (x.float() / 3).to(torch.bfloat16)\n", third);
  expect_map("def run(x):\n    return (x / 3).half().to(x.dtype)\n", third, DType::bfloat16);
  expect_map("def run(x):\n    return (x.to(torch.float32) / 3).to(torch.float8_e4m3fn).float()\n",
             third, DType::float16);
  expect_map("def run(x):\n    return x.to(torch.float32) / 3\n", third, DType::float8_e4m3fn);
  expect_map("def run(x):\n    return x.type_as(torch.ones(1)) / 3\n", third, DType::bfloat16);
}

TEST_F(Exact, DtypesOfOperatorsAndFactories) {
  expect_map("def run(x):\n    return x * torch.full((64,), 0.1, dtype=torch.bfloat16)\n",
             [](double x) { return x * 0.1; });
  expect_map("def run(x):\n    return x * torch.tensor([0.1], dtype=torch.float16)\n",
             [](double x) { return x * 0.1; });
  expect_map(
      "def run(x):\n    return x * torch.tensor(0.1) * torch.ones(64, dtype=x.dtype)\n",
      [](double x) { return x * 0.1; }, DType::bfloat16);
  expect_map("T = torch.tensor([0.1, 0.2])\ndef run(x):\n    return x * T[1]\n",
             [](double x) { return x * 0.2; });
  expect_map(
      "def run(x):\n    y = torch.zeros_like(x, dtype=torch.float32)\n    y += x / 7\n"
      "    return y\n",
      [](double x) { return x / 7; }, DType::float16);
  const auto x = rounded(DType::float32, numbers(64));
  double sum = 0, total = 0;
  for (const double v : x) sum += v;
  for (const double v : x) total += std::exp(v);
  const auto got = answers(
      "def run(x):\n    return x.sum(dtype=torch.float32).view(1), "
      "F.softmax(x, dim=0, dtype=torch.float32)\n",
      x, DType::float32, 2);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_NEAR(got[0][0], sum, 1e-13);
  EXPECT_NEAR(got[1][5], std::exp(x[5]) / total, 1e-15);
}

TEST_F(Exact, ComparisonsOfDtypesHold) {
  expect_map(
      "def run(x):\n    assert x.dtype == torch.float16\n"
      "    assert (x * 1).to(torch.bfloat16).dtype == torch.bfloat16\n    return x / 3\n",
      [](double x) { return x / 3; }, DType::float16);
  expect_map(
      "def run(x):\n    assert x.dtype == torch.float8_e4m3fn\n    return x.float() / 3\n",
      [](double x) { return x / 3; }, DType::float8_e4m3fn);
}

TEST_F(Exact, LimitsOfDtypesAreTheNativeOnes) {
  expect_map(
      "FP8 = torch.float8_e4m3fn\nBIG = torch.finfo(FP8).max\ndef run(x):\n"
      "    eps = torch.finfo(x.dtype).eps\n    y = x * (torch.finfo(torch.float16).max + eps)\n"
      "    return y.clamp(-BIG, BIG)\n",
      [](double x) { return std::min(448.0, std::max(-448.0, x * (65504 + 0.0078125))); },
      DType::bfloat16);
}

TEST_F(Exact, IntegersMasksAndIndicesStay) {
  const auto got = answers(
      "def run(x):\n    i = torch.argsort(x)\n    m = x > 0\n    n = (x * 100).to(torch.int32)\n"
      "    return i, m, n // 7, x[i] * m\n",
      numbers(16), DType::float32, 4);
  ASSERT_EQ(got.size(), 4U);
  const auto x = rounded(DType::float32, numbers(16));
  for (std::size_t k = 0; k < 16; ++k) {
    EXPECT_EQ(got[1][k], x[k] > 0);
    EXPECT_EQ(got[2][k], std::floor(std::trunc(x[k] * 100) / 7));
    const double sorted = x[static_cast<std::size_t>(got[0][k])];
    EXPECT_EQ(got[3][k], sorted * (x[k] > 0));
  }
}

TEST_F(Exact, AConvertedCopyIsACopy) {
  const auto got = answers("def run(x):\n    y = x.float()\n    y.mul_(2)\n    return x, y\n",
                           {1, 2, 3, 4}, DType::bfloat16, 2);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0], (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(got[1], (std::vector<double>{2, 4, 6, 8}));
}

TEST_F(Exact, RandomNumbersAreTheNativeOnes) {
  for (const std::string draw :
       {"torch.rand(16)", "torch.randn(16, dtype=torch.float32)", "torch.rand_like(x)",
        "torch.empty(16).uniform_(0.0, 1.0)", "torch.zeros_like(x).exponential_()",
        "torch.multinomial(x.abs() + 0.5, 16, replacement=True)", "torch.bernoulli(x.abs())",
        "F.dropout(x, 0.5)"}) {
    for (const EvaluatorChoice choice : both_evaluators) {
      Case c("import torch\nimport torch.nn.functional as F\ndef run(x):\n    return " + draw +
             "\n");
      c.tensor("x", DType::float32, {16}, stored(DType::float32, numbers(16)));
      c.output("y").seal();
      const ReferenceAnswer answer = evaluate(choice, c);
      ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
      ASSERT_TRUE(answer.exact.has_value()) << draw << answer.exact_absent;
      const ExactTensor& exact = answer.exact->outputs.at(0);
      EXPECT_EQ(exact.is_floating ? doubles(exact.values) : doubles(exact.stored),
                doubles(answer.outputs.at(0)))
          << draw << " " << name_of(choice);
    }
  }
}

TEST_F(Exact, AttentionDrawsNothing) {
  const auto got = answers(
      "def run(x):\n    q = x.view(1, 1, 4, 4)\n"
      "    y = F.scaled_dot_product_attention(q, q, q)\n"
      "    s = torch.softmax(q @ q.transpose(-1, -2) / 2.0, -1)\n    return (y - s @ q).view(-1)\n",
      numbers(16));
  ASSERT_EQ(got.size(), 1U);
  for (const double difference : got[0]) EXPECT_LT(std::fabs(difference), 1e-15);
}

TEST_F(Exact, BitsOfMappedFloatsAreRefused) {
  for (const EvaluatorChoice choice : both_evaluators) {
    for (const char* text : {"def run(x):\n    return x.view(torch.int32)\n",
                             "def run(x):\n    return (x * 2).view(torch.int32) >> 23\n"}) {
      const std::string why = refusal(choice, text, DType::float32);
      EXPECT_NE(why.find("reinterprets the bits of a float"), std::string::npos) << why;
    }
  }
}

TEST_F(Exact, BitsThatAreExactAreRead) {
  // Reads float8 inputs, and float32 made of integers.
  expect_map(
      "def run(x):\n    b = x.view(torch.uint8).to(torch.int32)\n"
      "    return x.float() / 3 + b * 0\n",
      [](double x) { return x / 3; }, DType::float8_e4m3fn);
  expect_map(
      "def run(x):\n    s = torch.full((64,), 128, dtype=torch.int32) << 23\n"
      "    return x / 3 * s.view(torch.float32)\n",
      [](double x) { return x / 3 * 2; });
}

// A program may have them by their bytes, whatever it calls those.
TEST_F(Exact, BytesAreTheNumbersThatTheyMean) {
  const auto third = [](double x) { return x / 3; };
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2, DType::bfloat16,
                            DType::float16, DType::float32}) {
    const std::string name(info(dtype).name);
    expect_map("def run(x):\n    b = x.view(torch.uint8)[:]\n    return b.view(torch." + name +
                   ").to(torch.float32) / 3\n",
               third, dtype);
    expect_map(
        "def run(x):\n    b = x.view(torch.int8).flip(0).contiguous().flip(0)\n"
        "    return b.contiguous().view(x.dtype).to(torch.float32) / 3\n",
        third, dtype);
  }
  expect_map(
      "def run(x):\n    b = torch.full((64,), 16256, dtype=torch.int16)\n"  // 1 in bfloat16
      "    return x / 3 * b.view(torch.bfloat16)\n",
      third);
  expect_map(
      "SCALE = torch.tensor([0, 0, 0, 63], dtype=torch.uint8).view(torch.float32)\n"  // 0.5
      "def run(x):\n    return x / 1.5 * SCALE\n",
      third);
}

// Results of a conversion are rounded there.
TEST_F(Exact, BytesOfFloat8ThatIsCalculatedAreCodes) {
  const auto x = numbers(16);
  const auto got =
      answers("def run(x):\n    return (x * 3.0).to(torch.float8_e4m3fn).view(torch.int8)\n", x);
  ASSERT_EQ(got.size(), 1U);
  std::vector<double> wanted = rounded(DType::float32, x);
  for (double& value : wanted) value *= 3;
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(got[0][i], static_cast<std::int8_t>(stored(DType::float8_e4m3fn, wanted)[i]));
}

TEST_F(Exact, WhatIsWrittenByItsBytesIsNotFollowed) {
  for (const EvaluatorChoice choice : both_evaluators) {
    const std::string why = refusal(
        choice,
        "def run(x):\n    y = torch.zeros(4, dtype=torch.float32)\n"
        "    y.view(torch.uint8).copy_(x.view(torch.uint8))\n    return y.to(torch.int32)\n",
        DType::float32);
    EXPECT_NE(why.find("writes to a float by its bits"), std::string::npos) << why;
  }
}

TEST_F(Exact, StoredNumbersHaveACondition) {
  for (const EvaluatorChoice choice : both_evaluators) {
    Case c("import torch\ndef run(x):\n    return x.view(torch.float16).float().sum().view(1)\n");
    const auto x = rounded(DType::float16, numbers(256));
    c.tensor("x", DType::int8, {512}, stored(DType::float16, x)).output("y").seal();
    const ReferenceAnswer answer = evaluate(choice, c, 48);
    ASSERT_TRUE(answer.exact.has_value()) << answer.exact_absent;
    double squares = 0;
    for (const double v : x) squares += v * v;
    EXPECT_EQ(answer.exact->perturbed_runs, 48);
    EXPECT_NEAR(answer.exact->outputs.at(0).condition[0], std::sqrt(squares),
                std::sqrt(squares) / 3);
  }
}

TEST_F(Exact, ConditionOfASumIsItsNorm) {
  // M = sqrt(Σ x²) for a sum if u is small: over 48 runs it is within a third of that.
  const auto x = rounded(DType::bfloat16, numbers(256));
  double squares = 0;
  for (const double v : x) squares += v * v;
  for (const EvaluatorChoice choice : both_evaluators) {
    Case c("import torch\ndef run(x):\n    return x.float().sum().view(1)\n");
    c.tensor("x", DType::bfloat16, {256}, stored(DType::bfloat16, x)).output("y").seal();
    const ReferenceAnswer answer = evaluate(choice, c, 48);
    ASSERT_TRUE(answer.exact.has_value()) << answer.exact_absent;
    EXPECT_EQ(answer.exact->perturbed_runs, 48);
    EXPECT_NEAR(answer.exact->outputs.at(0).condition[0], std::sqrt(squares),
                std::sqrt(squares) / 3);
  }
}

TEST_F(Exact, ConditionIsTheSameEachTime) {
  Case c("import torch\ndef run(x, y):\n    return x.float() * y\n");
  c.tensor("x", DType::bfloat16, {8}, stored(DType::bfloat16, numbers(8)));
  c.floats("y", {1, 2, 3, 4, 5, 6, 7, 0}).output("z").seal();
  const auto condition = [&](EvaluatorChoice choice) {
    const ReferenceAnswer answer = evaluate(choice, c);
    return answer.exact ? doubles(answer.exact->outputs.at(0).condition) : std::vector<double>{};
  };
  const auto first = condition(EvaluatorChoice::libtorch);
  ASSERT_EQ(first.size(), 8U);
  EXPECT_EQ(condition(EvaluatorChoice::libtorch), first);
  EXPECT_EQ(condition(EvaluatorChoice::python), first);
  EXPECT_EQ(first[7], 0);
  EXPECT_NEAR(first[2], 3 * std::fabs(rounded(DType::bfloat16, numbers(8))[2]) * std::sqrt(2.0),
              first[2]);
}

TEST_F(Exact, ItsFailureLeavesTheNativeAnswer) {
  for (const EvaluatorChoice choice : both_evaluators) {
    Case c(
        "import torch\ndef run(x):\n    if x.element_size() == 8:\n        raise ValueError('no')\n"
        "    return x + 1\n");
    c.floats("x", {1, 2}).output("y").seal();
    const ReferenceAnswer answer = evaluate(choice, c);
    ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
    EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{2, 3}));
    EXPECT_FALSE(answer.exact.has_value());
    EXPECT_NE(answer.exact_absent.find("no"), std::string::npos) << answer.exact_absent;
  }
}

TEST_F(Exact, IsNotMadeUnlessWanted) {
  Case c = add_case();
  const ReferenceAnswer answer =
      evaluator(EvaluatorChoice::libtorch).evaluate(c.definition, c.problem, c.inputs, {});
  EXPECT_FALSE(answer.exact.has_value());
  EXPECT_EQ(answer.exact_absent, "");
  EXPECT_FALSE(answer.watched.flops.has_value());
}

TEST_F(Exact, BudgetDecidesHowManyRuns) {
  const Case c = add_case();
  const auto runs = [&](int least, int most, double seconds) {
    const ReferenceAnswer answer =
        evaluator(EvaluatorChoice::libtorch)
            .evaluate(c.definition, c.problem, c.inputs, {}, {true, least, most, seconds});
    return answer.exact ? answer.exact->perturbed_runs : -1;
  };
  EXPECT_EQ(runs(4, 48, 0), 4);
  EXPECT_EQ(runs(4, 9, 1000), 9);
  EXPECT_EQ(runs(0, 0, 0), 0);
}

}  // namespace
}  // namespace kbench

// Origins of integer outputs: what the double run finds out, by both evaluators.
#include <gtest/gtest.h>

#include <numeric>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class Origin : public ExactTest {
 protected:
  // run(x, table) with x float32 [4, 10] and table int64 [4, 10], what it gives in `dtype`.
  static void expect_chosen(const std::string& text, DType dtype,
                            const std::function<void(const ReferenceAnswer&, const Chosen&)>& check,
                            int output = 0) {
    for (const EvaluatorChoice choice : both_evaluators) {
      const ReferenceAnswer answer = run(choice, text, dtype, output + 1);
      ASSERT_TRUE(answer.exact.has_value()) << answer.message << answer.exact_absent;
      const ExactTensor& exact = answer.exact->outputs[static_cast<std::size_t>(output)];
      ASSERT_TRUE(exact.chosen.has_value()) << name_of(choice) << "\n" << text;
      EXPECT_FALSE(exact.rounded.has_value());
      check(answer, *exact.chosen);
    }
  }
  static ReferenceAnswer run(EvaluatorChoice choice, const std::string& text, DType dtype,
                             int outputs = 1) {
    Case c("import torch\n" + text);
    std::vector<std::int64_t> table(40);
    for (std::size_t i = 0; i < table.size(); ++i)
      table[i] = static_cast<std::int64_t>(i * 17 % 41) + 100;
    c.tensor("x", DType::float32, {4, 10}, stored(DType::float32, numbers(40)));
    c.tensor("table", DType::int64, {4, 10}, table);
    for (int i = 0; i < outputs; ++i)
      c.output(std::string(1, static_cast<char>('a' + i)),
               i + 1 == outputs ? dtype : DType::float32);
    return evaluate(choice, c.seal());
  }
  static const ExactTensor& only(const ReferenceAnswer& answer) {
    EXPECT_TRUE(answer.exact.has_value()) << answer.message << answer.exact_absent;
    return answer.exact->outputs.at(0);
  }
};

std::vector<std::int64_t> in_order(std::size_t count) {
  std::vector<std::int64_t> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

template <typename Number>
std::vector<Number> listed(std::span<const Number> numbers) {
  return {numbers.begin(), numbers.end()};
}

TEST_F(Origin, TheBestOfARowAreChosenByTheInput) {
  const std::string text =
      "def run(x, table):\n    v, i = torch.topk(x, 3, dim=-1)\n    return v, i.to(torch.int32)\n";
  expect_chosen(
      text, DType::int32,
      [](const ReferenceAnswer&, const Chosen& chosen) {
        ASSERT_EQ(chosen.rows.size(), 4U);
        EXPECT_EQ(chosen.rows[1].kind, ChoiceKind::greatest);
        EXPECT_EQ(chosen.rows[1].picked, 3);
        EXPECT_EQ(chosen.rows[1].options, 10);
        EXPECT_EQ(chosen.rows[1].order, PickOrder::best_first);
        EXPECT_EQ(chosen.rows[1].is_input, 1);
        EXPECT_EQ(listed(chosen.slots), in_order(12));
        EXPECT_TRUE(chosen.options.empty());
        EXPECT_EQ(listed(chosen.scores), rounded(DType::float32, numbers(40)));
      },
      1);
}

TEST_F(Origin, ScoresThatAreCalculatedHaveACondition) {
  const std::string text = "def run(x, table):\n    return torch.argmin(torch.exp(3 * x), dim=0)\n";
  expect_chosen(text, DType::int64, [](const ReferenceAnswer&, const Chosen& chosen) {
    ASSERT_EQ(chosen.rows.size(), 10U);  // one for each along the first axis
    EXPECT_EQ(chosen.rows[0].kind, ChoiceKind::least);
    EXPECT_EQ(chosen.rows[0].is_input, 0);
    EXPECT_EQ(chosen.rows[0].options, 4);
    const double x = rounded(DType::float32, numbers(40))[10];
    EXPECT_NEAR(chosen.scores[1], std::exp(3 * x), 1e-12);
    EXPECT_NEAR(chosen.condition[1], std::fabs(3 * x) * std::exp(3 * x),
                2 * std::fabs(x) * std::exp(3 * x));
  });
}

TEST_F(Origin, ALoopOverRowsIsOneChoiceEach) {
  const std::string text =
      "def run(x, table):\n"
      "    out = torch.empty(4, dtype=torch.int64)\n"
      "    for i in range(4):\n"
      "        order = torch.argsort(x[i], descending=True)\n"
      "        out[i] = torch.argmax(x[i])\n"
      "    return out\n";
  expect_chosen(text, DType::int64, [](const ReferenceAnswer&, const Chosen& chosen) {
    EXPECT_EQ(chosen.rows.size(), 4U);
    EXPECT_EQ(listed(chosen.slots), in_order(4));
    EXPECT_EQ(chosen.rows[3].is_input, 1);
  });
}

TEST_F(Origin, WhatATableMakesOfThemIsFoundOut) {
  // Rows of 0, 4, 7 and 10 scores, -1 where there are less than 5.
  const std::string text =
      "def run(x, table):\n"
      "    out = torch.full((4, 5), -1, dtype=torch.int32)\n"
      "    lengths = [0, 4, 7, 10]\n"
      "    for b in range(4):\n"
      "        n = lengths[b]\n"
      "        if n == 0:\n"
      "            continue\n"
      "        scores = x[b, :n] * 2.0\n"
      "        k = min(5, n)\n"
      "        values, best = torch.topk(scores, k)\n"
      "        out[b, :k] = table[b, :n][best].to(torch.int32)\n"
      "    return out\n";
  expect_chosen(text, DType::int32, [](const ReferenceAnswer&, const Chosen& chosen) {
    ASSERT_EQ(chosen.rows.size(), 3U);
    EXPECT_EQ(chosen.rows[0].picked, 4);
    EXPECT_EQ(chosen.rows[0].options, 4);
    EXPECT_EQ(chosen.rows[2].picked, 5);
    EXPECT_EQ(chosen.rows[2].options, 10);
    ASSERT_EQ(chosen.options.size(), 21U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(chosen.options[i], static_cast<std::int64_t>((10 + i) * 17 % 41) + 100);
      EXPECT_EQ(chosen.slots[i], static_cast<std::int64_t>(5 + i));
    }
  });
}

TEST_F(Origin, DrawsHaveTheWeightsTheyAreDrawnBy) {
  const std::string text =
      "def run(x, table):\n"
      "    p = torch.softmax(x, dim=-1)\n"
      "    out = torch.empty(4, dtype=torch.int64)\n"
      "    for i in range(4):\n"
      "        row = p[i]\n"
      "        if i == 2:\n"
      "            out[i] = torch.argmax(row)\n"
      "            continue\n"
      "        vals, idx = torch.sort(row, descending=True)\n"
      "        kept = torch.zeros_like(row)\n"
      "        kept[idx[:6]] = row[idx[:6]]\n"
      "        out[i] = torch.multinomial(kept, 1, replacement=True).squeeze(0)\n"
      "    return out\n";
  expect_chosen(text, DType::int64, [](const ReferenceAnswer&, const Chosen& chosen) {
    ASSERT_EQ(chosen.rows.size(), 4U);
    EXPECT_EQ(chosen.rows[0].kind, ChoiceKind::drawn);
    EXPECT_EQ(chosen.rows[2].kind, ChoiceKind::greatest);
    EXPECT_EQ(chosen.rows[3].kind, ChoiceKind::drawn);
    EXPECT_EQ(std::count(chosen.scores.begin(), chosen.scores.begin() + 10, 0.0), 4);
  });
}

TEST_F(Origin, RoundedNumbersAreKnownBeforeTheyAreRounded) {
  for (const EvaluatorChoice choice : both_evaluators) {
    const ReferenceAnswer answer =
        run(choice,
            "def run(x, table):\n"
            "    scale = x.abs().amax(dim=-1, keepdim=True) / 100.0\n"
            "    return torch.round(x / scale).clamp(-90, 90).to(torch.int8)\n",
            DType::int8);
    const ExactTensor& output = only(answer);
    ASSERT_TRUE(output.rounded.has_value());
    EXPECT_EQ(output.rounded->rounding, Rounding::nearest);
    const auto codes = doubles(output.stored);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      EXPECT_NEAR(codes[i], std::clamp(output.rounded->values[i], -90.0, 90.0), 0.5);
      EXPECT_GE(output.rounded->condition[i], 0);
    }
  }
}

TEST_F(Origin, AStableSortOfIntegersLeavesNoChoice) {
  const auto is_chosen = [](const std::string& sorted) {
    const std::string text =
        "def run(x, table):\n    v, i = torch.sort(" + sorted + ", dim=-1)\n    return i\n";
    for (const EvaluatorChoice choice : both_evaluators) {
      const ReferenceAnswer answer = run(choice, text, DType::int64);
      if (!only(answer).chosen.has_value()) return false;
    }
    return true;
  };
  EXPECT_TRUE(is_chosen("table >> 4"));
  EXPECT_FALSE(is_chosen("table >> 4, stable=True"));
  EXPECT_TRUE(is_chosen("x, stable=True"));
}

TEST_F(Origin, OtherIntegersHaveNone) {
  for (const char* body : {"(x > 0).sum(dim=-1)", "table + 1",
                           "torch.topk(x, 3).indices.sum(dim=-1)", "torch.cumsum(table, dim=-1)"}) {
    const ReferenceAnswer answer =
        run(EvaluatorChoice::libtorch, std::string("def run(x, table):\n    return ") + body + "\n",
            DType::int64);
    EXPECT_FALSE(only(answer).chosen.has_value()) << body;
    EXPECT_FALSE(only(answer).rounded.has_value()) << body;
  }
}

TEST_F(Origin, WhatIntegersMayBeIsSeenWhereInputsAreMoved) {
  for (const EvaluatorChoice choice : both_evaluators) {
    Case c("import torch\ndef run(x):\n    return (x * x > 0.25).to(torch.int32)\n");
    c.tensor("x", DType::float32, {4},
             stored(DType::float32, {0.5 - 0x1p-20, 0.7, 0.5 + 0x1p-22, 0}));
    c.output("a", DType::int32).seal();
    const ReferenceAnswer answer = evaluate(choice, c, 4, {0x1p-23, 0x1p-17});
    ASSERT_TRUE(answer.exact.has_value()) << answer.message << answer.exact_absent;
    const std::vector<Alternates>& moved = answer.exact->outputs.at(0).moved;
    ASSERT_EQ(moved.size(), 2U);
    EXPECT_TRUE(moved[0].seen.empty());
    EXPECT_EQ(moved[0].per_run, 0);
    ASSERT_EQ(moved[1].seen.size(), 2U);
    EXPECT_EQ(moved[1].seen[0].index, 0);
    EXPECT_EQ(moved[1].seen[0].value, 1);
    EXPECT_EQ(moved[1].seen[1].index, 2);
    EXPECT_EQ(moved[1].seen[1].value, 0);
    EXPECT_GT(moved[1].per_run, 0.25);
    EXPECT_LE(moved[1].per_run, 2);
  }
}

}  // namespace
}  // namespace kbench

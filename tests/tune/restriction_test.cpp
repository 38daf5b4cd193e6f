#include "tune/restriction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "base/text.hpp"

namespace kbench {
namespace {

using Outcome = Restriction::Outcome;

const std::vector<std::string>& parameter_names() {
  static const std::vector<std::string> names{"A", "B", "C"};
  return names;
}

std::optional<RestrictionName> meaning(std::string_view name) {
  for (std::uint32_t p = 0; p < 3; ++p) {
    if (parameter_names()[p] == name) return ParameterNumber{p};
  }
  if (name == "M") return std::int64_t{96};
  if (name == "x.dtype") return std::int64_t{3};
  if (name == "F") return Number(2, std::int64_t{1} << 61);  // 2.5
  if (name == "Z") return std::int64_t{0};
  return std::nullopt;
}

// Random expressions, of every kind that constraints know, few of them simple.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string expression(int depth) {
    if (depth == 0) return leaf();
    switch (below(11)) {
      case 0:
      case 1:
        return operation(depth, {" + ", " - ", " * ", " / ", " // ", " % ", " ** "});
      case 2:
        return operation(depth, {" * ", " // ", " % "});
      case 3:
      case 4:
        return operation(depth, {" == ", " != ", " < ", " <= ", " > ", " >= "});
      case 5:
        return fmt::format("({} {} {} {} {})", expression(depth - 1), comparison(),
                           expression(depth - 1), comparison(), expression(depth - 1));
      case 6:
        return operation(depth, {" and ", " or "});
      case 7:
        return fmt::format("({} and {} or {})", expression(depth - 1), expression(depth - 1),
                           expression(depth - 1));
      case 8:
        return fmt::format("({} if {} else {})", expression(depth - 1), expression(depth - 1),
                           expression(depth - 1));
      case 9:
        return fmt::format("({}{})", std::array{"-", "+", "~", "not "}[below(4)],
                           expression(depth - 1));
      default:
        return function(depth);
    }
  }

 private:
  const char* comparison() { return std::array{"==", "!=", "<", "<=", ">", ">="}[below(6)]; }
  std::string operation(int depth, const std::vector<std::string>& operators) {
    return "(" + expression(depth - 1) + operators[below(operators.size())] +
           expression(depth - 1) + ")";
  }
  std::string function(int depth) {
    switch (below(5)) {
      case 0:
        return fmt::format("int({})", expression(depth - 1));
      case 1:
        return fmt::format("{}({}, {}, {})", below(2) == 0 ? "min" : "max", expression(depth - 1),
                           expression(depth - 1), expression(depth - 1));
      case 2:
        return "len(A)";  // stays open
      case 3:
        return fmt::format("A.shape[{}]", expression(depth - 1));
      default:
        return fmt::format("min({}, {})", expression(depth - 1), expression(depth - 1));
    }
  }
  std::string leaf() {
    const auto leaves = split("A B C A B F M Z x.dtype 0 1 2 True False", ' ');
    return std::string(leaves[below(leaves.size())]);
  }

  std::mt19937_64 random_;
};

ConstraintResult slow(const std::string& text, const std::array<std::int64_t, 3>& values) {
  return check_constraint(
      text, {[&](std::string_view name) -> std::optional<Number> {
               const auto found = meaning(name);
               if (!found) return std::nullopt;
               if (const auto* axis = std::get_if<Number>(&*found)) return *axis;
               return values[std::get<ParameterNumber>(*found).number];
             },
             [](std::string_view) { return std::nullopt; },
             [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }});
}

TEST(Restriction, MeansWhatConstraintsMean) {
  Chance chance(7);
  std::map<Outcome, int> seen;
  const std::vector<std::int64_t> numbers{0, 1, -1, 2, 3, 7, 64, -5, INT64_MAX, INT64_MIN, 4096};
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = chance.expression(1 + i % 4);
    const auto compiled = compile_restriction(text, meaning);
    const auto* restriction = std::get_if<Restriction>(&compiled);
    ASSERT_NE(restriction, nullptr) << text << ": " << std::get<RestrictionFlaw>(compiled).message;
    for (int j = 0; j < 4; ++j) {
      std::array<std::int64_t, 3> values;
      std::array<RestrictionOperand, 3> operands;
      for (std::size_t p = 0; p < 3; ++p) {
        values[p] = numbers[chance.below(numbers.size())];
        operands[p] = {values[p], true};
      }
      const ConstraintResult expected = slow(text, values);
      ASSERT_EQ(restriction->evaluate(operands), expected.outcome)
          << text << " for A, B, C = " << values[0] << ", " << values[1] << ", " << values[2]
          << ": " << expected.message;
      ++seen[expected.outcome];
    }
  }
  for (const Outcome outcome :
       {Outcome::holds, Outcome::violated, Outcome::open, Outcome::undefined, Outcome::unchecked})
    EXPECT_GT(seen[outcome], 1'000) << static_cast<int>(outcome);
}

// A condition that is said to be out of reach holds for none of the values.
TEST(Restriction, IsOutOfReachOnlyWhereItNeverHolds) {
  Chance chance(11);
  const std::vector<std::int64_t> numbers{0,  1,  2,  3,  4,         7,        8,
                                          64, -1, -5, 96, INT64_MAX, INT64_MIN};
  int out_of_reach = 0, within = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = chance.expression(1 + i % 4);
    const auto compiled = compile_restriction(text, meaning);
    const auto& restriction = std::get<Restriction>(compiled);
    std::array<std::vector<std::int64_t>, 3> values;
    std::array<IntegerRange, 3> ranges;
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t n = 1 + chance.below(3); n > 0; --n)
        values[p].push_back(numbers[chance.below(i % 2 == 0 ? 9 : numbers.size())]);
      const auto [low, high] = std::minmax_element(values[p].begin(), values[p].end());
      ranges[p] = {*low, *high};
    }
    if (restriction.may_hold(ranges)) {
      ++within;
      continue;
    }
    ++out_of_reach;
    for (const std::int64_t a : values[0]) {
      for (const std::int64_t b : values[1]) {
        for (const std::int64_t c : values[2])
          ASSERT_FALSE(restriction.holds(
              std::array<RestrictionOperand, 3>{{{a, true}, {b, true}, {c, true}}}))
              << text << " for A, B, C = " << a << ", " << b << ", " << c;
      }
    }
  }
  EXPECT_GT(out_of_reach, 2'000);
  EXPECT_GT(within, 2'000);
}

// Products and sums of many are conditions that spaces have.
TEST(Restriction, SeesWhenAProductIsOutOfReach) {
  const auto may_hold = [](const char* text, std::array<IntegerRange, 3> ranges) {
    return std::get<Restriction>(compile_restriction(text, meaning)).may_hold(ranges);
  };
  constexpr IntegerRange any{1, 128};
  EXPECT_FALSE(may_hold("A * B * C <= 1024", {{{64, 64}, {32, 32}, any}}));
  EXPECT_TRUE(may_hold("A * B * C <= 1024", {{{64, 64}, {16, 16}, any}}));
  EXPECT_FALSE(may_hold("32 <= A + B + C <= 96", {{{90, 90}, {6, 6}, any}}));
  EXPECT_FALSE(may_hold("C >= 1 and (A // B > 7 or B > 64)", {{{32, 32}, {8, 16}, any}}));
  EXPECT_TRUE(may_hold("A * B * C <= 1024", {{{64, 64}, {32, 32}, IntegerRange{}}}));
}

// Chains may have more comparisons than a node has room for.
TEST(Restriction, TakesLongChains) {
  std::string text = "A";
  for (int i = 1; i < 70; ++i) text += fmt::format(" < {}", i);
  const auto compiled = compile_restriction(text + " < B", meaning);
  const auto& restriction = std::get<Restriction>(compiled);
  const auto outcome = [&](std::int64_t a, std::int64_t b) {
    return restriction.evaluate(
        std::array<RestrictionOperand, 3>{{{a, true}, {b, true}, {0, true}}});
  };
  EXPECT_EQ(outcome(0, 70), Outcome::holds);
  EXPECT_EQ(outcome(1, 70), Outcome::violated);
  EXPECT_EQ(outcome(0, 69), Outcome::violated);
  EXPECT_EQ(restriction.parameters(), (std::vector<std::uint32_t>{0, 1}));
}

TEST(Restriction, DependsOnParametersAlone) {
  const auto parameters = [](const std::string& text) {
    return std::get<Restriction>(compile_restriction(text, meaning)).parameters();
  };
  EXPECT_EQ(parameters("M % C == 0 and C * A <= 64"), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(parameters("M == 96"), std::vector<std::uint32_t>{});
}

TEST(Restriction, LeavesWordsAndFractionsOpen) {
  const auto compiled = compile_restriction("A * 2 <= B", meaning);
  const std::array<RestrictionOperand, 3> operands{{{0, false}, {4, true}, {0, true}}};
  EXPECT_EQ(std::get<Restriction>(compiled).evaluate(operands), Outcome::open);
}

TEST(Restriction, SaysWhyATextMakesNoSense) {
  struct Case {
    const char* text;
    const char* message;
    std::size_t index;
  };
  for (const Case& c :
       {Case{"A *", "invalid syntax", 3},
        {"A * D <= 4", "\"D\" is no parameter and no axis, and has no whole value in this call", 4},
        {"A << 2",
         "operator << cannot be computed: only integers, axes, arithmetic "
         "and comparisons can",
         0},
        {"A * 0.5 < 1",
         "0.5 cannot be computed: only integers, axes, arithmetic and "
         "comparisons can",
         0}}) {
    const auto compiled = compile_restriction(c.text, meaning);
    const auto* flaw = std::get_if<RestrictionFlaw>(&compiled);
    ASSERT_NE(flaw, nullptr) << c.text;
    EXPECT_EQ(flaw->message, c.message) << c.text;
    EXPECT_EQ(flaw->index, c.index) << c.text;
  }
}

}  // namespace
}  // namespace kbench

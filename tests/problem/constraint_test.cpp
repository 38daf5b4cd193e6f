#include "problem/constraint.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Outcome = ConstraintResult::Outcome;

// Scope of axes M = 7, N = 4, Z = 0; a tensor `ptr` of shape [3] with values 0, 5, 7 and a tensor
// `w` of shape [2, 8] whose values are not known.
ConstraintScope scope() {
  return {[](std::string_view name) -> std::optional<std::int64_t> {
            if (name == "M") return 7;
            if (name == "N") return 4;
            if (name == "Z") return 0;
            return std::nullopt;
          },
          [](std::string_view tensor) -> std::optional<std::vector<std::int64_t>> {
            if (tensor == "ptr") return std::vector<std::int64_t>{3};
            if (tensor == "w") return std::vector<std::int64_t>{2, 8};
            return std::nullopt;
          },
          [](std::string_view tensor,
             std::span<const std::int64_t> index) -> std::optional<std::int64_t> {
            constexpr std::int64_t values[] = {0, 5, 7};
            if (tensor != "ptr") return std::nullopt;
            return values[index[0] < 0 ? index[0] + 3 : index[0]];
          }};
}

struct Case {
  const char* text;
  Outcome outcome;
  const char* message = "";
};

class Constraints : public testing::TestWithParam<Case> {};

TEST_P(Constraints, HaveTheirOutcome) {
  const ConstraintResult result = check_constraint(GetParam().text, scope());
  EXPECT_EQ(result.outcome, GetParam().outcome) << GetParam().text << ": " << result.message;
  if (*GetParam().message != '\0') {
    EXPECT_EQ(result.message, GetParam().message) << GetParam().text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Constraints,
    testing::Values(
        Case{"M == 7", Outcome::holds}, Case{"M == N + 3", Outcome::holds},
        Case{"M < N", Outcome::violated}, Case{"1 < N < M", Outcome::holds},
        Case{"1 < M < N", Outcome::violated}, Case{"-7 // 2 == -4", Outcome::holds},
        Case{"7 // -2 == -4", Outcome::holds}, Case{"-7 % 2 == 1", Outcome::holds},
        Case{"7 % -2 == -1", Outcome::holds}, Case{"-7 // -2 == 3", Outcome::holds},
        Case{"N / 2 == 2", Outcome::holds},
        Case{"M / 2 == 3", Outcome::unchecked, "7 / 2 is no integer; write // to round down"},
        Case{"2 ** 10 == 1024", Outcome::holds}, Case{"-2 ** 2 == -4", Outcome::holds},
        Case{"not M == N", Outcome::holds}, Case{"M == N or M == 7", Outcome::holds},
        Case{"M == 7 and N == 5", Outcome::violated}, Case{"(M - N) * 2 == 6", Outcome::holds},
        Case{"M if N == 4 else Z", Outcome::holds}, Case{"M", Outcome::holds},
        Case{"Z", Outcome::violated}, Case{"True", Outcome::holds},
        Case{"M // Z == 1", Outcome::undefined, "division by zero"},
        Case{"M % Z == 1", Outcome::undefined, "division by zero"},
        Case{"9223372036854775807 + M > 0", Outcome::unchecked, "the value exceeds 64 bits"},
        Case{"10 ** 100 > 0", Outcome::unchecked, "the value exceeds 64 bits"},
        Case{"K == 1", Outcome::invalid, "\"K\" is no axis and no input"},
        Case{"M == 7 or K == 1", Outcome::invalid, "\"K\" is no axis and no input"},
        Case{"M >", Outcome::invalid}, Case{"ptr[-1].item() == M", Outcome::holds},
        Case{"ptr[1] == M", Outcome::violated},
        Case{"w[0] == 1", Outcome::open, "speaks of the values of 'w'"},
        Case{"w.shape[1] == 2 * N", Outcome::holds}, Case{"w.shape[-1] == 9", Outcome::violated},
        Case{"w.shape[2] == 1", Outcome::undefined, "'w' has 2 axes"},
        Case{"len(ptr) == 3", Outcome::holds}, Case{"w.max() < M", Outcome::open},
        Case{"M == 7 or w[0] == 1", Outcome::holds},
        Case{"M == 8 and w[0] == 1", Outcome::violated},
        Case{"M == 7 and w[0] == 1", Outcome::open}, Case{"'a' == M", Outcome::invalid},
        Case{"M != 7 or M // Z == 1", Outcome::undefined, "division by zero"},
        Case{"M == 7 or M // Z == 1", Outcome::holds},
        Case{"w[0] == 1 and M // Z == 1", Outcome::open}, Case{"0 ** -1 == 0", Outcome::undefined},
        Case{"sum(M, N) == 11", Outcome::invalid}, Case{"max(M, N) == 7", Outcome::holds},
        Case{"min(M, 9, N - 1) == 3", Outcome::holds},
        Case{"min(M, M // Z) == 0", Outcome::undefined}, Case{"max(M, ptr) == 7", Outcome::open},
        Case{"M << 1 == 14", Outcome::invalid,
             "operator << cannot be computed: only integers, axes, arithmetic and comparisons "
             "can"}));

TEST(Constraint, NamesTheIntegersThatTookPart) {
  EXPECT_EQ(check_constraint("M == N * N + M", scope()).used_names,
            (std::vector<std::string>{"M", "N"}));
}

// Definition with axes M (var), N (const 4), Z (const 0), and an input x of one axis.
Definition definition(const std::string& constraint) {
  Definition d;
  d.axes["M"] = AxisVar{};
  AxisConst four;
  four.value = 4;
  d.axes["N"] = four;
  d.axes["Z"] = AxisConst{};
  d.inputs["x"].shape = {"M"};
  d.constraints = {"M > 0", constraint};
  return d;
}

struct Flawed {
  const char* text;
  const char* marked;  // the part of the text that the message is about
  const char* message;
  const char* hint;
};

class ConstraintProblems : public testing::TestWithParam<Flawed> {};

TEST_P(ConstraintProblems, AreSaidWithoutAWorkload) {
  const Flawed& flawed = GetParam();
  const auto problems = constraint_problems(definition(flawed.text));
  ASSERT_EQ(problems.size(), 1U) << flawed.text;
  EXPECT_EQ(problems[0].constraint, 1U);
  EXPECT_EQ(problems[0].message,
            std::string("constraint \"") + flawed.text + "\": " + flawed.message);
  EXPECT_EQ(problems[0].hint, flawed.hint);
  EXPECT_TRUE(std::string_view(flawed.text).substr(problems[0].index).starts_with(flawed.marked));
}

INSTANTIATE_TEST_SUITE_P(
    All, ConstraintProblems,
    testing::Values(
        Flawed{"M == m", "m", "\"m\" is no axis and no input", "did you mean \"M\"?"},
        Flawed{"M == hidden", "hidden", "\"hidden\" is no axis and no input", "axes are M, N, Z"},
        Flawed{"M % 0 == 0", "0 ==", "division by zero", "the divisor is 0 in every workload"},
        Flawed{"M > 2 and M // (N - 4) == 1", "(N", "division by zero",
               "the divisor is 0 in every workload"},
        Flawed{"N == 5", "N == 5", "never holds", "no workload can be judged"},
        Flawed{"M in (1, 2)", "M in",
               "comparison 'in' cannot be computed: only integers, axes, arithmetic and "
               "comparisons can",
               "kbench run does not check this constraint"}));

TEST(Constraint, WhatAWorkloadDecidesIsNoProblem) {
  for (const char* text :
       {"M % N == 0", "N == 4", "x[-1].item() == M", "x.shape[0] == M", "len(x) == M", "M >"}) {
    EXPECT_TRUE(constraint_problems(definition(text)).empty()) << text;
  }
}

}  // namespace
}  // namespace kbench

#include "problem/constraint.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Outcome = ConstraintResult::Outcome;

// Axes M = 7, N = 4, Z = 0; a tensor `ptr` of shape [3] with values 0, 5, 7 and a tensor `w` of
// shape [2, 8] whose values are not known.
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
        Case{"M / 2 == 3", Outcome::invalid, "7 / 2 is no integer; write // to round down"},
        Case{"2 ** 10 == 1024", Outcome::holds}, Case{"-2 ** 2 == -4", Outcome::holds},
        Case{"not M == N", Outcome::holds}, Case{"M == N or M == 7", Outcome::holds},
        Case{"M == 7 and N == 5", Outcome::violated}, Case{"(M - N) * 2 == 6", Outcome::holds},
        Case{"M if N == 4 else Z", Outcome::holds}, Case{"M", Outcome::holds},
        Case{"Z", Outcome::violated}, Case{"True", Outcome::holds},
        Case{"M // Z == 1", Outcome::invalid, "division by zero"},
        Case{"M % Z == 1", Outcome::invalid, "division by zero"},
        Case{"9223372036854775807 + M > 0", Outcome::invalid, "the value exceeds 64 bits"},
        Case{"10 ** 100 > 0", Outcome::invalid, "the value exceeds 64 bits"},
        Case{"K == 1", Outcome::invalid, "'K' is no axis and no input"},
        Case{"M >", Outcome::invalid}, Case{"ptr[-1].item() == M", Outcome::holds},
        Case{"ptr[1] == M", Outcome::violated},
        Case{"w[0] == 1", Outcome::open, "speaks of the values of 'w'"},
        Case{"w.shape[1] == 2 * N", Outcome::holds}, Case{"w.shape[-1] == 9", Outcome::violated},
        Case{"w.shape[2] == 1", Outcome::invalid, "'w' has 2 axes"},
        Case{"len(ptr) == 3", Outcome::holds}, Case{"w.max() < M", Outcome::open},
        Case{"M == 7 or w[0] == 1", Outcome::holds},
        Case{"M == 8 and w[0] == 1", Outcome::violated},
        Case{"M == 7 and w[0] == 1", Outcome::open}, Case{"'a' == M", Outcome::invalid},
        Case{"M << 1 == 14", Outcome::invalid, "operator << is not supported in a constraint"}));

TEST(Constraint, NamesTheIntegersThatTookPart) {
  EXPECT_EQ(check_constraint("M == N * N + M", scope()).used_names,
            (std::vector<std::string>{"M", "N"}));
}

}  // namespace
}  // namespace kbench

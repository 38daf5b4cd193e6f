#include <gtest/gtest.h>

#include "problem/element.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

struct Named {
  Named(std::string name, float value) : bytes(4) {
    encode(DType::float32, std::span<const float>(&value, 1), bytes.data(), 0);
    tensor = {std::move(name), {DType::float32, {1}, bytes.data(), 4}};
  }
  std::vector<std::byte> bytes;
  NamedTensor tensor;
};

std::optional<Verdict> judge(const std::vector<NamedTensor>& outputs,
                             const std::vector<NamedTensor>& reference, Diagnostics& diagnostics) {
  return judge_by_name(*find_rule("flashinfer-bench"), {"d", "op", {}}, outputs, reference,
                       diagnostics);
}

TEST(JudgeByName, OrderDoesNotMatter) {
  const Named a("a", 1), b("b", 2);
  Diagnostics diagnostics;
  const auto verdict = judge({b.tensor, a.tensor}, {a.tensor, b.tensor}, diagnostics);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->status, Status::passed);
}

TEST(JudgeByName, TheDetailHasTheName) {
  const Named a("a", 1), b("b", 2), wrong("b", 3);
  Diagnostics diagnostics;
  const auto verdict = judge({wrong.tensor, a.tensor}, {a.tensor, b.tensor}, diagnostics);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->status, Status::incorrect_numerical);
  EXPECT_EQ(verdict->detail,
            "output \"b\": 1 of 1 elements are beyond atol 0.01 and rtol 0.01; worst at [0]: 3, "
            "reference 2");
}

TEST(JudgeByName, MissingAndSurplusNamesAreReported) {
  const Named a("a", 1), b("b", 2), c("c", 2);
  Diagnostics diagnostics;
  EXPECT_FALSE(judge({a.tensor, c.tensor}, {a.tensor, b.tensor}, diagnostics).has_value());
  ASSERT_EQ(diagnostics.errors(), 2U);
  EXPECT_EQ(diagnostics.items()[0].message, "the outputs lack 'b', which the reference has");
  EXPECT_EQ(diagnostics.items()[1].message, "the reference lacks 'c', which the outputs have");
}

TEST(JudgeByName, NothingAgainstNothingPasses) {
  Diagnostics diagnostics;
  EXPECT_EQ(judge({}, {}, diagnostics)->status, Status::passed);
}

}  // namespace
}  // namespace kbench

#include "schema/check_function.hpp"

#include <gtest/gtest.h>

#include "schema/check.hpp"

namespace kbench {
namespace {

using Names = std::vector<std::string>;

Definition with(const std::string& text) {
  Definition definition;
  definition.inputs["A"];
  definition.outputs["Q"];
  definition.outputs["R"];
  definition.reference = "def run(A):\n    return A, A\n\n" + text;
  return definition;
}

TEST(CheckFunction, TakesNamesOfInputsOutputsAndExpectedOutputs) {
  const auto check = find_check(with("def check(R, A, expected_Q, *, limit=2, Q):\n    pass\n"));
  ASSERT_TRUE(check);
  EXPECT_EQ(check->arguments, (Names{"R", "A", "expected_Q", "Q"}));
  EXPECT_EQ(check->outputs, (Names{"R", "Q"}));
  EXPECT_EQ(check->unknown, Names{});
  EXPECT_EQ(check->line, 4);
}

TEST(CheckFunction, WithoutAnOutputIsAHelper) {
  EXPECT_FALSE(find_check(with("def check(x, y):\n    pass\n")));
  EXPECT_FALSE(find_check(with("def check(A, expected_Q):\n    pass\n")));
  EXPECT_FALSE(find_check(with("")));
  EXPECT_FALSE(find_check(with("def check(Q:\n")));
}

TEST(CheckFunction, WithoutAnOutputAndACallIsIdle) {
  EXPECT_TRUE(find_idle_check(with("def check(reference_outputs, actual_outputs):\n    pass\n")));
  EXPECT_FALSE(find_idle_check(with("def check(x):\n    pass\n\ncheck(1)\n")));
  EXPECT_FALSE(find_idle_check(with("def check(Q):\n    pass\n")));
  EXPECT_FALSE(find_idle_check(with("")));
}

TEST(CheckFunction, WithoutDefIsIdle) {
  const auto idle = find_idle_check(with("check = lambda Q: Q > 0\n"));
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->line, 4);
  EXPECT_TRUE(find_idle_check(with("check: object = print\n")));
  EXPECT_FALSE(find_idle_check(with("check = abs\nx = check(1)\n")));
  EXPECT_FALSE(find_idle_check(with("checks = 1\n")));
}

TEST(CheckFunction, OfTwoTheLastCounts) {
  const auto check = find_check(with("def check(Q): pass\n\ndef check(R): pass\n"));
  ASSERT_TRUE(check);
  EXPECT_EQ(check->outputs, Names{"R"});
}

TEST(CheckFunction, OtherNamesAreErrorsOfTheDefinition) {
  const Definition definition = with("def check(A, Q, expected_S):\n    pass\n");
  EXPECT_EQ(find_check(definition)->unknown, Names{"expected_S"});
  const Findings found = check(definition);
  const auto text = [](const Finding& one) { return one.message; };
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(text(found.back()),
            "check() takes \"expected_S\", which is no input, no output and no expected output "
            "(line 4, column 1 of the reference)");
}

TEST(CheckFunction, IsNoPartOfHowOutputsComeAbout) {
  const Definition definition = with("import torch\n@torch.no_grad()\ndef check(Q):\n    pass\n");
  EXPECT_EQ(text_without_check(definition), with("import torch\n\n").reference);
  const Definition helper = with("def check(x):\n    pass\n");
  EXPECT_EQ(text_without_check(helper), helper.reference);
}

}  // namespace
}  // namespace kbench

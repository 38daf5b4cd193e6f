#include "import/run_alias.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

python::Module module_of(std::string_view text) {
  auto parsed = python::parse_module(text);
  return std::move(std::get<python::Module>(parsed));
}

const std::vector<ReferenceInput> a_and_b{{"a", "a"}, {"b", "b"}};

std::string alias_of(std::string_view text, const std::vector<ReferenceInput>& inputs) {
  const python::Module module = module_of(text);
  const MeantFunction meant = meant_function(text, module, inputs);
  return meant.function == nullptr ? meant.problem : run_alias(*meant.function, inputs).text;
}

TEST(RunAlias, ArgumentsGoByPositionAsTheFunctionTakesThem) {
  EXPECT_EQ(alias_of("def f(a, b):\n    return a\n", a_and_b),
            "def run(a, b):\n    return f(a, b)\n");
  EXPECT_EQ(alias_of("def f(b, a):\n    return a\n", a_and_b),
            "def run(a, b):\n    return f(b, a)\n");
}

TEST(RunAlias, BehindAParameterThatIsLeftOutTheyGoByName) {
  EXPECT_EQ(alias_of("def f(a, c=None, b=1):\n    return a\n", a_and_b),
            "def run(a, b):\n    return f(a, b=b)\n");
  EXPECT_EQ(alias_of("def f(a, *, b):\n    return a\n", a_and_b),
            "def run(a, b):\n    return f(a, b=b)\n");
}

TEST(RunAlias, WhatOnlyKwargsTakeGoesByName) {
  EXPECT_EQ(alias_of("def f(a, **others):\n    return a\n", a_and_b),
            "def run(a, b):\n    return f(a, b=b)\n");
}

TEST(RunAlias, WhatIsNotTakenIsIgnored) {
  const python::Module module = module_of("def f(a):\n    return a\n");
  const RunAlias alias = run_alias(module.functions.front(), a_and_b);
  EXPECT_EQ(alias.text, "def run(a, b):\n    return f(a)\n");
  EXPECT_EQ(alias.ignored, std::vector<std::string>{"b"});
}

TEST(RunAlias, AParameterMayHaveAnotherName) {
  EXPECT_EQ(alias_of("def f(x, b):\n    return x\n", {{"a", "x"}, {"b", "b"}}),
            "def run(a, b):\n    return f(a, b)\n");
}

TEST(RunAlias, HelpersAreNotMeant) {
  EXPECT_EQ(alias_of("def h(a):\n    return a\n\ndef f(a, b):\n    return h(a) + b\n", a_and_b),
            "def run(a, b):\n    return f(a, b)\n");
}

TEST(RunAlias, TwoThatCouldBeMeantAreNone) {
  EXPECT_EQ(alias_of("def f(a):\n    return a\n\ndef g(b):\n    return b\n", a_and_b),
            "each of these could be meant: f, g");
}

TEST(RunAlias, AFunctionThatNeedsMoreIsNotMeant) {
  EXPECT_EQ(alias_of("def f(a, c):\n    return a\n", a_and_b),
            "f() needs \"c\", which is no input");
  EXPECT_EQ(alias_of("x = 1\n", a_and_b), "the reference defines no function");
}

TEST(RunAlias, DoesWithoutDefaultsAndStrangers) {
  const python::Module module = module_of("def f(a, b=1, *, c, d=2):\n    return a\n");
  const python::Function& f = module.functions.front();
  EXPECT_FALSE(can_do_without(f, "a"));
  EXPECT_TRUE(can_do_without(f, "b"));
  EXPECT_FALSE(can_do_without(f, "c"));
  EXPECT_TRUE(can_do_without(f, "d"));
  EXPECT_TRUE(can_do_without(f, "e"));
}

}  // namespace
}  // namespace kbench

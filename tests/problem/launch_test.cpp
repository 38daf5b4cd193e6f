#include "problem/launch.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

Definition scale() {
  Definition definition;
  definition.axes["M"] = AxisVar{};
  definition.axes["N"] = AxisConst{};
  std::get<AxisConst>(definition.axes["N"]).value = 64;
  definition.inputs["x"].shape = {"M", "N"};
  definition.outputs["y"].shape = {"M", "N"};
  return definition;
}

Launch launch() {
  Launch one;
  one.grid = {std::string("(M + 127) // 128"), std::string("min(N, 65535)")};
  one.block = {std::int64_t{128}};
  one.shared_bytes = std::string("4 * N");
  one.arguments = {"x", "y", "M"};
  return one;
}

TEST(Launch, SpeaksOfAxesInputsAndOutputs) {
  EXPECT_TRUE(launch_problems(launch(), scale()).empty());
}

TEST(Launch, SaysWhichAxisThereIsNot) {
  Launch one = launch();
  one.grid[0] = std::string("M // K");
  const auto problems = launch_problems(one, scale());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].pointer, "/grid/0");
  EXPECT_EQ(problems[0].index, 5u);
  EXPECT_EQ(problems[0].message, "\"K\" is no axis");
  EXPECT_EQ(problems[0].hint, "there are M, N");
}

TEST(Launch, SaysWhatIsNoLength) {
  Launch one = launch();
  one.block[0] = std::string("x.shape[0]");  // a tensor is no axis
  one.shared_bytes = std::string("1.5 * N");
  const auto problems = launch_problems(one, scale());
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].pointer, "/block/0");
  EXPECT_EQ(problems[0].message, "\"x\" is no axis");
  EXPECT_EQ(problems[1].pointer, "/shared_bytes");
  EXPECT_EQ(problems[1].message,
            "1.5 cannot be computed: only integers, axes, arithmetic and comparisons can");
}

TEST(Launch, SaysWhichArgumentThereIsNot) {
  Launch one = launch();
  one.arguments = {"x", "out"};
  const auto problems = launch_problems(one, scale());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].pointer, "/arguments/1");
  EXPECT_EQ(problems[0].message, "\"out\" is no input, no output and no axis");
}

}  // namespace
}  // namespace kbench

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

TEST(Launch, SaysWhatNoDeviceTakes) {
  Launch one = launch();
  one.block = {std::string("32 * N")};
  auto problems = launch_problems(one, scale());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].pointer, "/block/0");
  EXPECT_EQ(problems[0].message, "expected 1 to 1024, found 2048");
  one.block = {std::string("N"), std::int64_t{32}};
  problems = launch_problems(one, scale());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].pointer, "/block");
  EXPECT_EQ(problems[0].message,
            "a block has 2048 threads, and 1024 are the most that a device takes");
  one.block = {std::string("M"), std::int64_t{32}};  // M is not known
  EXPECT_TRUE(launch_problems(one, scale()).empty());
}

Problem problem_of(std::int64_t m) {
  Problem problem;
  problem.axes["M"] = m;
  problem.axes["N"] = 64;
  problem.inputs.resize(2);
  problem.inputs[0].tensor.name = "x";
  problem.inputs[1].tensor.name = "scale";
  problem.outputs.resize(1);
  problem.outputs[0].name = "y";
  return problem;
}

TEST(Launch, HasTheSizesOfAWorkload) {
  const auto bound = bind_launch(launch(), problem_of(300));
  const auto& one = std::get<worker::KernelLaunch>(bound);
  EXPECT_EQ(one.grid[0], 3u);
  EXPECT_EQ(one.grid[1], 64u);
  EXPECT_EQ(one.grid[2], 1u);
  EXPECT_EQ(one.block[0], 128u);
  EXPECT_EQ(one.block[1], 1u);
  EXPECT_EQ(one.shared_bytes, 256u);
  ASSERT_EQ(one.parameter_count, 3);
  EXPECT_EQ(one.parameters[0].argument, 0);
  EXPECT_EQ(one.parameters[1].argument, 2);  // stands behind both inputs
  EXPECT_EQ(one.parameters[2].argument, -1);
  EXPECT_EQ(one.parameters[2].length, 300);
}

TEST(Launch, TakesAllInputsAndOutputsWithoutArguments) {
  Launch all = launch();
  all.arguments.reset();
  const auto one = std::get<worker::KernelLaunch>(bind_launch(all, problem_of(0)));
  EXPECT_EQ(one.grid[0], 0u);  // nothing to do
  ASSERT_EQ(one.parameter_count, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(one.parameters[i].argument, i);
}

TEST(Launch, SaysWhichWorkloadsCannotBe) {
  const auto problem_with = [](LaunchSize grid, LaunchSize block, std::int64_t m) {
    Launch one = launch();
    one.grid = {std::int64_t{1}, std::move(grid)};
    one.block = {std::int64_t{32}, std::move(block)};
    return std::get<std::string>(bind_launch(one, problem_of(m)));
  };
  const std::int64_t good = 1;
  EXPECT_EQ(problem_with("M - 1", good, 0), "grid[1], M - 1: expected 0 to 65535, found -1");
  EXPECT_EQ(problem_with("65536 // M", good, 0), "grid[1], 65536 // M: division by zero");
  EXPECT_EQ(problem_with("M / 2", good, 3),
            "grid[1], M / 2: 3 / 2 is no integer; write // to round down");
  EXPECT_EQ(problem_with(good, "M", 33),
            "a block has 1056 threads, and 1024 are the most that a device takes");
  EXPECT_EQ(problem_with(good, "M", 2000), "block[1], M: expected 1 to 1024, found 2000");
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

// Fixture of the builders' tests: a cache of their own, and a folder for the libraries of a run.
#pragma once

#include <gtest/gtest.h>

#include "build/builder.hpp"
#include "support/temp_folder.hpp"

namespace kbench {

class BuildTest : public testing::Test {
 protected:
  TempFolder folder_;
  Cache cache_{folder_.path() / "builds", {1 << 28, 1 << 28}};
  Toolchain toolchain_ = system_toolchain();

  void SetUp() override {
    toolchain_.cache = &cache_;
    begin_run("first");
  }
  // Expects the fields that both compilers of CUDA fill for a kernel of theirs that scales.
  static void expect_scaler(const BuildResult& result, const std::string& kernel) {
    ASSERT_TRUE(result.compiled) << result.report;
    const auto& kernels = result.compiled->kernels;
    ASSERT_EQ(kernels.size(), 1u) << result.log;
    EXPECT_EQ(kernels[0].kernel, kernel);
    EXPECT_EQ(kernels[0].architecture, "sm_90");
    EXPECT_GT(kernels[0].registers, 0);
    EXPECT_EQ(*kernels[0].occupancy.find("256"), 1);
    const auto& warnings = result.compiled->warnings;
    ASSERT_EQ(warnings.size(), 1u) << result.log;
    EXPECT_EQ(warnings[0].file, "kernel.cu");
    EXPECT_EQ(warnings[0].line, 3);
  }
  // Begins another run, with a folder of its own.
  void begin_run(const char* name) { toolchain_.libraries = folder_.path() / name; }
};

}  // namespace kbench

// What tests of the builders share: a cache of their own, and a folder for the libraries of a run.
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
  // As another run does, with a folder of its own.
  void begin_run(const char* name) { toolchain_.libraries = folder_.path() / name; }
};

}  // namespace kbench

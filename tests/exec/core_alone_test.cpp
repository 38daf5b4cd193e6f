#include "exec/core_alone.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kbench {
namespace {

TEST(CoreAlone, IsTheLeastThatWasSeenAndLeavesTheCallersCores) {
  const std::vector<int> before = usable_cores();
  for (const int core : before) {
    const CoreSplit cores{-1, {core}};
    const double first = look_of_core_alone(cores);
    EXPECT_GT(first, 0);
    EXPECT_TRUE(std::isfinite(first));
    EXPECT_LE(look_of_core_alone(cores), first);
  }
  EXPECT_EQ(usable_cores(), before);
  EXPECT_GT(look_of_core_alone({}), 0);  // on any core
}

}  // namespace
}  // namespace kbench

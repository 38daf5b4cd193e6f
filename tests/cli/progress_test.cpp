#include "cli/progress.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Progress, SaysWhatIsLeftOfTheStepsThatAreExpected) {
  EXPECT_EQ(progress_text(0, 12, 0, "norm", 80), "[1/12] norm");
  EXPECT_EQ(progress_text(2, 12, 4, "norm", 80), "[3/12] norm, 20 s left");
  EXPECT_EQ(progress_text(2, 12, 4, "norm", 12), "[3/12] norm");
}

TEST(Progress, WithoutStepsItIsWhatRunsAlone) {
  EXPECT_EQ(progress_text(0, 0, 3, "many: 5 of 14 configurations", 80),
            "many: 5 of 14 configurations");
}

}  // namespace
}  // namespace kbench

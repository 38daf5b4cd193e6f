#include "worker/arithmetic_mode.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <limits>

namespace kbench::worker {
namespace {

TEST(ArithmeticMode, IsWhatProgramsStartWith) {
  volatile float third = 1;
  std::fesetround(FE_UPWARD);
  const float up = third / 3;
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // subnormals are zero
#endif
  volatile float small = std::numeric_limits<float>::min();
  reset_arithmetic_mode();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_GT(small / 4, 0);
  EXPECT_EQ(third / 3, 1.0F / 3);
  EXPECT_GE(up, third / 3);
}

}  // namespace
}  // namespace kbench::worker

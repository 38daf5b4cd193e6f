#include <gtest/gtest.h>

#include "exec/waiting.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;

class Watch : public testing::Test {
 protected:
  CallWatch::Clock::time_point begin_{};
  CallWatch watch_{1.0, 5.0, 7, begin_};  // a second a call, five in all; seven calls are over

  std::optional<double> look(std::uint64_t calls, int ms) {
    return watch_.look(calls, begin_ + milliseconds(ms));
  }
};

TEST_F(Watch, ACallHasItsLimit) {
  EXPECT_FALSE(look(8, 100));
  EXPECT_FALSE(look(8, 1099));
  EXPECT_EQ(look(8, 1100), 1.0);
}

TEST_F(Watch, NoCallAtAllHasItToo) {
  EXPECT_FALSE(look(7, 999));
  EXPECT_EQ(look(7, 1000), 1.0);
}

TEST_F(Watch, ProgressGivesTheNextCallItsTime) {
  for (int i = 1; i <= 5; ++i) EXPECT_FALSE(look(7U + static_cast<unsigned>(i), i * 900)) << i;
  EXPECT_FALSE(look(12, 4999));
}

TEST_F(Watch, FeignedProgressEndsAtTheLimitOfTheWhole) {
  for (int ms = 0; ms < 5000; ms += 100) ASSERT_FALSE(look(static_cast<unsigned>(ms), ms)) << ms;
  EXPECT_EQ(look(12345, 5000), 5.0);
}

TEST_F(Watch, LooksOftenEnoughAndNeverPastALimit) {
  EXPECT_FALSE(look(8, 0));
  EXPECT_LE(watch_.next_look() - begin_, milliseconds(63));
  EXPECT_FALSE(look(8, 999));
  EXPECT_EQ(watch_.next_look() - begin_, milliseconds(1000));
  EXPECT_FALSE(look(9, 4990));
  EXPECT_EQ(watch_.next_look() - begin_, milliseconds(5000));
}

}  // namespace
}  // namespace kbench

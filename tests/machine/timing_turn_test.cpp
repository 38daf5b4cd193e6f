#include "machine/timing_turn.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace kbench {
namespace {

using std::chrono::milliseconds;

// Another kbench of this machine may have the turn now and then: it is waited for.
constexpr milliseconds long_enough = std::chrono::minutes(2);

TEST(TimingTurn, IsOfOneAtATime) {
  auto first = std::make_unique<TimingTurn>(long_enough);
  ASSERT_TRUE(first->is_alone());
  EXPECT_FALSE(TimingTurn(milliseconds(10)).is_alone());
  first.reset();
  EXPECT_TRUE(TimingTurn(long_enough).is_alone());
}

TEST(TimingTurn, IsWaitedFor) {
  auto first = std::make_unique<TimingTurn>(long_enough);
  std::thread other([] { EXPECT_TRUE(TimingTurn(long_enough).is_alone()); });
  first.reset();
  other.join();
}

}  // namespace
}  // namespace kbench

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "machine/state.hpp"

namespace kbench {
namespace {

// Another kbench of this machine may have the turn now and then: it is waited for.
constexpr std::chrono::milliseconds long_enough = std::chrono::minutes(2);

TEST(TimingTurn, IsWaitedFor) {
  auto first = std::make_unique<TimingTurn>(long_enough);
  std::atomic<bool> is_second = false;
  std::thread other([&] { is_second = (TimingTurn(long_enough), true); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_second);
  first.reset();
  other.join();
}

}  // namespace
}  // namespace kbench

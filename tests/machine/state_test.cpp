#include "measure/machine/state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

TEST(MachineState, IsWhatTheKernelShows) {
  TempFolder root;
  root.write("proc/loadavg", "1.75 0.5 0.2 1/116 96365\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n");
  root.write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  const MachineState state = machine_state(root.path());
  EXPECT_EQ(state.load, 1.75);
  EXPECT_EQ(state.governor, "schedutil");
  ASSERT_TRUE(state.boost);
  EXPECT_TRUE(state.boost->is_on);
  EXPECT_EQ(state.boost->off, "0");
}

TEST(MachineState, IntelsDriverSaysThatThereIsNoBoost) {
  TempFolder root;
  root.write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  const auto boost = machine_state(root.path()).boost;
  ASSERT_TRUE(boost);
  EXPECT_FALSE(boost->is_on);
  EXPECT_EQ(boost->off, "1");
  EXPECT_EQ(boost->file, root.path() / "sys/devices/system/cpu/intel_pstate/no_turbo");
}

TEST(MachineState, NothingIsKnownWhereNothingIsShown) {
  const MachineState state = machine_state("/nonexistent");
  EXPECT_FALSE(state.load);
  EXPECT_EQ(state.governor, "");
  EXPECT_FALSE(state.boost);
}

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

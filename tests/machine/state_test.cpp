#include "machine/state.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kbench

#include "measure/machine/gpu_state.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace kbench {
namespace {

TEST(GpuState, IsWhatTheLibrarySays) {
  ::setenv("KBENCH_NVML", KBENCH_FAKE_NVML, 1);
  EXPECT_EQ(gpu_state("GPU-2"), std::nullopt);
  const auto state = gpu_state("GPU-1");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->clock_mhz, 1410);
  EXPECT_EQ(state->max_clock_mhz, 1980);
  EXPECT_EQ(state->memory_mhz, 2619);
  EXPECT_EQ(state->celsius, 83);
  EXPECT_EQ(state->watts, 0);                                                // it does not tell
  EXPECT_EQ(state->slowed_by, (std::vector<std::string>{"power", "heat"}));  // to be idle is not
}

TEST(GpuState, ClocksAreLockedForAWhile) {
  ::setenv("KBENCH_NVML", KBENCH_FAKE_NVML, 1);
  EXPECT_THROW(lock_clocks("GPU-2"), std::runtime_error);
  EXPECT_THROW(lock_clocks("GPU-1"), std::runtime_error);  // it is no administrator
  ::setenv("FAKE_NVML_ROOT", "1", 1);
  {
    const auto lock = lock_clocks("GPU-1");
    EXPECT_EQ(gpu_state("GPU-1")->clock_mhz, 1590);
  }
  EXPECT_EQ(gpu_state("GPU-1")->clock_mhz, 1410);
}

TEST(GpuState, NamesEachReason) {
  EXPECT_TRUE(slowed_by(0).empty());
  EXPECT_TRUE(slowed_by(0x103).empty());
  EXPECT_EQ(slowed_by(0xfc).size(), 6u);
}

}  // namespace
}  // namespace kbench

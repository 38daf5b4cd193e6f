#include "measure/machine/state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>

#include "base/work_folder.hpp"
#include "measure/machine/best_rate.hpp"
#include "measure/machine/gpu_state.hpp"
#include "measure/machine/identity.hpp"
#include "measure/machine/peaks.hpp"
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

using Words = std::vector<std::string>;

TEST(CpuFeatures, AreThoseOfTheFirstProcessor) {
  EXPECT_EQ(
      cpu_features("processor\t: 0\nflags\t\t: fpu avx2  fma\n\nprocessor\t: 1\nflags\t: x\n"),
      (Words{"fpu", "avx2", "fma"}));
  EXPECT_EQ(cpu_features("processor : 0\nFeatures : fp asimd i8mm\n"),
            (Words{"fp", "asimd", "i8mm"}));
  EXPECT_EQ(cpu_features(""), Words{});
}

TEST(NarrowMultiples, AreThoseOfTheWidestUnit) {
  const auto multiples = [](const Words& features) {
    const NarrowMultiples times = narrow_multiples(features);
    return std::pair(times.in_16_bit, times.in_8_bit);
  };
  EXPECT_EQ(multiples({}), std::pair(1.0, 1.0));
  EXPECT_EQ(multiples({"sse2", "avx2", "avx512f"}), std::pair(1.0, 4.0));
  EXPECT_EQ(multiples({"avx2", "avx512_fp16", "amx_bf16", "amx_int8"}), std::pair(16.0, 32.0));
  EXPECT_EQ(multiples({"asimdhp", "asimddp", "bf16", "i8mm"}), std::pair(4.0, 8.0));
}

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
  EXPECT_EQ(state->slowed_by, (std::vector<std::string>{"power", "heat"}));  // idle slows nobody
}

TEST(GpuState, ClocksAreLockedForAWhile) {
  ::setenv("KBENCH_NVML", KBENCH_FAKE_NVML, 1);
  EXPECT_THROW(lock_clocks("GPU-2"), std::runtime_error);
  EXPECT_THROW(lock_clocks("GPU-1"), std::runtime_error);  // the process is no administrator
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

MeasuredPeaks example() {
  return {{{{16384, {100e9, 200e9}}, {32768, {10e9, 15e9}}}, {1e11, 2e11}, 2, 4}, 2, "2026-11-22"};
}

void expect_equal(const MeasuredPeaks& a, const MeasuredPeaks& b) {
  EXPECT_EQ(write_peaks(a), write_peaks(b));
  EXPECT_EQ(a.peaks.float32.all, b.peaks.float32.all);
  ASSERT_EQ(a.peaks.bandwidth.size(), b.peaks.bandwidth.size());
  EXPECT_EQ(a.peaks.bandwidth[1].bytes, b.peaks.bandwidth[1].bytes);
  EXPECT_EQ(a.peaks.bandwidth[1].bytes_per_second.one, b.peaks.bandwidth[1].bytes_per_second.one);
}

TEST(Peaks, AreReadAsTheyAreWritten) {
  const auto read = read_peaks(write_peaks(example()));
  ASSERT_TRUE(read);
  expect_equal(*read, example());
}

TEST(Peaks, AreNothingInAnyOtherText) {
  for (const std::string text : {"", "{", "[]", "{\"cores\": 2}", "null"})
    EXPECT_FALSE(read_peaks(text)) << text;
  MeasuredPeaks none = example();
  none.peaks.bandwidth.clear();
  EXPECT_FALSE(read_peaks(write_peaks(none)));
}

TEST(Peaks, AreKeptForThatNumberOfCores) {
  const WorkFolder folder(std::filesystem::temp_directory_path(), "kbench-peaks-");
  Cache cache(folder.path(), {1 << 20, 1 << 20});
  EXPECT_FALSE(find_peaks(cache, 2));
  keep_peaks(cache, example());
  const auto found = find_peaks(cache, 2);
  ASSERT_TRUE(found);
  expect_equal(*found, example());
  EXPECT_FALSE(find_peaks(cache, 3));
}

TEST(Peaks, AreMeasuredFromTheFirstCacheToBeyondTheLast) {
  const auto sizes = peak_sizes();
  ASSERT_GE(sizes.size(), 2U);
  EXPECT_EQ(sizes.front(), 16384U);
  for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], 2 * sizes[i - 1]);
}

TEST(Peaks, OfThisMachine) {
  std::vector<std::size_t> steps;
  const Peaks peaks = measure_peaks({1 << 14, 1 << 16}, 2, [&](std::size_t step, std::size_t all) {
    steps.push_back(step);
    EXPECT_EQ(all, 3U);
  });
  EXPECT_EQ(steps, (std::vector<std::size_t>{1, 2, 3}));
  // Bounds are a thousand times slower and faster than any machine of today.
  EXPECT_GT(peaks.float32.one, 1e7);
  EXPECT_LT(peaks.float32.one, 1e14);
  ASSERT_EQ(peaks.bandwidth.size(), 2U);
  EXPECT_GT(peaks.bandwidth[1].bytes_per_second.one, 1e7);
  EXPECT_LT(peaks.bandwidth[0].bytes_per_second.all, 1e14);
  EXPECT_GE(peaks.bandwidth[0].bytes_per_second.one, peaks.bandwidth[1].bytes_per_second.one);
  EXPECT_GE(peaks.float32.all, peaks.float32.one);
}

}  // namespace

}  // namespace kbench

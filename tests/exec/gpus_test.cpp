#include "exec/gpus.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>

namespace kbench {
namespace {

constexpr const char* two =
    R"([{"name": "NVIDIA H100 80GB HBM3", "uuid": "GPU-1", "memory_bytes": 85017755648,
  "driver_version": 13050, "major": 9, "minor": 0, "multiprocessors": 132, "clock_khz": 1980000,
  "memory_clock_khz": 2619000, "memory_bus_bits": 5120, "cache_bytes": 52428800},
 {"name": "two \"quotes\"", "uuid": "GPU-2", "major": 12, "minor": 1}]
)";

TEST(Gpus, AreReadFromWhatTheWorkerPrints) {
  const Gpus gpus = read_gpus(two);
  EXPECT_EQ(gpus.problem, "");
  ASSERT_EQ(gpus.all.size(), 2u);
  const Gpu& h100 = gpus.all[0];
  EXPECT_EQ(h100.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(h100.architecture, "sm_90");
  EXPECT_EQ(h100.driver, "13.5");
  EXPECT_EQ(h100.memory_bytes, 85017755648);
  EXPECT_EQ(h100.clock_hz, 1.98e9);
  EXPECT_NEAR(h100.bytes_per_second, 3.352e12, 1e9);  // its data sheet: 3.35 TB/s
  EXPECT_EQ(gpus.all[1].name, "two \"quotes\"");
  EXPECT_EQ(gpus.all[1].architecture, "sm_121");
}

TEST(Gpus, ThatAreNotThereHaveAReason) {
  EXPECT_EQ(read_gpus("[]\n").problem, "no CUDA device");
  EXPECT_EQ(read_gpus("\"cuInit: CUDA_ERROR_NO_DEVICE (100)\"\n").problem,
            "cuInit: CUDA_ERROR_NO_DEVICE (100)");
  EXPECT_EQ(read_gpus("Segmentation fault").problem,
            "kbench-worker-cuda --devices says: Segmentation fault");
  EXPECT_EQ(find_gpus("/nonexistent").all.size(), 0u);
}

TEST(Gpus, TensorsAreCopiedUntilTheyLeaveTheCache) {
  Gpu gpu;
  gpu.cache_bytes = 50 << 20;
  gpu.memory_bytes = std::int64_t{80} << 30;
  EXPECT_EQ(rotating_copies(gpu, 1 << 20), 101u);
  EXPECT_EQ(rotating_copies(gpu, std::uint64_t{1} << 30), 2u);
  EXPECT_EQ(rotating_copies(gpu, std::uint64_t{70} << 30), 1u);  // no room for two
  EXPECT_EQ(rotating_copies(gpu, 0), 32768u);                    // scalars alone
}

TEST(GpuLock, IsOfOneProcessAtATimeAndTakesAnotherDevice) {
  std::vector<Gpu> gpus(2);
  gpus[0].uuid = "GPU-test-1-" + std::to_string(::getpid());
  gpus[1].uuid = "GPU-test-2-" + std::to_string(::getpid());
  std::future<std::string> third;
  {
    const auto patient = [] { return true; };
    const auto first = lock_gpus(gpus, 1, patient);
    const auto second = lock_gpus(gpus, 2, patient);
    ASSERT_EQ(first.size(), 1u);
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(first.front().gpu().uuid, gpus[0].uuid);
    EXPECT_EQ(second.front().gpu().uuid, gpus[1].uuid);
    EXPECT_TRUE(lock_gpus(gpus, 1, [] { return false; }).empty());
    third = std::async(std::launch::async,
                       [=] { return lock_gpus(gpus, 1, patient).front().gpu().uuid; });
    EXPECT_EQ(third.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  }
  EXPECT_EQ(third.get(), gpus[0].uuid);  // it waited
  for (const Gpu& gpu : gpus) std::filesystem::remove("/tmp/kbench-" + gpu.uuid + ".lock");
}

}  // namespace
}  // namespace kbench

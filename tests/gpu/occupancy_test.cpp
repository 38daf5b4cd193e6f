// Occupancy beside NVIDIA's own calculation, a header of the CUDA Toolkit, for every architecture.
#include <gtest/gtest.h>

#include <climits>

#include "build/gpu/architecture.hpp"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

namespace kbench::gpu {
namespace {

cudaOccDeviceProp device_of(const Architecture& architecture) {
  const int number = std::stoi(std::string(architecture.name.substr(3)));
  cudaOccDeviceProp device;
  device.computeMajor = number / 10;
  device.computeMinor = number % 10;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = 32 * architecture.warps;
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.numSms = 1;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(architecture.shared_bytes);
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(architecture.block_shared_bytes);
  device.reservedSharedMemPerBlock = static_cast<std::size_t>(architecture.reserved_shared_bytes);
  return device;
}

cudaOccFuncAttributes kernel_of(const Architecture& architecture, const KernelNeeds& needs) {
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = INT_MAX;
  kernel.numRegs = needs.registers;
  kernel.sharedSizeBytes = 0;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(architecture.block_shared_bytes);
  kernel.numBlockBarriers = 1;
  kernel.virtualResourceCount = 0;
  return kernel;
}

double nvidias(const Architecture& architecture, const KernelNeeds& needs, int block_threads) {
  const cudaOccDeviceProp device = device_of(architecture);
  const cudaOccFuncAttributes kernel = kernel_of(architecture, needs);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const auto shared = static_cast<std::size_t>(needs.shared_bytes);
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel,
                                                                     &state, block_threads, shared);
  EXPECT_EQ(error, CUDA_OCC_SUCCESS) << architecture.name << ' ' << shared;
  const int block_warps = (block_threads + 31) / 32;
  return static_cast<double>(result.activeBlocksPerMultiprocessor * block_warps) /
         architecture.warps;
}

TEST(Occupancy, IsWhatNvidiasHeaderCalculates) {
  int compared = 0;
  for (const Architecture& architecture : architectures())
    for (const int registers : {1, 16, 24, 32, 33, 40, 48, 63, 64, 72, 96, 127, 128, 168, 200, 255})
      for (std::int64_t shared = 0; shared <= architecture.block_shared_bytes; shared += 3331)
        for (int threads = 1; threads <= 1024; threads += threads < 64 ? 21 : 53) {
          const KernelNeeds needs{registers, shared};
          ASSERT_EQ(occupancy(architecture, needs, threads), nvidias(architecture, needs, threads))
              << architecture.name << ": " << registers << " registers, " << shared
              << " bytes of shared memory, blocks of " << threads;
          ++compared;
        }
  EXPECT_GT(compared, 50'000);
}

}  // namespace
}  // namespace kbench::gpu

#else

TEST(Occupancy, IsWhatNvidiasHeaderCalculates) {
  GTEST_SKIP() << "no cuda_occupancy.h: no CUDA Toolkit";
}

#endif

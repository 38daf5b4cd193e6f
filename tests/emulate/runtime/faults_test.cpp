// Kernels with one fault each about memory, beside right ones: every fault is found at its line,
// and nothing is said of a right one, whatever the order.
#include "emulate/runtime/faults.hpp"

#include <cooperative_groups.h>
#include <mma.h>

namespace {

using emulation_test::fault;
using emulation_test::Faults;
using emulation_test::threads;

// ---- Bounds

constexpr int beyond_line = __LINE__ + 2;
__global__ void read_at(const float* x, float* y, int i) {
  y[threadIdx.x] = x[int(threadIdx.x) + i];
}

TEST_F(Faults, ReadsBeyondAnInput) {
  in_all_orders([&] { KB_LAUNCH((read_at), (1, threads), x.data(), y.data(), 0); });
  EXPECT_EQ(y[5], 1.0f);
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((read_at), (1, threads), x.data(), y.data(), 1),
               fault("OUT_OF_BOUNDS read of 4 bytes at byte 256 of x \\(256 bytes\\)", beyond_line,
                     "read_at"));
  EXPECT_FAULT(KB_LAUNCH((read_at), (1, threads), x.data(), y.data(), -1),
               fault("OUT_OF_BOUNDS read of 4 bytes, 4 bytes before x", beyond_line, "read_at"));
  EXPECT_FAULT(KB_LAUNCH((read_at), (1, threads), nullptr, y.data(), 0),
               fault("OUT_OF_BOUNDS read of 4 bytes at address", beyond_line, "read_at"));
}

constexpr int write_line = __LINE__ + 1;
__global__ void write_at(float* y, int i) { y[threadIdx.x + i] = 1; }

TEST_F(Faults, WritesBeyondAnOutputAndToAnInput) {
  in_all_orders([&] { KB_LAUNCH((write_at), (1, threads), y.data(), 0); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((write_at), (1, threads), y.data(), 1),
               fault("OUT_OF_BOUNDS write of 4 bytes at byte 256 of y", write_line, "write_at"));
  EXPECT_FAULT(KB_LAUNCH((write_at), (1, threads), x.data(), 0),
               fault("READ_ONLY write of 4 bytes of x", write_line, "write_at"));
}

__global__ void host_memory(const float* pointer, float* y) { y[0] = *pointer; }

TEST_F(Faults, MemoryOfTheHostIsNobodys) {
  float on_the_stack = 1;
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((host_memory), (1, 1), &on_the_stack, y.data()),
               "OUT_OF_BOUNDS read of 4 bytes of memory that is nobody's");
}

__global__ void copy_all(const float* x, float* y, int count) {
  memcpy(y, x, static_cast<size_t>(count) * sizeof(float));
}

TEST_F(Faults, MemcpyOfTheCLibraryIsChecked) {
  in_all_orders([&] { KB_LAUNCH((copy_all), (1, 1), x.data(), y.data(), threads); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((copy_all), (1, 1), x.data(), y.data(), threads + 1),
               "OUT_OF_BOUNDS read of 260");
}

__global__ void shared_at_index(const float* x, float* y, int i) {
  KB_SHARED(float, row, [threads]);
  float* const place = row;
  place[threadIdx.x + static_cast<unsigned>(i)] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = row[threadIdx.x];
}
constexpr int shared_line = __LINE__ - 4;

TEST_F(Faults, WritesBeyondSharedMemory) {
  in_all_orders([&] { KB_LAUNCH((shared_at_index), (1, threads), x.data(), y.data(), 0); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((shared_at_index), (1, threads), x.data(), y.data(), 1),
               fault("OUT_OF_BOUNDS write of 4 bytes at byte 256 of shared row \\(256 bytes\\)",
                     shared_line, "shared_at_index"));
}

__global__ void dynamic_at(const float* x, float* y) {
  float* const row = kbench_emulation::dynamic_shared<float>("row");
  row[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = row[threadIdx.x];
}

TEST_F(Faults, WritesBeyondDynamicSharedMemory) {
  in_all_orders([&] { KB_LAUNCH((dynamic_at), (1, threads, 256), x.data(), y.data()); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((dynamic_at), (1, threads, 252), x.data(), y.data()),
               fault("OUT_OF_BOUNDS write of 4 bytes at byte 252 of shared row", __LINE__ - 9,
                     "dynamic_at"));
}

// ---- Alignment

constexpr int misaligned_line = __LINE__ + 2;
__global__ void vectors(const float* x, float* y) {
  const float4 four = *reinterpret_cast<const float4*>(x);
  y[threadIdx.x] = four.x + four.w;
}

TEST_F(Faults, MisalignedVectors) {
  alignas(16) static std::vector<float> data(threads + 4, 1.0f);
  const auto offset = (16 - reinterpret_cast<uintptr_t>(data.data()) % 16) % 16 / 4;
  call.input(data, "data");
  in_all_orders([&] { KB_LAUNCH((vectors), (1, threads), data.data() + offset, y.data()); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((vectors), (1, threads), data.data() + offset + 1, y.data()),
               fault("MISALIGNED .* of 16 bytes", misaligned_line, "vectors"));
}

// ---- Memory that nothing was written to

constexpr int unwritten_line = __LINE__ + 1;
__global__ void add_to(float* y) { y[threadIdx.x] += 1; }

TEST_F(Faults, ReadsAnOutputBeforeItIsWritten) {
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((add_to), (1, threads), y.data()),
               fault("UNINITIALISED read of 4 bytes of y at byte", unwritten_line, "add_to"));
  cudaMemset(y.data(), 0, sizeof(float) * y.size());
  KB_LAUNCH((add_to), (1, threads), y.data());
  EXPECT_EQ(y[7], 1.0f);
}

TEST_F(Faults, MemoryOfCudaMallocIsUnwrittenAndFreedOnceOnly) {
  float *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMalloc(&a, 256), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&b, 256), cudaSuccess);
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((read_at), (1, threads), a, y.data(), 0),
               "UNINITIALISED .* of memory 1 of cudaMalloc");
  ASSERT_EQ(cudaMemcpy(a, x.data(), 256, cudaMemcpyHostToDevice), cudaSuccess);
  KB_LAUNCH((read_at), (1, threads), a, y.data(), 0);
  EXPECT_EQ(y[9], 1.0f);
  // Copies of unwritten memory are unwritten.
  ASSERT_EQ(cudaMemcpy(a, b, 256, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_FAULT(KB_LAUNCH((read_at), (1, threads), a, y.data(), 0), "UNINITIALISED");
  EXPECT_EQ(cudaMemcpy(a, x.data(), 260, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(cudaFree(a), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_FAULT(KB_LAUNCH((write_at), (1, threads), a, 0), "OUT_OF_BOUNDS");
  EXPECT_EQ(cudaFree(b), cudaSuccess);
}

__global__ void half_written(float* y, bool all) {
  KB_SHARED(float, row, [threads]);
  if (all || threadIdx.x != 5) row[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = row[threadIdx.x];
}

// A value that was read may stay unused: that is a note, and nonsense that shows where it is used.
TEST_F(Faults, ReadsSharedMemoryThatNothingWasWrittenTo) {
  call.begin();
  testing::internal::CaptureStderr();
  KB_LAUNCH((half_written), (1, threads), y.data(), true);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  KB_LAUNCH((half_written), (1, threads), y.data(), false);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("NOTE UNINITIALISED read of 4 bytes of shared row"), said.npos) << said;
  EXPECT_NE(said.find("_test.cpp:" + std::to_string(__LINE__ - 13)), said.npos) << said;
  EXPECT_NE(y[5], y[5]);
}

// ---- The rest

__global__ void traps(int kind) {
  if (kind == 0) __trap();
  assert(kind != 1);
}

TEST_F(Faults, TrapsAndAssertions) {
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((traps), (1, 1), 0), fault("TRAP __trap\\(\\)", __LINE__ - 6, "traps"));
  EXPECT_FAULT(KB_LAUNCH((traps), (1, 1), 1), fault("ASSERT kind != 1", __LINE__ - 6, "traps"));
  KB_LAUNCH((traps), (1, 1), 2);
}

template <int kBytes>
__global__ void much_shared(float* y) {
  KB_SHARED(char, all, [kBytes]);
  all[threadIdx.x] = 1;
  y[threadIdx.x] = all[threadIdx.x];
}

TEST_F(Faults, LaunchesThatADeviceRefuses) {
  call.begin();
  const auto error = [&](auto config) {
    KB_LAUNCH((dynamic_at), (config.grid, config.block, config.shared), x.data(), y.data());
    return cudaGetLastError();
  };
  using Config = kbench_emulation::Config;
  EXPECT_EQ(error(Config(1, threads, 256)), cudaSuccess);
  EXPECT_EQ(error(Config(1, 1025, 256)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error(Config(1, dim3(32, 33), 256)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error(Config(1, dim3(1, 1, 65), 256)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error(Config(0, 32, 256)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error(Config(dim3(1, 65536), 32, 256)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(error(Config(1, threads, 48 * 1024 + 1)), cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaFuncSetAttribute(dynamic_at, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10),
      cudaErrorInvalidValue);
  cudaGetLastError();
  ASSERT_EQ(
      cudaFuncSetAttribute(dynamic_at, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10),
      cudaSuccess);
  EXPECT_EQ(error(Config(1, threads, 227 << 10)), cudaSuccess);
  KB_LAUNCH((much_shared<48 << 10>), (1, threads), y.data());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_FAULT(KB_LAUNCH((much_shared<(48 << 10) + 1>), (1, threads), y.data()),
               "TOO_MUCH_SHARED_MEMORY 49153 bytes of static");
}

__global__ void static_and_dynamic() {
  KB_SHARED(char, fixed, [40000]);
  fixed[threadIdx.x] = 0;
  kbench_emulation::dynamic_shared<char>("more")[threadIdx.x] = 0;
}

TEST_F(Faults, StaticAndDynamicMemoryTogether) {
  call.begin();
  KB_LAUNCH((static_and_dynamic), (1, 32, 9152));
  EXPECT_FAULT(KB_LAUNCH((static_and_dynamic), (1, 32, 9153)),
               "TOO_MUCH_SHARED_MEMORY 40000 bytes of static and 9153 of dynamic");
  ASSERT_EQ(
      cudaFuncSetAttribute(static_and_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 20000),
      cudaSuccess);
  KB_LAUNCH((static_and_dynamic), (1, 32, 20000));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

__global__ void bounded() { kbench_emulation::keep_bounds(32, 2); }

TEST_F(Faults, MoreThreadsThanTheLaunchBounds) {
  call.begin();
  KB_LAUNCH((bounded), (1, 32));
  EXPECT_FAULT(KB_LAUNCH((bounded), (1, 33)),
               "LAUNCH_BOUNDS a block of 33 threads; __launch_bounds__ allows 32");
}

__global__ void grid_sync() { cooperative_groups::this_grid().sync(); }

TEST_F(Faults, BarrierOfTheGridInAnOrdinaryLaunch) {
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((grid_sync), (2, 32)), "BAD_BARRIER a barrier of the whole grid");
  EXPECT_EQ(cudaLaunchCooperativeKernel(grid_sync, 2, 32, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(grid_sync, 132 * 64 + 1, 32, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
}

using Tile = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;
__global__ void store_other_memory(const float* x, float* y) {
  store_matrix_sync(y, *reinterpret_cast<const Tile*>(x), 16, nvcuda::wmma::mem_row_major);
}
__global__ void copy(const float* x, float* y) { cudaMemcpy(y, x, 4, cudaMemcpyDefault); }

TEST_F(Faults, WhatTheRuntimeTouchesForAKernel) {
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((store_other_memory), (1, 32), x.data() + threads, y.data()),
               "OUT_OF_BOUNDS (read|write)");
  EXPECT_FAULT(KB_LAUNCH((copy), (1, 1), &x[0], &y[0]), "NOT_EMULATED a copy by a kernel");
  EXPECT_FAULT(run({1, 1}, kbench_emulation::Kernel{nullptr, &x[0], 4096, nullptr, "", {}}),
               "NOT_EMULATED a launch whose arguments lie elsewhere");
}

}  // namespace

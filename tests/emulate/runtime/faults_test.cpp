// Kernels with one fault each, beside right ones: every fault is found at its line, and nothing is
// said of a right one, whatever the order.
#include <cooperative_groups.h>

#include <numeric>

#include "emulate/runtime/launching.hpp"

namespace {

using emulation_test::Call;
using emulation_test::fault;
using emulation_test::orders;

constexpr int threads = 64;

struct Faults : testing::Test {
  std::vector<float> x = std::vector<float>(threads, 1.0f);
  std::vector<float> y = std::vector<float>(threads);
  std::vector<int> n = std::vector<int>(threads);
  Call call;

  void SetUp() override { call.input(x, "x").output(y, "y").output(n, "n"); }
  // launch() in all orders.
  template <typename Launch>
  void in_all_orders(Launch launch) {
    for (int seed = 0; seed < orders; ++seed) {
      call.begin(static_cast<uint64_t>(seed));
      launch();
      ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    }
  }
};

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
  // What is copied from unwritten memory is unwritten.
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

// It may be that nobody uses what was read: a note, and nonsense that shows where it is used.
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

// ---- Races

constexpr int race_line = __LINE__ + 5;
__global__ void reverse(const float* x, float* y, bool waits) {
  KB_SHARED(float, row, [threads]);
  row[threadIdx.x] = x[threadIdx.x];
  if (waits) __syncthreads();
  y[threadIdx.x] = row[threads - 1 - threadIdx.x];
}

TEST_F(Faults, RacesBetweenBarriers) {
  in_all_orders([&] { KB_LAUNCH((reverse), (4, threads), x.data(), y.data(), true); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((reverse), (1, threads), x.data(), y.data(), false),
               "RACE (read|write) of 4 bytes of shared row at byte .*, which thread "
               "\\([0-9]+,0,0\\) has (read|written).*faults_test.cpp:(" +
                   std::to_string(race_line) + "|" + std::to_string(race_line - 2) + ")");
}

__global__ void overwrite(float* y, bool waits) {
  KB_SHARED(float, row, [threads]);
  for (unsigned i = 0; i < 2; ++i) {
    row[threadIdx.x] = static_cast<float>(i + threadIdx.x);
    __syncthreads();
    y[threadIdx.x] = row[(threadIdx.x + 33) % threads];
    if (waits) __syncthreads();
  }
}

TEST_F(Faults, WritesWhatOthersStillRead) {
  in_all_orders([&] { KB_LAUNCH((overwrite), (1, threads), y.data(), true); });
  for (uint64_t seed = 0; seed < 5; ++seed) {
    call.begin(seed);
    EXPECT_FAULT(KB_LAUNCH((overwrite), (1, threads), y.data(), false),
                 "RACE (read|write) of 4 bytes of shared row");
  }
}

constexpr int warp_line = __LINE__ + 6;
__global__ void lanes(float* y, bool waits) {
  KB_SHARED(float, row, [32]);
  row[threadIdx.x] = static_cast<float>(threadIdx.x);
  if (waits) __syncwarp();
  // The neighbour's.
  y[threadIdx.x] = row[threadIdx.x ^ 1];
}

TEST_F(Faults, RacesWithinAWarp) {
  in_all_orders([&] { KB_LAUNCH((lanes), (1, 32), y.data(), true); });
  EXPECT_EQ(y[6], 7.0f);
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((lanes), (1, 32), y.data(), false),
               "RACE .*without a __syncwarp or barrier in between.*faults_test.cpp:(" +
                   std::to_string(warp_line) + "|" + std::to_string(warp_line - 3) + ")");
}

__global__ void halves(float* y, bool across) {
  KB_SHARED(float, row, [32]);
  const unsigned half = threadIdx.x / 16, mask = half == 0 ? 0xffffu : 0xffff0000u;
  row[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncwarp(mask);
  y[threadIdx.x] = row[threadIdx.x ^ (across ? 16 : 1)];
}

TEST_F(Faults, HalfAWarpWaitsForItself) {
  in_all_orders([&] { KB_LAUNCH((halves), (1, 32), y.data(), false); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((halves), (1, 32), y.data(), true), "RACE");
}

__global__ void all_write_the_same(float* y) {
  KB_SHARED(float, total, [1]);
  total[0] = 5;
  __syncthreads();
  y[threadIdx.x] = total[0];
}

TEST_F(Faults, WritingTheSameValueIsNoRace) {
  in_all_orders([&] { KB_LAUNCH((all_write_the_same), (1, threads), y.data()); });
}

__global__ void all_write(float* y, int stride) {
  y[0] = static_cast<float>(threadIdx.x / static_cast<unsigned>(stride));
}

TEST_F(Faults, WritingDifferentValuesIs) {
  in_all_orders([&] { KB_LAUNCH((all_write), (1, threads), y.data(), 1000); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((all_write), (1, threads), y.data(), 1),
               "RACE write of 4 bytes of y at byte 0, which thread .* has written");
}

__global__ void by_blocks(float* y, bool is_shared_place) {
  if (threadIdx.x == 0) y[is_shared_place ? 0 : blockIdx.x] = static_cast<float>(blockIdx.x);
}

TEST_F(Faults, BlocksThatWriteToOnePlace) {
  in_all_orders([&] { KB_LAUNCH((by_blocks), (8, 32), y.data(), false); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((by_blocks), (8, 32), y.data(), true),
               "RACE write of 4 bytes of y at byte 0, which another block has written");
}

__global__ void read_others(const float* x, float* y) {
  y[blockIdx.x] = x[blockIdx.x];
  if (blockIdx.x > 0) y[blockIdx.x + 32] = y[blockIdx.x - 1];
}

TEST_F(Faults, BlocksThatReadWhatOthersWrite) {
  call.begin();
  cudaMemset(y.data(), 0, sizeof(float) * y.size());
  EXPECT_FAULT(KB_LAUNCH((read_others), (32, 1), x.data(), y.data()), "RACE");
}

// The last block to come adds up what all have left. Without the fence that is a race.
__global__ void last_block(const float* x, float* parts, int* count, float* out, bool fences) {
  KB_SHARED(bool, is_last, );
  parts[blockIdx.x] = x[blockIdx.x];
  if (fences) __threadfence();
  is_last = atomicAdd(count, 1) == static_cast<int>(gridDim.x) - 1;
  if (!is_last) return;
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += parts[i];
  *out = sum;
}

TEST_F(Faults, TheLastBlockIsOrderedByAFence) {
  std::vector<float> out(1);
  std::vector<int> count(1);
  call.output(out, "out").output(count, "count");
  in_all_orders([&] {
    cudaMemset(count.data(), 0, sizeof(int));
    KB_LAUNCH((last_block), (threads, 1), x.data(), y.data(), count.data(), out.data(), true);
    EXPECT_EQ(out[0], threads);
  });
  call.begin();
  cudaMemset(count.data(), 0, sizeof(int));
  EXPECT_FAULT(
      KB_LAUNCH((last_block), (threads, 1), x.data(), y.data(), count.data(), out.data(), false),
      "RACE read of 4 bytes of y at byte .*, which another block has written");
}

// ---- Barriers and masks

constexpr int arms_line = __LINE__ + 3;
__global__ void two_barriers(float* y, bool apart) {
  if (apart && threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  y[threadIdx.x] = 1;
}

TEST_F(Faults, DivergentBarriers) {
  in_all_orders([&] { KB_LAUNCH((two_barriers), (1, threads), y.data(), false); });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((two_barriers), (1, threads), y.data(), true),
               "DIVERGENT_BARRIER .*others are at that of line (" + std::to_string(arms_line) +
                   "|" + std::to_string(arms_line + 2) + ")");
}

__global__ void leaves_early(float* y, int count) {
  if (static_cast<int>(threadIdx.x) >= count) return;
  __syncthreads();
  y[threadIdx.x] = 1;
}

// Since Volta a barrier waits for the threads that have not ended.
TEST_F(Faults, ThreadsThatHaveEndedAreNotWaitedFor) {
  in_all_orders([&] { KB_LAUNCH((leaves_early), (1, threads), y.data(), 40); });
}

constexpr int half_line = __LINE__ + 2;
__global__ void half_a_warp(float* y, unsigned lanes) {
  if (threadIdx.x % 32 < lanes) y[threadIdx.x] = __shfl_xor_sync(0xffffffff, 1.0f, 1);
  __syncthreads();
}

TEST_F(Faults, LanesThatNeverCome) {
  in_all_orders([&] { KB_LAUNCH((half_a_warp), (1, threads), y.data(), 32u); });
  call.begin();
  EXPECT_FAULT(
      KB_LAUNCH((half_a_warp), (1, threads), y.data(), 16u),
      fault("BAD_SYNC_MASK lanes 0xffffffff of the warp are waited for, and only 0x0000ffff",
            half_line, "half_a_warp"));
}

__global__ void not_in_its_mask(float* y) { y[threadIdx.x] = __shfl_sync(0xfffffffe, 1.0f, 1); }

TEST_F(Faults, MaskWithoutTheLaneThatCalls) {
  call.begin();
  EXPECT_FAULT(
      KB_LAUNCH((not_in_its_mask), (1, 32), y.data()),
      fault("BAD_SYNC_MASK the mask 0xfffffffe lacks lane 0", __LINE__ - 6, "not_in_its_mask"));
}

__global__ void from_outside(float* y) { y[threadIdx.x] = __shfl_sync(1u << threadIdx.x, 1.0f, 5); }

TEST_F(Faults, ValueOfALaneThatTakesNoPart) {
  call.begin();
  testing::internal::CaptureStderr();
  KB_LAUNCH((from_outside), (1, 8), y.data());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("NOTE BAD_SYNC_MASK lane"),
            std::string::npos);
  EXPECT_NE(y[4], y[4]);
  EXPECT_EQ(y[5], 1.0f);
}

__global__ void barrier_or_shuffle(float* y) {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    y[threadIdx.x] = __shfl_sync(0xffffffff, 1.0f, 0);
  }
}

TEST_F(Faults, SomeAtABarrierAndSomeInACollective) {
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((barrier_or_shuffle), (1, 32), y.data()),
               "BAD_SYNC_MASK .*16 at a barrier");
}

__global__ void waits_for_nobody(int* n) {
  while (atomicAdd(n, 0) == 0) {
  }
}

TEST_F(Faults, MemoryThatNobodyChanges) {
  call.begin();
  cudaMemset(n.data(), 0, sizeof(int));
  EXPECT_FAULT(KB_LAUNCH((waits_for_nobody), (2, 1), n.data()), "DEADLOCK threads wait for memory");
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

__global__ void grid_sync() { cooperative_groups::this_grid().sync(); }

TEST_F(Faults, BarrierOfTheGridInAnOrdinaryLaunch) {
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((grid_sync), (2, 32)), "BAD_BARRIER a barrier of the whole grid");
  EXPECT_EQ(cudaLaunchCooperativeKernel(grid_sync, 2, 32, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(grid_sync, 132 * 64 + 1, 32, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
}

}  // namespace

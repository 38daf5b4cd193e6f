// Blocks that hand memory to others, and wait for it.
#include <chrono>

#include "emulate/runtime/faults.hpp"

namespace {

using emulation_test::fault;
using emulation_test::Faults;
using emulation_test::threads;

constexpr int blocks = 4;

// All threads leave a part; the last block adds them up. `how` says what stands between a part and
// the count of the block.
enum class Before { barrier, warp_barrier, nothing };
__global__ void adds_parts(float* parts, int* count, float* out, Before how) {
  KB_SHARED(bool, is_last, );
  const unsigned size = blockDim.x;
  parts[blockIdx.x * size + threadIdx.x] = 1;
  __threadfence();
  if (how == Before::barrier) __syncthreads();
  if (how == Before::warp_barrier) __syncwarp();
  if (threadIdx.x == 0) is_last = atomicAdd(count, 1) == blocks - 1;
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  float sum = 0;
  for (unsigned i = 0; i < size * blocks; ++i) sum += parts[i];
  *out = sum;
}

TEST_F(Faults, APartIsHandedOverByABarrier) {
  std::vector<float> parts(threads * blocks), out(1);
  call.output(parts, "parts").output(out, "out");
  const auto launch = [&](int size, Before how) {
    cudaMemset(n.data(), 0, sizeof(int));
    KB_LAUNCH((adds_parts), (blocks, size), parts.data(), n.data(), out.data(), how);
  };
  in_all_orders([&] {
    launch(threads, Before::barrier);
    EXPECT_EQ(out[0], threads * blocks);
    launch(32, Before::warp_barrier);
    launch(1, Before::nothing);
  });
  constexpr const char* text = "RACE read of 4 bytes of parts at byte .*, which another block has";
  for (uint64_t seed = 0; seed < 3; ++seed) {
    call.begin(seed);
    EXPECT_FAULT(launch(threads, Before::nothing), text);
    EXPECT_FAULT(launch(threads, Before::warp_barrier), text);
    EXPECT_FAULT(launch(32, Before::nothing), text);
  }
}

// Each block adds to what the one before has left, when it has its turn.
__global__ void takes_turns(float* y, int* turn, bool waits_for_all) {
  const unsigned i = threadIdx.x;
  if (i == 0)
    while (atomicAdd(turn, 0) != static_cast<int>(blockIdx.x)) {
    }
  __syncthreads();
  y[i] = blockIdx.x == 0 ? 1 : y[i] + 1;
  if (waits_for_all) __syncthreads();
  if (i != 0) return;
  __threadfence();
  atomicAdd(turn, 1);
}

TEST_F(Faults, BlocksTakeTurns) {
  in_all_orders([&] {
    cudaMemset(n.data(), 0, sizeof(int));
    KB_LAUNCH((takes_turns), (30, threads), y.data(), n.data(), true);
    EXPECT_EQ(y[5], 30.0f);
  });
  call.begin(1);
  cudaMemset(n.data(), 0, sizeof(int));
  EXPECT_FAULT(KB_LAUNCH((takes_turns), (30, threads), y.data(), n.data(), false),
               "RACE|UNINITIALISED");
}

// Blocks that wait cost next to nothing: a second were not enough for these otherwise.
TEST_F(Faults, ABlockThatWaitsCostsNothing) {
  call.begin(1);
  cudaMemset(n.data(), 0, sizeof(int));
  const auto begin = std::chrono::steady_clock::now();
  KB_LAUNCH((takes_turns), (100, threads), y.data(), n.data(), true);
  EXPECT_EQ(y[5], 100.0f);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// Tiles add up what those before have said of themselves, as soon as they have.
__global__ void looks_back(int* said, float* y) {
  volatile int* const flags = said;
  int sum = 1;
  for (int i = static_cast<int>(blockIdx.x) - 1; i >= 0; --i) {
    while (flags[i] == 0) {
    }
    sum += flags[i];
    if (flags[i] != 1) break;
  }
  flags[blockIdx.x] = sum;
  y[blockIdx.x] = static_cast<float>(sum);
}

TEST_F(Faults, FlagsThatNobodyHasClearedMayBeReadFirst) {
  in_all_orders([&] {
    cudaMemset(n.data(), 0, sizeof(int) * n.size());
    KB_LAUNCH((looks_back), (8, 1), n.data(), y.data());
  });
  for (uint64_t seed = 0; seed < 3; ++seed) {
    call.begin(seed);
    EXPECT_FAULT(KB_LAUNCH((looks_back), (8, 1), n.data(), y.data()),
                 "UNINITIALISED atomic access of 4 bytes of n at byte .*, which nothing was "
                 "written to");
  }
}

// Flags that the kernel itself clears are right once all blocks know of it.
__global__ void clears_and_looks(int* said, int* come, float* y) {
  atomicExch(&said[blockIdx.x], 0);
  __threadfence();
  atomicAdd(come, 1);
  while (atomicAdd(come, 0) < static_cast<int>(gridDim.x)) {
  }
  atomicExch(&said[blockIdx.x], 2);
  const unsigned other = (blockIdx.x + 1) % gridDim.x;
  while (atomicAdd(&said[other], 0) != 2) {
  }
  y[blockIdx.x] = 2;
}

TEST_F(Faults, FlagsThatTheKernelClears) {
  std::vector<int> come(1);
  call.output(come, "come");
  in_all_orders([&] {
    cudaMemset(come.data(), 0, sizeof(int));
    KB_LAUNCH((clears_and_looks), (8, 1), n.data(), come.data(), y.data());
  });
}

constexpr int add_line = __LINE__ + 1;
__global__ void adds_to(int* n) { atomicAdd(&n[threadIdx.x], 1); }
__global__ void sets(int* n, float* y) {
  atomicExch(&n[threadIdx.x], 1);
  atomicExch(&y[threadIdx.x], 1.0f);
}

TEST_F(Faults, AtomicSumInUnwrittenMemory) {
  in_all_orders([&] {
    KB_LAUNCH((sets), (1, threads), n.data(), y.data());
    KB_LAUNCH((adds_to), (1, threads), n.data());
  });
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((adds_to), (1, threads), n.data()),
               fault("UNINITIALISED atomic access of 4 bytes of n", add_line, "adds_to"));
}

constexpr int wait_line = __LINE__ + 2;
__global__ void waits(int* n) {
  while (*static_cast<volatile int*>(n) == 0) {
  }
}

TEST_F(Faults, ADeadlockHasTheLineOfTheWait) {
  call.begin();
  cudaMemset(n.data(), 0, sizeof(int));
  EXPECT_FAULT(KB_LAUNCH((waits), (2, 1), n.data()), fault("DEADLOCK", wait_line, "waits"));
}

constexpr int count_line = __LINE__ + 7;
__global__ void counts(int* n, bool waits) {
  KB_SHARED(int, sums, [threads]);
  sums[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&sums[threadIdx.x / 2], 1);
  if (waits) __syncthreads();
  n[threadIdx.x] = sums[threads - 1 - threadIdx.x];
}

TEST_F(Faults, ReadBesideAtomicSumsInSharedMemoryIsNoted) {
  for (const bool waits : {true, false}) {
    call.begin();
    testing::internal::CaptureStderr();
    KB_LAUNCH((counts), (1, threads), n.data(), waits);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("NOTE RACE read of 4 bytes of shared sums") == said.npos, waits) << said;
    EXPECT_EQ(said.find("_test.cpp:" + std::to_string(count_line)) == said.npos, waits) << said;
  }
}

}  // namespace

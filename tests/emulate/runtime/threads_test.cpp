// Threads that wait for each other or exchange values, launches in all their forms, in many orders.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>

#include <numeric>
#include <set>

#include "emulate/runtime/launching.hpp"

namespace {

namespace cg = cooperative_groups;
using emulation_test::Call;
using emulation_test::orders;

template <typename T, typename Launch>
void in_all_orders(std::vector<T>& out, const std::vector<T>& in, Launch launch) {
  for (int seed = 0; seed < orders; ++seed) {
    Call().output(out, "out").input(in, "in").begin(static_cast<uint64_t>(seed));
    launch();
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    if (testing::Test::HasFatalFailure()) return;
  }
}

__global__ void block_sum(const int* in, int* out, int count) {
  KB_SHARED(int, sums, [32]);
  int sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    sum += in[i];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int distance = 16; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

TEST(Threads, SumOfABlock) {
  std::vector<int> in(1000), out(3);
  std::iota(in.begin(), in.end(), 0);
  for (const unsigned threads : {32u, 96u, 1024u})
    in_all_orders(out, in, [&] {
      KB_LAUNCH((block_sum), (3, threads), in.data(), out.data(), 1000);
      ASSERT_EQ(out[2], 499500);
    });
}

__global__ void votes(int* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[4 * i] = __syncthreads_count(i % 3 == 0);
  out[4 * i + 1] = __syncthreads_and(i < 100);
  out[4 * i + 2] = __syncthreads_or(i == 40);
  out[4 * i + 3] = __any_sync(0xffffffff, i == 40) * 2 + __all_sync(0xffffffff, i < 32);
}

TEST(Threads, VotesOfBlocksAndWarps) {
  std::vector<int> out(4 * 64), in(1);
  in_all_orders(out, in, [&] {
    KB_LAUNCH((votes), (1, 64), out.data());
    for (size_t i = 0; i < 64; ++i) {
      ASSERT_EQ(out[4 * i], 22);
      ASSERT_EQ(out[4 * i + 1], 1);
      ASSERT_EQ(out[4 * i + 2], 1);
      ASSERT_EQ(out[4 * i + 3], i < 32 ? 1 : 2);
    }
  });
}

__global__ void branches(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned mask = 0;
  if (lane % 4 == 1)
    mask = __activemask();
  else if (lane < 16)
    mask = __activemask();
  out[lane] = mask;
  out[32 + lane] = static_cast<unsigned>(__reduce_add_sync(0xffffffff, lane));
  out[64 + lane] = __match_any_sync(0xffffffff, lane / 10);
}

TEST(Threads, LanesThatComeToOnePlace) {
  std::vector<unsigned> out(96), in(1);
  in_all_orders(out, in, [&] {
    KB_LAUNCH((branches), (1, 32), out.data());
    for (size_t lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(out[lane], lane % 4 == 1 ? 0x22222222u : lane < 16 ? 0xddddu : 0u) << lane;
      ASSERT_EQ(out[32 + lane], 496u);
      ASSERT_EQ(out[64 + lane], lane < 10   ? 0x3ffu
                                : lane < 20 ? 0xffc00u
                                : lane < 30 ? 0x3ff00000u
                                            : 0xc0000000u);
    }
  });
}

// A warp that is not whole.
__global__ void odd_warp(int* out) {
  const int sum = __reduce_add_sync(__activemask(), static_cast<int>(threadIdx.x));
  out[threadIdx.x] = __shfl_sync(0xffffffff, sum, 0);
}

TEST(Threads, WarpsThatLackLanes) {
  std::vector<int> out(40), in(1);
  in_all_orders(out, in, [&] {
    KB_LAUNCH((odd_warp), (1, 40), out.data());
    ASSERT_EQ(out[3], 496);
    ASSERT_EQ(out[39], 32 + 33 + 34 + 35 + 36 + 37 + 38 + 39);
  });
}

__global__ void groups(const int* in, int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  const int scan = cg::inclusive_scan(tile, 1);
  const auto odd = cg::binary_partition(tile, block.thread_rank() % 2 == 1);
  out[block.thread_rank()] = sum * 1000 + scan * 10 + static_cast<int>(odd.size());
  block.sync();
  if (block.thread_rank() % 32 < 5)
    out[block.thread_rank()] += 100000 * static_cast<int>(cg::coalesced_threads().size());
}

TEST(Threads, CooperativeGroups) {
  std::vector<int> in(64, 2), out(64);
  in_all_orders(out, in, [&] {
    KB_LAUNCH((groups), (1, 64), in.data(), out.data());
    for (size_t i = 0; i < 64; ++i)
      ASSERT_EQ(out[i], 16000 + static_cast<int>(i % 8 + 1) * 10 + 4 + (i % 32 < 5 ? 500000 : 0));
  });
}

__global__ void staged(const int* in, int* out) {
  const auto block = cg::this_thread_block();
  int* const stage = kbench_emulation::dynamic_shared<int>("stage");
  cg::memcpy_async(block, stage, in, 256);
  cg::wait(block);
  out[threadIdx.x] = stage[63 - threadIdx.x];
}

TEST(Threads, CopiesThatAreWaitedFor) {
  std::vector<int> out(64);
  alignas(16) static std::vector<int> in(64);
  std::iota(in.begin(), in.end(), 0);
  in_all_orders(out, in, [&] {
    KB_LAUNCH((staged), (1, 64, 256), in.data(), out.data());
    ASSERT_EQ(out[5], 58);
  });
}

__global__ void passes_on(int* data, int* out, int steps) {
  const auto grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank()), all = static_cast<int>(grid.size());
  for (int step = 0; step < steps; ++step) {
    data[step % 2 * all + i] = step == 0 ? i : data[(step + 1) % 2 * all + (i + 1) % all] + 1;
    grid.sync();
  }
  out[i] = data[(steps - 1) % 2 * all + i];
}

TEST(Threads, BarriersOfTheWholeGrid) {
  std::vector<int> out(512), data(1024), in(1);
  for (int seed = 0; seed < orders; ++seed) {
    Call().output(out, "out").output(data, "data").begin(static_cast<uint64_t>(seed));
    int *data_pointer = data.data(), *out_pointer = out.data(), steps = 4;
    void* parameters[] = {&data_pointer, &out_pointer, &steps};
    ASSERT_EQ(cudaLaunchCooperativeKernel(passes_on, 8, 64, parameters), cudaSuccess);
    for (int i = 0; i < 512; ++i) ASSERT_EQ(out[static_cast<size_t>(i)], (i + 3) % 512 + 3);
  }
}

// A lock between blocks, which a thread holds while others wait.
__global__ void locked(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  volatile int* const place = count;
  *place = *place + 1;
  __threadfence();
  atomicExch(lock, 0);
}

TEST(Threads, LocksBetweenBlocks) {
  std::vector<int> out(2), in(1);
  in_all_orders(out, in, [&] {
    cudaMemset(out.data(), 0, 8);
    KB_LAUNCH((locked), (200, 32), out.data(), out.data() + 1);
    ASSERT_EQ(out[1], 200);
  });
}

// A lock within a block; without a fence nothing is released.
__global__ void locked_in_a_block(int* count, bool has_fence) {
  KB_SHARED(int, lock, [1]);
  KB_SHARED(int, sum, [1]);
  if (threadIdx.x == 0) lock[0] = sum[0] = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    if (has_fence) __threadfence_block();
    sum[0] = sum[0] + 1;
    if (has_fence) __threadfence_block();
    atomicExch(lock, 0);
  }
  __syncthreads();
  *count = sum[0];
}

TEST(Threads, LocksWithinABlock) {
  std::vector<int> out(1), in(1);
  in_all_orders(out, in, [&] {
    KB_LAUNCH((locked_in_a_block), (1, 256), out.data(), true);
    ASSERT_EQ(out[0], 8);
  });
  EXPECT_FAULT(KB_LAUNCH((locked_in_a_block), (1, 256), out.data(), false), "RACE");
}

__global__ void atomics(int* ints, float* floats, unsigned* words, __half2* halves) {
  atomicAdd(ints, 1);
  atomicMax(ints + 1, static_cast<int>(threadIdx.x));
  atomicAdd(floats, 0.5f);
  atomicInc(words, 9);
  atomicOr(words + 1, 1u << threadIdx.x % 32);
  atomicAdd(halves, __floats2half2_rn(1, 2));
}

TEST(Threads, AtomicFunctions) {
  std::vector<int> ints(2);
  std::vector<float> floats(1);
  std::vector<unsigned> words(2);
  std::vector<__half2> halves(1);
  for (int seed = 0; seed < orders; ++seed) {
    Call()
        .output(ints, "ints")
        .output(floats, "floats")
        .output(words, "words")
        .output(halves, "halves")
        .begin(static_cast<uint64_t>(seed));
    cudaMemset(ints.data(), 0, 8);
    cudaMemset(floats.data(), 0, 4);
    cudaMemset(words.data(), 0, 8);
    cudaMemset(halves.data(), 0, 4);
    KB_LAUNCH((atomics), (4, 64), ints.data(), floats.data(), words.data(), halves.data());
    EXPECT_EQ(ints[0], 256);
    EXPECT_EQ(ints[1], 63);
    EXPECT_EQ(floats[0], 128.0f);
    EXPECT_EQ(words[0], 6u);
    EXPECT_EQ(words[1], 0xffffffffu);
    EXPECT_EQ(__high2float(halves[0]), 512.0f);
  }
}

// A maximum passes over NaN: shared memory has other contents in one of three calls.
__global__ void extremes_of_unwritten(int* out) {
  KB_SHARED(float, numbers, [8]);
  float highest = 1, lowest = 1;
  for (float number : numbers) {
    highest = fmaxf(highest, number);
    lowest = fminf(lowest, number);
  }
  out[0] = highest > 1;
  out[1] = lowest < 1;
}

TEST(Threads, UnwrittenSharedMemoryDiffersFromCallToCall) {
  std::vector<int> out(2);
  int high = 0, low = 0;
  for (uint64_t seed = 7; seed < 10; ++seed) {
    Call().output(out, "out").begin(seed);
    KB_LAUNCH((extremes_of_unwritten), (1, 1), out.data());
    high += out[0];
    low += out[1];
  }
  EXPECT_EQ(high, 1);
  EXPECT_EQ(low, 1);
  EXPECT_EQ(__fdividef(0x1p127f, 0x1p126f), 2.0f);
  EXPECT_EQ(__fdividef(0x1p127f, 0x1p127f), 0.0f);
}

// ---- Launches

template <int kAdd, typename T>
__global__ void add_to(T* out, T x, int twice = 1) {
  out[threadIdx.x] = x + static_cast<T>(kAdd * twice);
}
__global__ void overloaded(int* out, int x) { out[threadIdx.x] = x; }
__global__ void overloaded(int* out, const int* x) { out[threadIdx.x] = x == nullptr ? -1 : -2; }
__device__ int counter;
__constant__ int table[4];
__global__ void counts(int* out) {
  atomicAdd(&counter, table[threadIdx.x % 4]);
  out[threadIdx.x] = table[2];
}

TEST(Threads, LaunchesInAllForms) {
  std::vector<int> out(32);
  std::vector<long long> wide(32);
  const Call call = Call().output(out, "out").output(wide, "wide");
  const auto launched = [&] {
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    return out[3];
  };
  call.begin();
  KB_LAUNCH((add_to<3>), (1, 32), out.data(), 4);  // T is deduced, the last one defaults
  EXPECT_EQ(launched(), 7);
  KB_LAUNCH((add_to<3, long long>), (1, dim3(32)), wide.data(), 4, 2);  // the argument is converted
  EXPECT_EQ(wide[3], 10);
  KB_LAUNCH((overloaded), (1, 32), out.data(), 5);
  EXPECT_EQ(launched(), 5);
  KB_LAUNCH((overloaded), (1, 32, 0, nullptr), out.data(), nullptr);
  EXPECT_EQ(launched(), -1);
  void (*chosen)(int*, int, int) = out.empty() ? add_to<1, int> : add_to<2, int>;
  KB_LAUNCH((chosen), (1, 32), out.data(), 1, 1);
  EXPECT_EQ(launched(), 3);
  const int values[] = {1, 2, 3, 4};
  ASSERT_EQ(cudaMemcpyToSymbol(table, values, sizeof values), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(table, values, sizeof values, 4), cudaErrorInvalidValue);
  cudaGetLastError();
  KB_LAUNCH((counts), (1, 32), out.data());
  EXPECT_EQ(launched(), 3);
  int count = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&count, counter, sizeof count), cudaSuccess);
  EXPECT_EQ(count, 80);
}

__global__ void order_of(int* out, int* next) {
  if (threadIdx.x % 32 == 0)
    out[atomicAdd(next, 1)] = static_cast<int>(blockIdx.x * 2 + threadIdx.x / 32);
}

// The seed decides the order of blocks and warps; 0 leaves them as they are numbered.
TEST(Threads, OrdersFollowFromTheSeed) {
  setenv("KBENCH_EMULATION_THREADS", "1", 1);
  std::vector<int> out(16), next(1);
  std::set<std::vector<int>> seen;
  for (int seed = 0; seed < orders; ++seed)
    for (int again = 0; again < 2; ++again) {
      Call().output(out, "out").output(next, "next").begin(static_cast<uint64_t>(seed));
      cudaMemset(next.data(), 0, 4);
      KB_LAUNCH((order_of), (8, 64), out.data(), next.data());
      seen.insert(out);
      if (seed != 0) continue;
      for (int i = 0; i < 16; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], i);
    }
  EXPECT_GE(seen.size(), 12u);
  EXPECT_LE(seen.size(), static_cast<size_t>(orders));
  unsetenv("KBENCH_EMULATION_THREADS");
}

}  // namespace

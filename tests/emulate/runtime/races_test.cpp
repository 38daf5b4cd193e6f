// Races, barriers and masks: kernels with one fault each beside right ones, as in faults_test.cpp.
#include "emulate/runtime/faults.hpp"

namespace {

using emulation_test::fault;
using emulation_test::Faults;
using emulation_test::threads;

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
               "\\([0-9]+,0,0\\) has (read|written).*races_test.cpp:(" +
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
  // The element is the neighbour's.
  y[threadIdx.x] = row[threadIdx.x ^ 1];
}

TEST_F(Faults, RacesWithinAWarp) {
  in_all_orders([&] { KB_LAUNCH((lanes), (1, 32), y.data(), true); });
  EXPECT_EQ(y[6], 7.0f);
  call.begin();
  EXPECT_FAULT(KB_LAUNCH((lanes), (1, 32), y.data(), false),
               "RACE .*without a __syncwarp or barrier in between.*races_test.cpp:(" +
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

// The last block to come adds up what all have left. A missing fence makes that a race.
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

// Threads that have ended are not waited for at a barrier, since Volta.
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

// ---- Updates that get lost, since others come between

__global__ void adds_up_volatile(volatile float* y, int alone) {
  if (threadIdx.x < 2 && (threadIdx.x == 0 || alone == 0))
    y[0] = y[0] + static_cast<float>(threadIdx.x + 1);
}

TEST_F(Faults, VolatileSumOfTwoThreads) {
  call.begin();
  cudaMemset(y.data(), 0, sizeof(float));
  KB_LAUNCH((adds_up_volatile), (1, threads), y.data(), 1);
  EXPECT_FAULT(KB_LAUNCH((adds_up_volatile), (1, threads), y.data(), 0),
               "RACE volatile write of 4 bytes of y at byte 0");
}

__global__ void counts_once(int* n, int tries) {
  for (int i = 0; i < tries; ++i) {
    const int before = *static_cast<volatile int*>(n);
    if (atomicCAS(n, before, before + 1) == before) return;
  }
}

TEST_F(Faults, CompareAndSwapThatIsTriedOnce) {
  int least = threads;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (const int tries : {1000, 1}) {
      call.begin(seed);
      cudaMemset(n.data(), 0, sizeof(int));
      KB_LAUNCH((counts_once), (1, threads), n.data(), tries);
      if (tries == 1)
        least = std::min(least, n[0]);
      else
        ASSERT_EQ(n[0], threads) << seed;
    }
  }
  EXPECT_LT(least, threads);
}

// Writes, fences, says so; if `late`, writes after the fence, too.
__global__ void hands_over(float* y, int* said, bool late) {
  if (blockIdx.x == 0) {
    y[0] = 1;
    __threadfence();
    if (late) y[0] = 2;
    *static_cast<volatile int*>(said) = 1;
  } else {
    while (*static_cast<volatile int*>(said) == 0) {
    }
    y[1] = y[0];
  }
}

TEST_F(Faults, WriteAfterTheFence) {
  call.begin();
  cudaMemset(n.data(), 0, sizeof(int));
  KB_LAUNCH((hands_over), (2, 1), y.data(), n.data(), false);
  cudaMemset(n.data(), 0, sizeof(int));
  EXPECT_FAULT(KB_LAUNCH((hands_over), (2, 1), y.data(), n.data(), true),
               "RACE read of 4 bytes of y at byte 0, which another block has written");
}

}  // namespace

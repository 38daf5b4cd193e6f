// Inline PTX that threads execute together, and its accesses to memory.
#include "emulate/runtime/ptx_running.hpp"

namespace {

using namespace emulation_test;

__global__ void shuffles(int* out, int mode, int other, int clamp) {
  const int value = static_cast<int>(threadIdx.x) * 10;
  int got = 0, inside = 0;
  const auto run = [&](const char* text, void** cache) {
    const kbench_emulation::Operand operands[] = {{"=r", &got, 0, 4},
                                                  {"=r", &inside, 0, 4},
                                                  {"r", nullptr, static_cast<U64>(value), 4},
                                                  {"r", nullptr, static_cast<U64>(other), 4},
                                                  {"r", nullptr, static_cast<U64>(clamp), 4}};
    kbench_emulation::assemble({text, cache, kbench_emulation::here()}, operands, 5);
  };
  static void* caches[4];
  static const char* const texts[] = {
      "{ .reg .pred p; shfl.sync.idx.b32 %0|p, %2, %3, %4, 0xffffffff; selp.u32 %1, 1, 0, p; }",
      "{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, %3, %4, 0xffffffff; selp.u32 %1, 1, 0, p; }",
      "{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, %3, %4, 0xffffffff; selp.u32 %1, 1, 0, p; }",
      "{ .reg .pred p; shfl.sync.bfly.b32 %0|p, %2, %3, %4, 0xffffffff; selp.u32 %1, 1, 0, p; }"};
  run(texts[mode], &caches[mode]);
  out[2 * threadIdx.x] = got;
  out[2 * threadIdx.x + 1] = inside;
}

// The ISA's own words say: segments by the mask in bits 8 to 12, and the clamp in bits 0 to 4.
TEST(Ptx, Shuffles) {
  for (const int width : {32, 16, 8, 4})
    for (int mode = 0; mode < 4; ++mode)
      for (const int other : {0, 1, 3, 5, 17}) {
        std::vector<int> out(64);
        const int clamp = (32 - width) << 8 | (mode == 1 ? 0 : 31);
        Call().output(out, "out").begin(7);
        KB_LAUNCH((shuffles), (1, 32), out.data(), mode, other, clamp);
        for (int lane = 0; lane < 32; ++lane) {
          const int first = lane / width * width, last = first + width - 1;
          const int source = mode == 0   ? first + other % width
                             : mode == 1 ? lane - other
                             : mode == 2 ? lane + other
                                         : lane ^ other;
          const bool inside = mode == 1 ? source >= first : source <= last;
          ASSERT_EQ(out[2 * lane], (inside ? source : lane) * 10)
              << mode << " " << width << " " << other << " " << lane;
          ASSERT_EQ(out[2 * lane + 1], inside);
        }
      }
}

__global__ void votes(unsigned* out) {
  const unsigned lane = threadIdx.x;
  unsigned ballot = 0, any = 0, least = 0, active = 0, same = 0, elected = 0;
  KB_ASM(
      "{ .reg .pred p, q; setp.gt.u32 p, %2, 20; vote.sync.ballot.b32 %0, p, 0xffffffff; "
      "vote.sync.any.pred q, p, 0xffffffff; selp.u32 %1, 1, 0, q; }",
      kbench_emulation::out("=r", ballot), kbench_emulation::out("=r", any),
      kbench_emulation::in("r", lane));
  KB_ASM("redux.sync.min.s32 %0, %1, 0xffffffff;", kbench_emulation::out("=r", least),
         kbench_emulation::in("r", static_cast<int>(lane) - 7));
  KB_ASM("match.any.sync.b32 %0, %1, 0xffffffff;", kbench_emulation::out("=r", same),
         kbench_emulation::in("r", lane % 3));
  if (lane < 9) KB_ASM("activemask.b32 %0;", kbench_emulation::out("=r", active));
  KB_ASM("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }",
         kbench_emulation::out("=r", elected));
  const unsigned all[] = {ballot, any, least, active, same, elected};
  for (int i = 0; i < 6; ++i) out[lane * 6 + static_cast<unsigned>(i)] = all[i];
}

TEST(Ptx, VotesMatchesAndReductions) {
  for (int seed = 0; seed < emulation_test::orders; ++seed) {
    std::vector<unsigned> out(6 * 32);
    Call().output(out, "out").begin(static_cast<uint64_t>(seed));
    KB_LAUNCH((votes), (1, 32), out.data());
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned same = 0;
      for (unsigned i = 0; i < 32; ++i) same |= static_cast<unsigned>(i % 3 == lane % 3) << i;
      const unsigned expected[] = {
          0xffe00000, 1, static_cast<unsigned>(-7), lane < 9 ? 0x1ffu : 0, same, lane == 0};
      for (unsigned i = 0; i < 6; ++i)
        ASSERT_EQ(out[lane * 6 + i], expected[i]) << lane << " " << i;
    }
  }
}

__global__ void memory(const unsigned* in, unsigned* out, unsigned* counter) {
  KB_SHARED(unsigned, words, [128]);
  const unsigned i = threadIdx.x,
                 place = static_cast<unsigned>(__cvta_generic_to_shared(words + 4 * i));
  unsigned a = 0, b = 0, c = 0, d = 0, old = 0;
  KB_ASM("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];",
         kbench_emulation::out("=r", a), kbench_emulation::out("=r", b),
         kbench_emulation::out("=r", c), kbench_emulation::out("=r", d),
         kbench_emulation::in("l", in + 4 * i));
  KB_ASM("st.shared.v2.b32 [%0], {%1, %2}; st.shared.u32 [%0 + 8], %3; st.shared.u32 [%0+12], %4;",
         kbench_emulation::in("r", place), kbench_emulation::in("r", d),
         kbench_emulation::in("r", c), kbench_emulation::in("r", b), kbench_emulation::in("r", a));
  KB_ASM("bar.sync 0;");
  KB_ASM("ld.shared.u32 %0, [%1 + -4];", kbench_emulation::out("=r", a),
         kbench_emulation::in("r", place + 4));
  KB_ASM("atom.global.add.u32 %0, [%1], 1;", kbench_emulation::out("=r", old),
         kbench_emulation::in("l", counter));
  KB_ASM("red.global.max.s32 [%0], %1;", kbench_emulation::in("l", counter + 1),
         kbench_emulation::in("r", i));
  KB_ASM("st.global.cs.u32 [%0], %1;", kbench_emulation::in("l", out + i),
         kbench_emulation::in("r", a));
}

TEST(Ptx, MemoryAndAtomics) {
  std::vector<unsigned> in(128), out(32), counter(2);
  for (unsigned i = 0; i < 128; ++i) in[i] = i * 3;
  Call().input(in, "in").output(out, "out").output(counter, "counter").begin(11);
  cudaMemset(counter.data(), 0, 8);
  KB_LAUNCH((memory), (1, 32), in.data(), out.data(), counter.data());
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], (4 * i + 3) * 3);
  EXPECT_EQ(counter[0], 32u);
  EXPECT_EQ(counter[1], 31u);
}

__global__ void not_known() { KB_ASM("wgmma.fence.sync.aligned;"); }
__global__ void not_parsed() { KB_ASM("add.u32 %0, %1"); }

TEST(Ptx, WhatIsNotKnownIsSaidByName) {
  EXPECT_FAULT(
      KB_LAUNCH((not_known), (1, 32)),
      "^kbench-emulation: NOT_EMULATED PTX wgmma.fence.sync.aligned, .*ptx_threads_test.cpp:");
  EXPECT_FAULT(KB_LAUNCH((not_parsed), (1, 32)), "NOT_EMULATED PTX");
}

// A producer's warp and a consumer's wait for each other at an mbarrier.
__global__ void phases(int* out) {
  KB_SHARED(unsigned long long, full, [1]);
  KB_SHARED(int, data, [32]);
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(full)),
                 lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    KB_ASM("mbarrier.init.shared::cta.b64 [%0], 32;", kbench_emulation::in("r", place));
  __syncthreads();
  if (threadIdx.x < 32) {
    data[lane] = static_cast<int>(lane) + 1;
    KB_ASM("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }",
           kbench_emulation::in("r", place));
  } else {
    KB_ASM(
        "{ .reg .pred done; wait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0; @!done "
        "bra wait; }",
        kbench_emulation::in("r", place));
    out[lane] = data[31 - lane];
  }
}

TEST(Ptx, MbarriersOrderWhatTheyAreWaitedFor) {
  for (int seed = 0; seed < emulation_test::orders; ++seed) {
    std::vector<int> out(32);
    Call().output(out, "out").begin(static_cast<uint64_t>(seed));
    KB_LAUNCH((phases), (1, 64), out.data());
    for (int i = 0; i < 32; ++i) ASSERT_EQ(out[static_cast<size_t>(i)], 32 - i);
  }
}

// Each half of the block is at a barrier of its own.
__global__ void named(int* out, bool right) {
  KB_SHARED(int, data, [64]);
  const unsigned half = threadIdx.x / 64;
  data[threadIdx.x % 64] = 0;
  __syncthreads();
  if (half == 0) {
    data[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (right) KB_ASM("bar.sync 1, 64;");
    out[threadIdx.x] = data[63 - threadIdx.x];
  }
}

TEST(Ptx, NamedBarriers) {
  std::vector<int> out(64);
  for (int seed = 0; seed < emulation_test::orders; ++seed) {
    Call().output(out, "out").begin(static_cast<uint64_t>(seed));
    KB_LAUNCH((named), (1, 128), out.data(), true);
    EXPECT_EQ(out[3], 60);
  }
  EXPECT_FAULT(KB_LAUNCH((named), (1, 128), out.data(), false), "RACE");
}

// Producers arrive at the barrier of what is full and wait at that of what is empty; consumers the
// other way round.
__global__ void arrivals(int* out, int steps, bool right) {
  KB_SHARED(int, data, [64]);
  const unsigned lane = threadIdx.x % 64;
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x < 64) {
      if (step != 0) KB_ASM("bar.sync 2, 128;");
      data[lane] = static_cast<int>(lane) + step;
      KB_ASM("bar.arrive 1, 128;");
    } else {
      if (right) KB_ASM("bar.sync 1, 128;");
      out[lane] = (step == 0 ? 0 : out[lane]) + data[63 - lane];
      if (step + 1 < steps) KB_ASM("bar.arrive 2, 128;");
    }
  }
}

TEST(Ptx, ArrivalsAtNamedBarriers) {
  std::vector<int> out(64);
  for (int seed = 0; seed < emulation_test::orders; ++seed) {
    Call().output(out, "out").begin(static_cast<uint64_t>(seed));
    KB_LAUNCH((arrivals), (1, 128), out.data(), 3, true);
    for (int i = 0; i < 64; ++i) ASSERT_EQ(out[static_cast<size_t>(i)], 3 * (63 - i) + 3);
  }
  EXPECT_FAULT(KB_LAUNCH((arrivals), (1, 128), out.data(), 1, false), "RACE");
}

// A thread's writes behind its arrival are not known to a thread that waits.
__global__ void writes_late(int* out) {
  KB_SHARED(int, data, [32]);
  if (threadIdx.x < 32) {
    KB_ASM("bar.arrive 1, 64;");
    data[threadIdx.x] = 1;
  } else {
    KB_ASM("bar.sync 1, 64;");
    out[threadIdx.x - 32] = data[threadIdx.x - 32];
  }
}

TEST(Ptx, WritesBehindAnArrivalRace) {
  std::vector<int> out(32);
  Call().output(out, "out").begin(0);
  EXPECT_FAULT(KB_LAUNCH((writes_late), (1, 64), out.data()), "RACE");
}

#define KB_WAIT(place, parity)                                                             \
  KB_ASM(                                                                                  \
      "{ .reg .pred done; wait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; " \
      "@!done bra wait; }",                                                                \
      kbench_emulation::in("r", place), kbench_emulation::in("r", parity))
#define KB_ARRIVE(place)                                                      \
  KB_ASM("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }", \
         kbench_emulation::in("r", place))

// Each lane of a group waits for all lanes of the other one, so that all must have their turn.
__global__ void pipeline(int* out, unsigned steps) {
  KB_SHARED(unsigned long long, bars, [2]);
  KB_SHARED(int, data, [32]);
  const unsigned full = static_cast<unsigned>(__cvta_generic_to_shared(bars)), empty = full + 8,
                 lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    KB_ASM("mbarrier.init.shared::cta.b64 [%0], 32;", kbench_emulation::in("r", full));
    KB_ASM("mbarrier.init.shared::cta.b64 [%0], 32;", kbench_emulation::in("r", empty));
  }
  __syncthreads();
  for (unsigned step = 0; step < steps; ++step) {
    if (threadIdx.x < 32) {
      if (step != 0) KB_WAIT(empty, (step - 1) & 1);
      data[lane] = static_cast<int>(lane + step);
      KB_ARRIVE(full);
    } else {
      KB_WAIT(full, step & 1);
      out[lane] = data[31 - lane];
      KB_ARRIVE(empty);
    }
  }
}

TEST(Ptx, PipelinesOfTwoGroups) {
  std::vector<int> out(32);
  for (int seed = 0; seed < emulation_test::orders; ++seed) {
    Call().output(out, "out").begin(static_cast<uint64_t>(seed));
    KB_LAUNCH((pipeline), (1, 64), out.data(), 5u);
    for (int i = 0; i < 32; ++i) ASSERT_EQ(out[static_cast<size_t>(i)], 35 - i);
  }
}

}  // namespace

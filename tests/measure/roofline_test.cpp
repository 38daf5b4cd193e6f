#include "measure/roofline.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

// Peaks of 100 Gflop/s and 10 GB/s a core, nearer data ten times as fast; of two cores.
Peaks peaks() { return {{{16384, {100e9, 200e9}}, {1 << 20, {10e9, 15e9}}}, {100e9, 200e9}, 2, 4}; }

Demand demand(std::uint64_t bytes, double flops) {
  Demand demand;
  demand.bytes = bytes;
  demand.flops = flops;
  return demand;
}

TEST(Roofline, IsTheSlowerOfMemoryAndArithmetic) {
  const Bound memory = bound_of(demand(2 << 20, 1000), peaks());
  EXPECT_DOUBLE_EQ(memory.ns, (2 << 20) / 10.0);
  EXPECT_EQ(memory.by, "memory");
  const Bound arithmetic = bound_of(demand(2 << 20, 1e9), peaks());
  EXPECT_DOUBLE_EQ(arithmetic.ns, 1e7);
  EXPECT_EQ(arithmetic.by, "float32");
}

TEST(Roofline, ReadsTheBandwidthOfDataThatAreNoLarger) {
  EXPECT_DOUBLE_EQ(bound_of(demand(1000, 0), peaks()).ns, 10);
  EXPECT_DOUBLE_EQ(bound_of(demand((1 << 20) - 1, 0), peaks()).ns, ((1 << 20) - 1) / 100.0);
  EXPECT_DOUBLE_EQ(bound_of(demand(1 << 20, 0), peaks()).ns, (1 << 20) / 10.0);
}

TEST(Roofline, OfColdDataIsThatOfTheLargest) {
  Demand cold = demand(1000, 0);
  cold.is_cold = true;
  EXPECT_DOUBLE_EQ(bound_of(cold, peaks()).ns, 100);
}

TEST(Roofline, OfSeveralThreadsIsThatOfAllCores) {
  Demand two = demand(1 << 20, 1e9);
  two.threads = 2;
  EXPECT_DOUBLE_EQ(bound_of(two, peaks()).ns, 5e6);
  two.flops = 0;
  EXPECT_DOUBLE_EQ(bound_of(two, peaks()).ns, (1 << 20) / 15.0);
}

TEST(Roofline, CountsTheUnitsForNarrowNumbers) {
  Demand narrow = demand(1, 1e9);
  for (const auto& [bits, ns, by] : {std::tuple{32, 1e7, "float32"},
                                     {16, 5e6, "16 bits"},
                                     {8, 2.5e6, "8 bits"},
                                     {4, 2.5e6, "8 bits"}}) {
    narrow.bits = bits;
    EXPECT_DOUBLE_EQ(bound_of(narrow, peaks()).ns, ns);
    EXPECT_EQ(bound_of(narrow, peaks()).by, by);
    // Narrow units, or fewer operations, accuse nobody, whatever the inputs are.
    EXPECT_DOUBLE_EQ(bound_of(narrow, peaks()).least_ns, 2.5e6 / 64);
  }
}

TEST(Roofline, AsksForTheOutputsAndALittleOfTheRest) {
  Demand some = demand(1 << 20, 0);
  EXPECT_DOUBLE_EQ(bound_of(some, peaks()).least_ns, (1 << 20) / 640.0);
  some.output_bytes = 1 << 19;
  EXPECT_DOUBLE_EQ(bound_of(some, peaks()).least_ns, (1 << 19) / 20.0);
}

TEST(Roofline, WithoutACountOfOperationsIsThatOfMemory) {
  Demand unknown = demand(1 << 20, 0);
  unknown.flops.reset();
  EXPECT_EQ(bound_of(unknown, peaks()).by, "memory");
}

TEST(BestOf, TakesTheBetterOfEachRate) {
  Peaks again = peaks();
  again.float32.one = 150e9;
  again.bandwidth = {{1 << 20, {5e9, 30e9}}, {1 << 21, {99e9, 99e9}}};
  const Peaks best = best_of(peaks(), again);
  EXPECT_EQ(best.float32.one, 150e9);
  ASSERT_EQ(best.bandwidth.size(), 2U);
  EXPECT_EQ(best.bandwidth[0].bytes_per_second.one, 100e9);
  EXPECT_EQ(best.bandwidth[1].bytes_per_second.one, 10e9);
  EXPECT_EQ(best.bandwidth[1].bytes_per_second.all, 30e9);
}

}  // namespace
}  // namespace kbench

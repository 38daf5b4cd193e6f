#include "measure/machine/identity.hpp"

#include <gtest/gtest.h>

#include "measure/machine/best_rate.hpp"

namespace kbench {
namespace {

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

}  // namespace
}  // namespace kbench

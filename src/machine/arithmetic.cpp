#include "machine/arithmetic.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "machine/best_rate.hpp"

namespace kbench {
namespace {

constexpr int steps = 4096;

// What inline assembly calls a vector register.
#if defined(__x86_64__)
#define KBENCH_VECTOR_REGISTER "x"
#else
#define KBENCH_VECTOR_REGISTER "w"
#endif

// Many chains of x = x·a + b, as registers hold them: each waits for its last step alone, and there
// are enough that no unit waits. This file is compiled with -ffp-contract=fast, which fuses them.
// The compiler splits vectors by the target of the function that they are in, so each is one of its
// own.
#define KBENCH_CHAINS(NAME, TARGET, BYTES)                                           \
  TARGET double NAME() {                                                             \
    constexpr std::size_t chains = 12;                                               \
    using Vector = float __attribute__((vector_size(BYTES)));                        \
    Vector x[chains], a, b;                                                          \
    for (std::size_t lane = 0; lane < BYTES / sizeof(float); ++lane) {               \
      a[lane] = 0.5F;                                                                \
      b[lane] = 1;                                                                   \
      for (Vector & chain : x) chain[lane] = float(lane);                            \
    }                                                                                \
    asm volatile("" : "+" KBENCH_VECTOR_REGISTER(a), "+" KBENCH_VECTOR_REGISTER(b)); \
    for (int i = 0; i < steps; ++i)                                                  \
      for (std::size_t k = 0; k < chains; ++k) x[k] = x[k] * a + b;                  \
    for (Vector & chain : x) asm volatile("" : : KBENCH_VECTOR_REGISTER(chain));     \
    return 2.0 * steps * chains * (BYTES / sizeof(float));                           \
  }

#if defined(__x86_64__)
KBENCH_CHAINS(chains_of_512, __attribute__((target("avx512f"))), 64)
KBENCH_CHAINS(chains_of_256, __attribute__((target("avx2,fma"))), 32)
#endif
KBENCH_CHAINS(chains_of_128, , 16)

double (*widest())() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return &chains_of_512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &chains_of_256;
#endif
  return &chains_of_128;
}

// How many multiplications an instruction makes, beside those in float32 of the same width; a tile
// beside two vectors of 512 bits. Intel's and Arm's manuals.
struct Unit {
  std::string_view feature;
  NarrowMultiples times;
};
constexpr Unit units[] = {{"avx2", {1, 4}},       {"avx512_fp16", {2, 4}}, {"avx512_bf16", {2, 4}},
                          {"amx_bf16", {16, 16}}, {"amx_fp16", {16, 16}},  {"amx_int8", {1, 32}},
                          {"asimdhp", {2, 2}},    {"asimddp", {1, 4}},     {"bf16", {4, 4}},
                          {"i8mm", {1, 8}}};

}  // namespace

double best_arithmetic(int threads) {
  return best_rate(threads, [] { return Portion(widest()); });
}

NarrowMultiples narrow_multiples(const std::vector<std::string>& features) {
  NarrowMultiples best;
  for (const Unit& unit : units) {
    if (std::find(features.begin(), features.end(), unit.feature) == features.end()) continue;
    best.in_16_bit = std::max(best.in_16_bit, unit.times.in_16_bit);
    best.in_8_bit = std::max(best.in_8_bit, unit.times.in_8_bit);
  }
  return best;
}

}  // namespace kbench

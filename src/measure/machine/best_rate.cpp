#include "measure/machine/best_rate.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "base/simd.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int stretches = 8;
constexpr std::chrono::milliseconds stretch(4);

// Units a second.
double rate_of(const Portion& portion) {
  double done = 0;
  const auto begin = Clock::now();
  std::chrono::duration<double> taken{};
  do {
    done += portion();
    taken = Clock::now() - begin;
  } while (taken < stretch);
  return done / taken.count();
}

}  // namespace

double best_rate(int threads, const std::function<Portion()>& make) {
  const auto count = static_cast<std::size_t>(std::max(threads, 1));
  std::vector<double> rates(count);
  double best = 0;
  std::barrier together(threads, [&]() noexcept {  // the last one to come adds up
    double sum = 0;
    for (const double rate : rates) sum += rate;
    best = std::max(best, sum);
  });
  const auto work = [&](std::size_t i) {
    const Portion portion = make();
    portion();  // touches or loads things for the first time
    for (int n = 0; n < stretches; ++n) {
      together.arrive_and_wait();
      rates[i] = rate_of(portion);
    }
    together.arrive_and_wait();
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < count; ++i) others.emplace_back(work, i);
  work(0);
  return best;
}

namespace {

constexpr int steps = 4096;

// Name of a vector register in inline assembly.
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

// Multiplications of an instruction, beside those in float32 of the same width; a tile beside two
// vectors of 512 bits. Intel's and Arm's manuals.
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

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t page = std::size_t{2} << 20;
constexpr std::size_t least_of_a_portion = std::size_t{1} << 18;  // bytes: 10 µs or more

using Vector = std::uint64_t __attribute__((vector_size(line)));

// Eight sums, since a sum waits for its last addition.
KBENCH_SIMD std::uint64_t read_all(const std::byte* data, std::size_t bytes) {
  constexpr std::size_t sums = 8;
  Vector sum[sums] = {};
  const auto* vectors = reinterpret_cast<const Vector*>(data);
  for (std::size_t i = 0; i + sums <= bytes / line; i += sums)
    for (std::size_t k = 0; k < sums; ++k) sum[k] += vectors[i + k];
  std::uint64_t total = 0;
  for (const Vector& one : sum)
    for (std::size_t k = 0; k < line / sizeof total; ++k) total += one[k];
  return total;
}

// Allocates huge pages where the kernel has them, so that finding pages costs least.
std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + page - 1) / page * page;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(page, rounded));
  if (data == nullptr) throw std::bad_alloc();
  ::madvise(data, rounded, MADV_HUGEPAGE);
  std::memset(data, 1, bytes);
  return {data, [](std::byte* p) { std::free(p); }};
}

template <class Pass>
Portion portion_of(std::size_t bytes, const Pass& pass) {
  const auto data = allocate(bytes);
  const std::size_t passes = std::max<std::size_t>(1, least_of_a_portion / bytes);
  return [=] {
    for (std::size_t i = 0; i < passes; ++i) {
      pass(data.get());
      asm volatile("" : : "r"(data.get()) : "memory");  // each pass is made
    }
    return static_cast<double>(passes * bytes);
  };
}

}  // namespace

double best_bandwidth(std::uint64_t bytes, int threads) {
  constexpr std::size_t unit = 8 * line;
  const auto count = static_cast<std::uint64_t>(std::max(threads, 1));
  const std::size_t each = std::max<std::size_t>(bytes / count / (2 * unit), 1) * 2 * unit;
  const auto read = [each](std::byte* data) {
    const std::uint64_t sum = read_all(data, each);
    asm volatile("" : : "r"(sum));
  };
  const auto write = [each](std::byte* data) { std::memset(data, 1, each); };
  const auto copy = [each](std::byte* data) { std::memcpy(data, data + each / 2, each / 2); };
  return std::max({best_rate(threads, [&] { return portion_of(each, read); }),
                   best_rate(threads, [&] { return portion_of(each, write); }),
                   best_rate(threads, [&] { return portion_of(each, copy); })});
}

}  // namespace kbench

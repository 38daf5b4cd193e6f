// Execution of a text of PTX on many operands, beside a function that gives what is expected.
#pragma once

#include <cfenv>
#include <functional>
#include <random>

#include "emulate/runtime/launching.hpp"

namespace emulation_test {

using U64 = uint64_t;
using U32 = uint32_t;
using S64 = int64_t;
using S32 = int32_t;

constexpr int ptx_threads = 256;

struct Inputs {
  U64 of[4];
};

inline __global__ void execute(const char* text, void** cache, const Inputs* inputs, U64* results,
                               int bytes) {
  const Inputs in = inputs[blockIdx.x * ptx_threads + threadIdx.x];
  U64 result = 0;
  const kbench_emulation::Operand operands[] = {{"=l", &result, 0, static_cast<size_t>(bytes)},
                                                {"l", nullptr, in.of[0], 8},
                                                {"l", nullptr, in.of[1], 8},
                                                {"l", nullptr, in.of[2], 8},
                                                {"l", nullptr, in.of[3], 8}};
  kbench_emulation::assemble({text, cache, kbench_emulation::here()}, operands, 5);
  results[blockIdx.x * ptx_threads + threadIdx.x] = result;
}

inline std::vector<U64> run(const char* text, const std::vector<Inputs>& inputs, int bytes) {
  std::vector<U64> results(inputs.size());
  void* cache = nullptr;
  std::vector<char> copy(text, text + strlen(text) + 1);
  Call().input(inputs, "inputs").output(results, "results").begin(3);
  KB_LAUNCH((execute), (static_cast<unsigned>(inputs.size() / ptx_threads), ptx_threads), text,
            &cache, inputs.data(), results.data(), bytes);
  return results;
}

inline const U64 edges[] = {0,
                            1,
                            2,
                            3,
                            31,
                            32,
                            33,
                            63,
                            64,
                            0x7f,
                            0x80,
                            0xff,
                            0x7fff,
                            0x8000,
                            0xffff,
                            0x7fffffff,
                            0x80000000,
                            0xffffffff,
                            0x100000000,
                            0x7fffffffffffffff,
                            0x8000000000000000,
                            0xffffffffffffffff,
                            0x123456789abcdef0};
inline const U32 float_edges[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
    0x3f800001, 0x3f7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb,
    0x4b800001, 0x33800000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4f000000, 0xcf000000, 0x5f800000};

inline std::vector<Inputs> integers() {
  std::mt19937_64 random(5);
  std::vector<Inputs> out;
  for (const U64 a : edges)
    for (const U64 b : edges) out.push_back({{a, b, random() >> random() % 64, random()}});
  while (out.size() < 4096)
    out.push_back({{random() >> random() % 64, random() >> random() % 64, random(), random()}});
  return out;
}

inline std::vector<Inputs> floats() {
  std::mt19937_64 random(6);
  std::vector<Inputs> out;
  const auto any = [&] {
    return random() % 2 == 0 ? random() & 0xffffffff : 0x3f000000 + (random() & 0x1ffffff);
  };
  for (const U32 a : float_edges)
    for (const U32 b : float_edges) out.push_back({{a, b, float_edges[random() % 24], 0}});
  while (out.size() < 4096) out.push_back({{any(), any(), any(), 0}});
  return out;
}

using Expected = std::function<U64(U64, U64, U64)>;

inline void expect_all(const char* text, int bytes, const std::vector<Inputs>& inputs,
                       const Expected& expected) {
  const std::vector<U64> results = run(text, inputs, bytes);
  const U64 mask = bytes == 8 ? ~U64{0} : (U64{1} << 8 * bytes) - 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& [a, b, c, d] = inputs[i].of;
    ASSERT_EQ(results[i] & mask, expected(a, b, c) & mask)
        << text << std::hex << " " << a << " " << b << " " << c;
  }
}

inline float as_float(U64 bits) {
  const auto word = static_cast<U32>(bits);
  float x = 0;
  memcpy(&x, &word, 4);
  return x;
}
inline U64 bits_of(float x) {
  U32 word = 0;
  memcpy(&word, &x, 4);
  return x != x ? 0x7fffffff : word;
}

// Expects the same floats, any NaN for another.
inline void expect_floats(const char* text,
                          const std::function<float(float, float, float)>& expected) {
  const std::vector<Inputs> inputs = floats();
  const std::vector<U64> results = run(text, inputs, 4);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const float a = as_float(inputs[i].of[0]), b = as_float(inputs[i].of[1]),
                c = as_float(inputs[i].of[2]);
    const float want = expected(a, b, c), got = as_float(results[i]);
    if (want != want)
      ASSERT_NE(got, got) << text << " " << a << " " << b << " " << c;
    else
      ASSERT_EQ(bits_of(got), bits_of(want)) << text << " " << a << " " << b << " " << c;
  }
}

template <typename T>
T rounding(int mode, const std::function<T()>& work) {
  std::fesetround(mode);
  const volatile T result = work();
  std::fesetround(FE_TONEAREST);
  return result;
}

}  // namespace emulation_test

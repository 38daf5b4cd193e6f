// Inline PTX: every operation beside what the PTX ISA's text says of it, written here once more in
// another way: the processor's own roundings, loops over bits, tables.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <random>

#include "emulate/runtime/launching.hpp"

namespace {

using emulation_test::Call;
using U64 = uint64_t;
using U32 = uint32_t;
using S64 = int64_t;
using S32 = int32_t;

constexpr int threads = 256;

struct Inputs {
  U64 of[4];
};

__global__ void execute(const char* text, void** cache, const Inputs* inputs, U64* results,
                        int bytes) {
  const Inputs in = inputs[blockIdx.x * threads + threadIdx.x];
  U64 result = 0;
  const kbench_emulation::Operand operands[] = {{"=l", &result, 0, static_cast<size_t>(bytes)},
                                                {"l", nullptr, in.of[0], 8},
                                                {"l", nullptr, in.of[1], 8},
                                                {"l", nullptr, in.of[2], 8},
                                                {"l", nullptr, in.of[3], 8}};
  kbench_emulation::assemble({text, cache, kbench_emulation::here()}, operands, 5);
  results[blockIdx.x * threads + threadIdx.x] = result;
}

std::vector<U64> run(const char* text, const std::vector<Inputs>& inputs, int bytes) {
  std::vector<U64> results(inputs.size());
  void* cache = nullptr;
  std::vector<char> copy(text, text + strlen(text) + 1);
  Call().input(inputs, "inputs").output(results, "results").begin(3);
  KB_LAUNCH((execute), (static_cast<unsigned>(inputs.size() / threads), threads), text, &cache,
            inputs.data(), results.data(), bytes);
  return results;
}

const U64 edges[] = {0,
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
const U32 float_edges[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
                           0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x7f7fffff, 0xff7fffff,
                           0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb, 0x4b800001, 0x33800000,
                           0x3fc00000, 0x40200000, 0xc0200000, 0x4f000000, 0xcf000000, 0x5f800000};

std::vector<Inputs> integers() {
  std::mt19937_64 random(5);
  std::vector<Inputs> out;
  for (const U64 a : edges)
    for (const U64 b : edges) out.push_back({{a, b, random() >> random() % 64, random()}});
  while (out.size() < 4096)
    out.push_back({{random() >> random() % 64, random() >> random() % 64, random(), random()}});
  return out;
}

std::vector<Inputs> floats() {
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

void expect_all(const char* text, int bytes, const std::vector<Inputs>& inputs,
                const Expected& expected) {
  const std::vector<U64> results = run(text, inputs, bytes);
  const U64 mask = bytes == 8 ? ~U64{0} : (U64{1} << 8 * bytes) - 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& [a, b, c, d] = inputs[i].of;
    ASSERT_EQ(results[i] & mask, expected(a, b, c) & mask)
        << text << std::hex << " " << a << " " << b << " " << c;
  }
}

float as_float(U64 bits) {
  const auto word = static_cast<U32>(bits);
  float x = 0;
  memcpy(&x, &word, 4);
  return x;
}
U64 bits_of(float x) {
  U32 word = 0;
  memcpy(&word, &x, 4);
  return x != x ? 0x7fffffff : word;
}

// Any NaN is as good as another.
void expect_floats(const char* text, const std::function<float(float, float, float)>& expected) {
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

TEST(Ptx, IntegerArithmetic) {
  const auto in = integers();
  expect_all("add.s32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) { return a + b; });
  expect_all("add.u64 %0, %1, %2;", 8, in, [](U64 a, U64 b, U64) { return a + b; });
  expect_all("sub.u16 %0, %1, %2;", 2, in, [](U64 a, U64 b, U64) { return a - b; });
  expect_all("add.sat.s32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) {
    S32 sum = 0;
    if (!__builtin_add_overflow(static_cast<S32>(a), static_cast<S32>(b), &sum))
      return static_cast<U64>(sum);
    return static_cast<S32>(a) < 0 ? U64{0x80000000} : U64{0x7fffffff};
  });
  expect_all("mul.lo.s32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) { return a * b; });
  expect_all("mul.hi.s32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) {
    return static_cast<U64>(S64{static_cast<S32>(a)} * static_cast<S32>(b) >> 32);
  });
  expect_all("mul.hi.u32 %0, %1, %2;", 4, in,
             [](U64 a, U64 b, U64) { return (a & 0xffffffff) * (b & 0xffffffff) >> 32; });
  expect_all("mul.hi.u64 %0, %1, %2;", 8, in, [](U64 a, U64 b, U64) {  // by halves
    const U64 al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    const U64 mid = ah * bl + (al * bl >> 32), mid2 = al * bh + (mid & 0xffffffff);
    return ah * bh + (mid >> 32) + (mid2 >> 32);
  });
  expect_all("mul.wide.s32 %0, %1, %2;", 8, in, [](U64 a, U64 b, U64) {
    return static_cast<U64>(S64{static_cast<S32>(a)} * static_cast<S32>(b));
  });
  expect_all("mul.wide.u16 %0, %1, %2;", 4, in,
             [](U64 a, U64 b, U64) { return (a & 0xffff) * (b & 0xffff); });
  expect_all("mad.lo.s32 %0, %1, %2, %3;", 4, in, [](U64 a, U64 b, U64 c) { return a * b + c; });
  expect_all("mad.wide.u32 %0, %1, %2, %3;", 8, in,
             [](U64 a, U64 b, U64 c) { return (a & 0xffffffff) * (b & 0xffffffff) + c; });
  expect_all("mul24.lo.u32 %0, %1, %2;", 4, in,
             [](U64 a, U64 b, U64) { return (a & 0xffffff) * (b & 0xffffff); });
  expect_all("div.s32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) {
    if (static_cast<S32>(b) == 0) return ~U64{0};
    return static_cast<U64>(S64{static_cast<S32>(a)} / static_cast<S32>(b));
  });
  expect_all("rem.u32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) {
    return static_cast<U32>(b) == 0 ? ~U64{0} : U64{static_cast<U32>(a) % static_cast<U32>(b)};
  });
  expect_all("min.s32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) {
    return static_cast<U64>(std::min(static_cast<S32>(a), static_cast<S32>(b)));
  });
  expect_all("max.u64 %0, %1, %2;", 8, in, [](U64 a, U64 b, U64) { return std::max(a, b); });
  expect_all("abs.s32 %0, %1;", 4, in,
             [](U64 a, U64, U64) { return static_cast<S32>(a) < 0 ? -a : a; });
  expect_all("neg.s64 %0, %1;", 8, in, [](U64 a, U64, U64) { return ~a + 1; });
}

TEST(Ptx, Bits) {
  const auto in = integers();
  expect_all("and.b32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) { return a & b; });
  expect_all("or.b64 %0, %1, %2;", 8, in, [](U64 a, U64 b, U64) { return a | b; });
  expect_all("xor.b32 %0, %1, 0x55aa;", 4, in, [](U64 a, U64, U64) { return a ^ 0x55aa; });
  expect_all("not.b32 %0, %1;", 4, in, [](U64 a, U64, U64) { return ~a; });
  expect_all("shl.b32 %0, %1, %2;", 4, in,
             [](U64 a, U64 b, U64) { return (b & 0xffffffff) > 31 ? 0 : a << (b & 31); });
  expect_all("shr.u32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) {
    return (b & 0xffffffff) > 31 ? 0 : (a & 0xffffffff) >> (b & 31);
  });
  expect_all("shr.s32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) {
    const U64 by = b & 0xffffffff;
    return static_cast<U64>(S64{static_cast<S32>(a)} >> (by > 31 ? 31 : by));
  });
  expect_all("shf.l.wrap.b32 %0, %1, %2, %3;", 4, in, [](U64 a, U64 b, U64 c) {
    U64 result = 0;
    for (unsigned i = 0; i < 32; ++i) {  // bit by bit
      const int from = static_cast<int>(32 + i) - static_cast<int>(c & 31);
      result |= ((from >= 32 ? b >> (from - 32) : a >> from) & 1) << i;
    }
    return result;
  });
  expect_all("shf.r.clamp.b32 %0, %1, %2, %3;", 4, in, [](U64 a, U64 b, U64 c) {
    const U64 by = std::min<U64>(c & 0xffffffff, 32);
    U64 result = 0;
    for (unsigned i = 0; i < 32; ++i)
      result |= ((i + by >= 32 ? b >> (i + by - 32) : a >> (i + by)) & 1) << i;
    return result;
  });
  // f0 is the table of a, cc of b, aa of c: what a bitwise expression of them gives is its table.
  expect_all("lop3.b32 %0, %1, %2, %3, 0x96;", 4, in,
             [](U64 a, U64 b, U64 c) { return a ^ b ^ c; });
  expect_all("lop3.b32 %0, %1, %2, %3, 0xea;", 4, in,
             [](U64 a, U64 b, U64 c) { return (a & b) | c; });
  expect_all("lop3.b32 %0, %1, %2, %3, 0xca;", 4, in,
             [](U64 a, U64 b, U64 c) { return (a & b) | (~a & c); });
  expect_all("prmt.b32 %0, %1, %2, %3;", 4, in, [](U64 a, U64 b, U64 c) {
    unsigned char bytes[8];
    const U32 low = static_cast<U32>(a), high = static_cast<U32>(b);
    memcpy(bytes, &low, 4);
    memcpy(bytes + 4, &high, 4);
    U64 result = 0;
    for (int i = 0; i < 4; ++i) {
      const auto nibble = static_cast<unsigned>(c >> 4 * i & 15);
      unsigned char byte = bytes[nibble % 8];
      if (nibble >= 8) byte = (byte & 0x80) != 0 ? 0xff : 0;
      result |= U64{byte} << 8 * i;
    }
    return result;
  });
  expect_all("bfe.u32 %0, %1, 5, 9;", 4, in, [](U64 a, U64, U64) { return a >> 5 & 0x1ff; });
  expect_all("bfe.s32 %0, %1, 28, 8;", 4, in,
             [](U64 a, U64, U64) { return static_cast<U64>(S64{static_cast<S32>(a)} >> 28); });
  expect_all("bfi.b32 %0, %1, %2, 8, 4;", 4, in,
             [](U64 a, U64 b, U64) { return (b & ~U64{0xf00}) | (a & 15) << 8; });
  expect_all("popc.b64 %0, %1;", 4, in, [](U64 a, U64, U64) {
    U64 n = 0;
    for (; a != 0; a &= a - 1) ++n;
    return n;
  });
  expect_all("clz.b32 %0, %1;", 4, in, [](U64 a, U64, U64) {
    U64 n = 0;
    while (n < 32 && (a >> (31 - n) & 1) == 0) ++n;
    return n;
  });
  expect_all("brev.b32 %0, %1;", 4, in, [](U64 a, U64, U64) {
    U64 out = 0;
    for (int i = 0; i < 32; ++i) out = out << 1 | (a >> i & 1);
    return out;
  });
  expect_all("bfind.u32 %0, %1;", 4, in, [](U64 a, U64, U64) {
    for (int i = 31; i >= 0; --i)
      if (a >> i & 1) return static_cast<U64>(i);
    return U64{0xffffffff};
  });
}

TEST(Ptx, FloatArithmeticInAllRoundings) {
  const std::pair<const char*, int> modes[] = {
      {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& [name, mode] : modes) {
    const std::string suffix = std::string(".") + name + ".f32 %0, %1, %2";
    const auto by = [mode = mode](auto work) {
      return [=](float a, float b, float c) {
        const volatile float x = a, y = b, z = c;
        return rounding<float>(mode, [&] { return work(x, y, z); });
      };
    };
    expect_floats(("add" + suffix + ";").c_str(),
                  by([](float a, float b, float) { return a + b; }));
    expect_floats(("sub" + suffix + ";").c_str(),
                  by([](float a, float b, float) { return a - b; }));
    expect_floats(("mul" + suffix + ";").c_str(),
                  by([](float a, float b, float) { return a * b; }));
    expect_floats(("fma" + suffix + ", %3;").c_str(),
                  by([](float a, float b, float c) { return std::fmaf(a, b, c); }));
  }
}

float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

TEST(Ptx, FloatModifiersAndFunctions) {
  expect_floats("add.ftz.f32 %0, %1, %2;",
                [](float a, float b, float) { return flush(flush(a) + flush(b)); });
  expect_floats("mul.rn.ftz.f32 %0, %1, %2;",
                [](float a, float b, float) { return flush(flush(a) * flush(b)); });
  expect_floats("add.sat.f32 %0, %1, %2;", [](float a, float b, float) {
    const float sum = a + b;
    return sum > 1 ? 1.0f : sum > 0 ? sum : 0.0f;
  });
  expect_floats("min.f32 %0, %1, %2;", [](float a, float b, float) {
    if (a != a) return b;
    if (b != b) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  });
  expect_floats("max.NaN.f32 %0, %1, %2;", [](float a, float b, float) {
    if (a != a || b != b) return NAN;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  });
  expect_floats("abs.f32 %0, %1;", [](float a, float, float) { return std::fabs(a); });
  expect_floats("neg.f32 %0, %1;", [](float a, float, float) { return -a; });
  expect_floats("div.rn.f32 %0, %1, %2;", [](float a, float b, float) { return a / b; });
  expect_floats("rcp.approx.f32 %0, %1;", [](float a, float, float) { return 1 / a; });
  expect_floats("sqrt.rn.f32 %0, %1;", [](float a, float, float) { return std::sqrt(a); });
  expect_floats("copysign.f32 %0, %1, %2;",
                [](float a, float b, float) { return std::copysign(b, a); });
  expect_floats("mov.f32 %0, 0f40490fdb;", [](float, float, float) { return 3.14159274f; });
}

// Approximate functions are within the errors that the ISA allows a device.
TEST(Ptx, ApproximateFunctions) {
  const auto expect_near = [](const char* text, auto exact, double relative, double absolute) {
    const std::vector<Inputs> inputs = floats();
    const std::vector<U64> results = run(text, inputs, 4);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const double a = as_float(inputs[i].of[0]), want = exact(a), got = as_float(results[i]);
      if (!std::isfinite(want) || std::fabs(want) > 3e38 || std::fabs(want) < 2e-38) continue;
      ASSERT_NEAR(got, want, std::fabs(want) * relative + absolute) << text << " " << a;
    }
  };
  expect_near(
      "ex2.approx.f32 %0, %1;", [](double x) { return std::exp2(x); }, 0x1p-21, 0);
  expect_near(
      "lg2.approx.f32 %0, %1;", [](double x) { return std::log2(x); }, 0x1p-22, 0x1p-22);
  expect_near(
      "rsqrt.approx.f32 %0, %1;", [](double x) { return 1 / std::sqrt(x); }, 0x1p-22, 0);
  expect_near(
      "tanh.approx.f32 %0, %1;", [](double x) { return std::tanh(x); }, 0x1p-10, 0);
}

TEST(Ptx, ComparisonsPredicatesAndSelection) {
  const auto in = integers();
  expect_all("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, 1, 2, p; }", 4, in,
             [](U64 a, U64 b, U64) { return static_cast<S32>(a) < static_cast<S32>(b) ? 1 : 2; });
  expect_all(
      "{\n .reg .pred p, q;\n setp.hi.u32 p|q, %1, %2;\n @q mov.u32 %0, 7;\n @!q mov.u32 %0, 8;\n}",
      4, in, [](U64 a, U64 b, U64) { return static_cast<U32>(a) > static_cast<U32>(b) ? 8 : 7; });
  expect_all(
      "{ .reg .pred p, q; setp.ne.u32 q, %3, 0; setp.eq.and.u32 p, %1, %2, !q; selp.u32 %0, 5, 6, "
      "p; }",
      4, in, [](U64 a, U64 b, U64 c) {
        return static_cast<U32>(a) == static_cast<U32>(b) && static_cast<U32>(c) == 0 ? 5 : 6;
      });
  const auto number = [](const char* text, auto holds) {
    expect_floats(text, [=](float a, float b, float) { return holds(a, b) ? 1.0f : 2.0f; });
  };
  number("{ .reg .pred p; setp.le.f32 p, %1, %2; selp.f32 %0, 0f3f800000, 0f40000000, p; }",
         [](float a, float b) { return a <= b; });
  number("{ .reg .pred p; setp.gtu.f32 p, %1, %2; selp.f32 %0, 1.0, 2.0, p; }",
         [](float a, float b) { return !(a <= b); });
  number("{ .reg .pred p; setp.num.f32 p, %1, %2; selp.f32 %0, 1.0, 2.0, p; }",
         [](float a, float b) { return a == a && b == b; });
  number("{ .reg .pred p; setp.ne.f32 p, %1, %2; selp.f32 %0, 1.0, 2.0, p; }",
         [](float a, float b) { return a < b || a > b; });
  expect_all("set.gt.u32.u32 %0, %1, %2;", 4, in, [](U64 a, U64 b, U64) {
    return static_cast<U32>(a) > static_cast<U32>(b) ? 0xffffffff : 0;
  });
}

TEST(Ptx, LoopsAndRegisters) {
  // The sum of the first numbers, with a label, a branch and registers of a name each.
  expect_all(
      "{ .reg .u32 n<2>; .reg .pred more; mov.u32 n0, 0; and.b32 n1, %1, 15; // count\n"
      "again: add.u32 n0, n0, n1; sub.u32 n1, n1, 1; setp.gt.s32 more, n1, 0; @more bra again; "
      "mov.b32 %0, n0; }",
      4, integers(), [](U64 a, U64, U64) {
        const U64 n = a & 15;
        return n == 0 ? 0 : n * (n + 1) / 2;
      });
  expect_all("{ .reg .b32 x; { .reg .b32 x; mov.b32 x, 5; } mov.b32 x, 6; mov.b32 %0, x; }", 4,
             integers(), [](U64, U64, U64) { return 6; });
  expect_all("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo}; }", 4, integers(),
             [](U64 a, U64, U64) { return (a & 0xffff) << 16 | (a >> 16 & 0xffff); });
  expect_all("mov.b64 %0, {%1, %2};", 8, integers(),
             [](U64 a, U64 b, U64) { return (b & 0xffffffff) << 32 | (a & 0xffffffff); });
}

TEST(Ptx, Conversions) {
  const auto in = integers();
  expect_all("cvt.s64.s32 %0, %1;", 8, in,
             [](U64 a, U64, U64) { return static_cast<U64>(S64{static_cast<S32>(a)}); });
  expect_all("cvt.u32.u64 %0, %1;", 4, in, [](U64 a, U64, U64) { return a; });
  expect_all("cvt.sat.u8.s32 %0, %1;", 4, in, [](U64 a, U64, U64) {
    return static_cast<U64>(std::clamp(static_cast<S32>(a), 0, 255));
  });
  expect_all("cvt.rn.f32.s32 %0, %1;", 4, in,
             [](U64 a, U64, U64) { return bits_of(static_cast<float>(static_cast<S32>(a))); });
  expect_all("cvt.rz.f32.u64 %0, %1;", 4, in, [](U64 a, U64, U64) {
    return bits_of(rounding<float>(FE_TOWARDZERO, [&] {
      const volatile U64 x = a;
      return static_cast<float>(x);
    }));
  });
  expect_all("cvt.rp.f32.s64 %0, %1;", 4, in, [](U64 a, U64, U64) {
    return bits_of(rounding<float>(FE_UPWARD, [&] {
      const volatile S64 x = static_cast<S64>(a);
      return static_cast<float>(x);
    }));
  });
  const auto to_int = [](const char* text, int mode) {
    expect_all(text, 4, floats(), [=](U64 a, U64, U64) {
      const float x = as_float(a);
      if (x != x) return U64{0};
      const double whole = rounding<double>(mode, [&] {
        const volatile double y = x;
        return std::nearbyint(y);
      });
      return static_cast<U64>(static_cast<S64>(std::clamp(whole, -2147483648.0, 2147483647.0)));
    });
  };
  to_int("cvt.rni.s32.f32 %0, %1;", FE_TONEAREST);
  to_int("cvt.rzi.s32.f32 %0, %1;", FE_TOWARDZERO);
  to_int("cvt.rmi.s32.f32 %0, %1;", FE_DOWNWARD);
  to_int("cvt.rpi.s32.f32 %0, %1;", FE_UPWARD);
  expect_floats("cvt.rzi.f32.f32 %0, %1;", [](float a, float, float) { return std::trunc(a); });
  expect_floats("cvt.sat.f32.f32 %0, %1;", [](float a, float, float) {
    return a > 1 ? 1.0f : a > 0 ? a : 0.0f;
  });
  expect_all("cvt.rn.bf16x2.f32 %0, %1, %2;", 4, floats(), [](U64 a, U64 b, U64) {
    return U64{__bfloat16_as_ushort(__float2bfloat16(as_float(a)))} << 16 |
           __bfloat16_as_ushort(__float2bfloat16(as_float(b)));
  });
  expect_all("cvt.rn.f16x2.f32 %0, %1, %2;", 4, floats(), [](U64 a, U64 b, U64) {
    return U64{__half_as_ushort(__float2half(as_float(a)))} << 16 |
           __half_as_ushort(__float2half(as_float(b)));
  });
  expect_floats("{ .reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h; }",
                [](float a, float, float) { return static_cast<float>(static_cast<_Float16>(a)); });
  // Ties go away from zero: the thirteen bits that are dropped.
  expect_all("cvt.rna.tf32.f32 %0, %1;", 4, floats(), [](U64 a, U64, U64) {
    if ((a & 0x7f800000) == 0x7f800000) return a & 0xffffe000;
    const double step = 8192, size = static_cast<double>(a & 0x7fffffff);
    return (a & 0x80000000) | static_cast<U64>(std::floor(size / step + 0.5) * step);
  });
}

TEST(Ptx, PackedHalves) {
  const auto lanes = [](const char* text, auto work) {
    expect_all(text, 4, floats(), [=](U64 a, U64 b, U64 c) {
      U64 result = 0;
      for (int i = 0; i < 2; ++i) {
        const auto half = [i](U64 x) {
          const auto bits = static_cast<unsigned short>(x >> 16 * i);
          _Float16 h;
          memcpy(&h, &bits, 2);
          return h;
        };
        const _Float16 value = work(half(a), half(b), half(c));
        unsigned short bits = 0;
        memcpy(&bits, &value, 2);
        result |= U64{value != value ? static_cast<unsigned short>(0x7fff) : bits} << 16 * i;
      }
      return result;
    });
  };
  lanes("add.f16x2 %0, %1, %2;",
        [](_Float16 a, _Float16 b, _Float16) { return static_cast<_Float16>(a + b); });
  lanes("mul.rn.f16x2 %0, %1, %2;",
        [](_Float16 a, _Float16 b, _Float16) { return static_cast<_Float16>(a * b); });
}

// ---- What threads do together

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

// The ISA's own words: segments by the mask in bits 8 to 12, and the clamp in bits 0 to 4.
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
  EXPECT_FAULT(KB_LAUNCH((not_known), (1, 32)),
               "^kbench-emulation: NOT_EMULATED PTX wgmma.fence.sync.aligned, .*ptx_test.cpp:");
  EXPECT_FAULT(KB_LAUNCH((not_parsed), (1, 32)), "NOT_EMULATED PTX");
}

// A producer's warp and a consumer's, which wait for each other at an mbarrier.
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

// Half of the block at a barrier of its own.
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

}  // namespace

// Inline PTX: every operation beside what the PTX ISA's text says of it, written here once more in
// another way: the processor's own roundings, loops over bits, tables.
#include "emulate/runtime/ptx_running.hpp"

namespace {

using namespace emulation_test;

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
  expect_all("mul.hi.u64 %0, %1, %2;", 8, in, [](U64 a, U64 b, U64) {  // multiplies halves
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
}

TEST(Ptx, QuotientsAndExtremes) {
  const auto in = integers();
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
    for (unsigned i = 0; i < 32; ++i) {  // takes bit by bit
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
}

TEST(Ptx, BitsByTables) {
  const auto in = integers();
  // Tables of a, b and c are f0, cc and aa: a bitwise expression of these gives its own table.
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

}  // namespace

// Inline PTX: comparisons, registers, conversions, as in ptx_test.cpp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "emulate/runtime/ptx_running.hpp"

namespace {

using namespace emulation_test;

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

}  // namespace

// Small floating-point numbers, exhaustively, against tables of all values of a format: rounding
// gives the nearest of them, found by comparing, and of two that are as near the even one.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

using kbench_emulation::Round;

// A format by its definition: sign, exponent, mantissa, as the standards write them.
struct Format {
  int exponent_bits, mantissa_bits;
  bool has_infinity;
  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  double value(unsigned code) const {
    const int exponent = static_cast<int>(code >> mantissa_bits) & ((1 << exponent_bits) - 1);
    const int mantissa = static_cast<int>(code) & ((1 << mantissa_bits) - 1);
    const double sign = code >> (bits() - 1) & 1 ? -1 : 1;
    const int top = (1 << exponent_bits) - 1;
    if (has_infinity && exponent == top) return mantissa == 0 ? sign * INFINITY : NAN;
    if (!has_infinity && exponent == top && mantissa == (1 << mantissa_bits) - 1) return NAN;
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias() - mantissa_bits);
    return sign * std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias() - mantissa_bits);
  }
};
constexpr Format half{5, 10, true}, bfloat16{8, 7, true}, e5m2{5, 2, true}, e4m3{4, 3, false};

class Table {
 public:
  explicit Table(const Format& format) : format_(format) {
    for (unsigned code = 0; code < 1u << (format.bits() - 1); ++code)
      if (std::isfinite(format.value(code))) values_.push_back(format.value(code));
  }
  // Returns the code of |x| rounded; one more than the last is beyond the largest.
  unsigned nearest(double x) const {
    const unsigned above = at_least(x);
    const double last = values_.back();
    const double next = last + (last - values_[values_.size() - 2]);  // one step beyond the largest
    const double high = above < values_.size() ? values_[above] : next;
    if (above == 0 || high == x) return above;
    const double low = values_[above - 1];
    if (x > next) return static_cast<unsigned>(values_.size());
    const double to_low = x - low, to_high = high - x;
    if (to_low != to_high) return to_low < to_high ? above - 1 : above;
    return above % 2 == 0 ? above : above - 1;
  }
  unsigned at_least(double x) const {
    return static_cast<unsigned>(std::lower_bound(values_.begin(), values_.end(), x) -
                                 values_.begin());
  }
  bool has(double x) const {
    const unsigned at = at_least(x);
    return at < values_.size() && values_[at] == x;
  }
  unsigned count() const { return static_cast<unsigned>(values_.size()); }
  unsigned round(double x, Round how) const {
    const double size = std::fabs(x);
    const unsigned sign = std::signbit(x) ? 1u << (format_.bits() - 1) : 0;
    const bool is_away = how == (sign != 0 ? Round::down : Round::up);
    unsigned code = how == Round::nearest  ? nearest(size)
                    : is_away || has(size) ? at_least(size)
                                           : at_least(size) - 1;
    if (std::isinf(x)) code = count();
    return sign | code;
  }

 private:
  Format format_;
  std::vector<double> values_;
};

// Numbers of all sizes, those between two neighbours and beside them among them.
std::vector<float> samples(const Format& format) {
  std::vector<float> out = {0.0f, -0.0f, INFINITY, -INFINITY, 1e38f, -1e38f, 1e-45f, 3e-39f};
  std::mt19937_64 random(1);
  for (unsigned code = 0; code<1u << format.bits(); code += format.bits()> 8 ? 7 : 1) {
    const auto value = static_cast<float>(format.value(code));
    const auto next = static_cast<float>(format.value(code + 1));
    if (!std::isfinite(value) || !std::isfinite(next)) continue;
    const float between = value + (next - value) / 2;
    for (const float x :
         {value, between, std::nextafterf(between, INFINITY), std::nextafterf(between, -INFINITY)})
      out.push_back(x);
  }
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<uint32_t>(random());
    float x = 0;
    memcpy(&x, &bits, sizeof x);
    if (x == x) out.push_back(x);
  }
  return out;
}

template <typename Convert>
void expect_rounding(const Format& format, Round how, Convert convert) {
  const Table table(format);
  for (const float x : samples(format))
    ASSERT_EQ(convert(x), table.round(x, how)) << x << " " << static_cast<int>(how);
}

bool is_same(double a, double b) { return a == b || (a != a && b != b); }

TEST(Numbers, ValuesOfAllCodes) {
  for (unsigned code = 0; code < 65536; ++code) {
    const auto bits = static_cast<unsigned short>(code);
    const double h = __half2float(__ushort_as_half(bits));
    const double b = __bfloat162float(__ushort_as_bfloat16(bits));
    const double expected_h = half.value(code), expected_b = bfloat16.value(code);
    ASSERT_TRUE(is_same(h, expected_h)) << code;
    ASSERT_TRUE(is_same(b, expected_b)) << code;
  }
  for (unsigned code = 0; code < 256; ++code)
    for (const auto& [format, kind] : {std::pair(e4m3, __NV_E4M3), std::pair(e5m2, __NV_E5M2)}) {
      const double value = kbench_emulation::fp8_value(static_cast<unsigned char>(code), kind);
      const double expected = format.value(code);
      ASSERT_TRUE(is_same(value, expected)) << code;
    }
}

TEST(Numbers, EveryValueIsItsOwnCode) {
  for (unsigned code = 0; code < 65536; ++code) {
    const auto bits = static_cast<unsigned short>(code);
    const float h = __half2float(__ushort_as_half(bits));
    const float b = __bfloat162float(__ushort_as_bfloat16(bits));
    ASSERT_EQ(__half_as_ushort(__float2half(h)), h == h ? code : 0x7fff);
    ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(b)), b == b ? code : 0x7fff);
  }
}

TEST(Numbers, FloatsAreRoundedToHalf) {
  const auto bits = [](__half x) { return __half_as_ushort(x); };
  expect_rounding(half, Round::nearest, [&](float x) { return bits(__float2half_rn(x)); });
  expect_rounding(half, Round::up, [&](float x) {
    return std::isfinite(x) && x < -65504 ? 0xfbffu : bits(__float2half_ru(x));
  });
}

TEST(Numbers, FloatsAreRoundedToBfloat16) {
  const auto bits = [](__nv_bfloat16 x) { return __bfloat16_as_ushort(x); };
  expect_rounding(bfloat16, Round::nearest, [&](float x) { return bits(__float2bfloat16_rn(x)); });
  expect_rounding(bfloat16, Round::zero, [&](float x) { return bits(__float2bfloat16_rz(x)); });
  expect_rounding(bfloat16, Round::down, [&](float x) { return bits(__float2bfloat16_rd(x)); });
}

TEST(Numbers, FloatsAreRoundedToEightBits) {
  expect_rounding(e5m2, Round::nearest,
                  [](float x) { return __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2); });
  const Table table(e4m3);
  for (const float x : samples(e4m3)) {
    const unsigned sign = std::signbit(x) ? 0x80 : 0,
                   code = table.round(std::fabs(x), Round::nearest);
    const unsigned largest = 0x7e;
    ASSERT_EQ(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3), sign | std::min(code, largest))
        << x;
    ASSERT_EQ(__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3), sign | code) << x;  // 0x7f is NaN
  }
  EXPECT_EQ(__nv_cvt_float_to_fp8(NAN, __NV_SATFINITE, __NV_E4M3), 0x7f);
  EXPECT_EQ(__nv_cvt_float_to_fp8(1e9f, __NV_SATFINITE, __NV_E5M2), 0x7b);
  const __nv_fp8_e4m3 small(0.4375f);
  EXPECT_EQ(static_cast<float>(small), 0.4375f);
}

// Sums and products of two numbers of a format are exact in long double, so that one rounding is
// all there is.
template <typename T, typename Code, typename Make>
void expect_arithmetic(const Format& format, Code code_of, Make make) {
  const Table table(format);
  std::mt19937 random(2);
  const unsigned mask = (1u << format.bits()) - 1;
  for (int i = 0; i < 300000; ++i) {
    const unsigned a = random() & mask, b = i % 3 == 0 ? a ^ (random() & 0x1fff) : random() & mask;
    const double x = format.value(a), y = format.value(b);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const T p = make(static_cast<unsigned short>(a)), q = make(static_cast<unsigned short>(b));
    const long double sum = static_cast<long double>(x) + y,
                      product = static_cast<long double>(x) * y;
    // The table rounds results that double holds, as it mostly does.
    if (static_cast<double>(sum) == sum) {
      ASSERT_EQ(code_of(__hadd(p, q)), table.round(static_cast<double>(sum), Round::nearest))
          << x << " " << y;
    }
    if (static_cast<double>(product) == product) {
      ASSERT_EQ(code_of(__hmul(p, q)), table.round(static_cast<double>(product), Round::nearest))
          << x << " " << y;
    }
  }
}

TEST(Numbers, ArithmeticIsRoundedOnce) {
  expect_arithmetic<__half>(
      half, [](__half x) { return unsigned{__half_as_ushort(x)}; }, __ushort_as_half);
  expect_arithmetic<__nv_bfloat16>(
      bfloat16, [](__nv_bfloat16 x) { return unsigned{__bfloat16_as_ushort(x)}; },
      __ushort_as_bfloat16);
}

// Halves are multiples of 2^-24: a * b + c is one of 2^-48, an integer of 128 bits.
TEST(Numbers, FusedMultiplyAddIsRoundedOnce) {
  const auto units = [](double x) { return static_cast<__int128>(std::ldexp(x, 24)); };
  std::vector<__int128> values;
  for (unsigned code = 0; code < 0x7c00; ++code) values.push_back(units(half.value(code)) << 24);
  std::mt19937 random(3);
  for (int i = 0; i < 300000; ++i) {
    const auto pick = [&] { return static_cast<unsigned short>(random() & 0xffff); };
    const unsigned short a = pick(), b = pick(), c = pick();
    const double x = half.value(a), y = half.value(b), z = half.value(c);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
    const __int128 exact = units(x) * units(y) + (units(z) << 24);
    if (exact == 0) continue;
    const __int128 size = exact < 0 ? -exact : exact;
    const auto above = std::lower_bound(values.begin(), values.end(), size) - values.begin();
    unsigned code = static_cast<unsigned>(above);
    if (above == static_cast<long>(values.size())) {
      const __int128 limit = values.back() + (values.back() - values[values.size() - 2]) / 2;
      code = size >= limit ? 0x7c00 : 0x7bff;
    } else if (values[code] != size) {
      const __int128 to_low = size - values[code - 1], to_high = values[code] - size;
      if (to_low < to_high || (to_low == to_high && code % 2 == 1)) --code;
    }
    ASSERT_EQ(
        __half_as_ushort(__hfma(__ushort_as_half(a), __ushort_as_half(b), __ushort_as_half(c))),
        code | (exact < 0 ? 0x8000 : 0))
        << x << " " << y << " " << z;
  }
}

TEST(Numbers, ComparisonsAndExtremesKnowNaN) {
  const __half one = __float2half(1), nan = __ushort_as_half(0x7e00), zero = __ushort_as_half(0),
               minus = __ushort_as_half(0x8000);
  EXPECT_EQ(__half_as_ushort(__hmax(one, nan)), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__hmax_nan(one, nan)), 0x7fff);
  EXPECT_EQ(__half_as_ushort(__hmax(zero, minus)), 0);
  EXPECT_EQ(__half_as_ushort(__hmin(zero, minus)), 0x8000);
  EXPECT_TRUE(__heq(zero, minus));
  EXPECT_FALSE(__hne(nan, nan));
  EXPECT_TRUE(__hneu(nan, nan));
  EXPECT_FALSE(__hlt(one, nan));
  EXPECT_TRUE(__hltu(one, nan));
  EXPECT_EQ(__half_as_ushort(__hneg(one)), 0xbc00);
  EXPECT_EQ(__low2float(__hgt2(__halves2half2(one, zero), __halves2half2(zero, one))), 1.0f);
}

TEST(Numbers, IntegersOfFloatsAreTheNearestThatFit) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rz(-2.7f), -2);
  EXPECT_EQ(__float2int_rd(-2.1f), -3);
  EXPECT_EQ(__float2int_ru(2.1f), 3);
  EXPECT_EQ(__float2int_rn(3e9f), INT_MAX);
  EXPECT_EQ(__float2int_rn(-3e9f), INT_MIN);
  EXPECT_EQ(__float2int_rn(NAN), 0);
  EXPECT_EQ(__float2uint_rn(-1.0f), 0u);
  EXPECT_EQ(__float2uint_rn(5e9f), UINT_MAX);
  EXPECT_EQ(__float2ll_rn(1e19f), LLONG_MAX);
  EXPECT_EQ(__half2int_rz(__float2half(-3.75f)), -3);
}

}  // namespace

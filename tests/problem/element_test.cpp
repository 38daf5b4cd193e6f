#include "problem/element.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace kbench {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

// Formats again, written down a second time: p. 1 of each specification.
struct Spec {
  DType dtype;
  int exponent_bits, mantissa_bits;
  int highest;  // code of the largest finite value
  bool infinite;
  bool has_nan;
};
const Spec specs[] = {
    {DType::float16, 5, 10, 0x7bff, true, true},     {DType::bfloat16, 8, 7, 0x7f7f, true, true},
    {DType::float8_e4m3fn, 4, 3, 0x7e, false, true}, {DType::float8_e5m2, 5, 2, 0x7b, true, true},
    {DType::float4_e2m1, 2, 1, 0x7, false, false},
};

int bits_of(const Spec& spec) { return 1 + spec.exponent_bits + spec.mantissa_bits; }

// Returns the magnitude of a code by the definition of a binary format.
double magnitude(const Spec& spec, int code) {
  const int bias = (1 << (spec.exponent_bits - 1)) - 1;
  const int exponent = code >> spec.mantissa_bits;
  const int mantissa = code & ((1 << spec.mantissa_bits) - 1);
  const int significand = exponent == 0 ? mantissa : mantissa + (1 << spec.mantissa_bits);
  return std::ldexp(significand, std::max(exponent, 1) - bias - spec.mantissa_bits);
}

double value_of(const Spec& spec, int code) {
  const int sign_bit = 1 << (bits_of(spec) - 1);
  const int rest = code & (sign_bit - 1);
  double value = magnitude(spec, rest);
  if (rest > spec.highest) value = spec.infinite && rest == spec.highest + 1 ? inf : nan;
  return (code & sign_bit) != 0 ? -value : value;
}

// Returns the code nearest to a finite value, ties to the even code, by search among all codes.
int nearest_code(const Spec& spec, double value) {
  int low = 0, high = spec.highest + 1;  // high: the largest's successor, were there one
  const double wanted = std::abs(value);
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (magnitude(spec, middle) <= wanted ? low : high) = middle;
  }
  const double below = wanted - magnitude(spec, low), above = magnitude(spec, high) - wanted;
  int code = above < below || (above == below && high % 2 == 0) ? high : low;
  if (!spec.infinite) code = std::min(code, spec.highest);
  return code | (std::signbit(value) ? 1 << (bits_of(spec) - 1) : 0);
}

int code_at(const Spec& spec, const std::byte* data, std::size_t index) {
  if (bits_of(spec) == 4) return (static_cast<int>(data[index / 2]) >> (index % 2 * 4)) & 15;
  if (bits_of(spec) == 8) return static_cast<int>(data[index]);
  std::uint16_t code;
  std::memcpy(&code, data + 2 * index, 2);
  return code;
}

std::vector<std::byte> all_codes(const Spec& spec) {
  const std::size_t count = std::size_t{1} << bits_of(spec);
  std::vector<std::byte> data(storage_bytes(spec.dtype, count));
  for (std::size_t i = 0; i < count; ++i) {
    if (bits_of(spec) == 4) data[i / 2] |= static_cast<std::byte>(i << (i % 2 * 4));
    if (bits_of(spec) == 8) data[i] = static_cast<std::byte>(i);
    if (bits_of(spec) == 16) {
      const auto code = static_cast<std::uint16_t>(i);
      std::memcpy(&data[2 * i], &code, 2);
    }
  }
  return data;
}

template <class Real>
std::vector<std::byte> encoded(DType dtype, const std::vector<Real>& values) {
  std::vector<std::byte> data(storage_bytes(dtype, values.size()));
  encode(dtype, std::span<const Real>(values), data.data(), 0);
  return data;
}

template <class Real>
std::vector<Real> decoded(DType dtype, const std::vector<std::byte>& data, std::size_t count) {
  std::vector<Real> values(count);
  decode(dtype, data.data(), 0, std::span<Real>(values));
  return values;
}

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(Element, EveryCodeHasTheValueOfItsFormat) {
  for (const Spec& spec : specs) {
    const std::vector<std::byte> data = all_codes(spec);
    const std::size_t count = std::size_t{1} << bits_of(spec);
    const auto as_double = decoded<double>(spec.dtype, data, count);
    const auto as_float = decoded<float>(spec.dtype, data, count);
    for (std::size_t code = 0; code < count; ++code) {
      const double expected = value_of(spec, static_cast<int>(code));
      ASSERT_TRUE(same(as_double[code], expected)) << info(spec.dtype).name << " " << code;
      ASSERT_TRUE(same(as_float[code], expected)) << info(spec.dtype).name << " " << code;
      ASSERT_TRUE(same(std::get<double>(element(spec.dtype, data.data(), code)), expected));
    }
  }
}

TEST(Element, EveryNumberSurvivesTheRoundTrip) {
  for (const Spec& spec : specs) {
    const std::vector<std::byte> data = all_codes(spec);
    const std::size_t count = std::size_t{1} << bits_of(spec);
    const auto values = decoded<float>(spec.dtype, data, count);
    const auto back = encoded(spec.dtype, values);
    const auto back_double = encoded(spec.dtype, decoded<double>(spec.dtype, data, count));
    for (std::size_t code = 0; code < count; ++code) {
      if (std::isnan(values[code])) {
        EXPECT_TRUE(std::isnan(value_of(spec, code_at(spec, back.data(), code))));
        EXPECT_TRUE(std::isnan(value_of(spec, code_at(spec, back_double.data(), code))));
        continue;
      }
      const bool lost = std::isinf(values[code]) && !spec.infinite;
      if (lost) continue;
      ASSERT_EQ(code_at(spec, back.data(), code), static_cast<int>(code)) << info(spec.dtype).name;
      ASSERT_EQ(code_at(spec, back_double.data(), code), static_cast<int>(code));
    }
  }
}

// Cases where roundings err: halfway between neighbours and one step of the wider type beside it.
template <class Real>
std::vector<Real> rounding_cases(const Spec& spec) {
  std::vector<Real> values = {Real{0},
                              -Real{0},
                              std::numeric_limits<Real>::denorm_min(),
                              std::numeric_limits<Real>::max(),
                              Real(1e30),
                              Real(-1e30)};
  for (int code = 0; code <= spec.highest; ++code) {
    const double low = magnitude(spec, code);
    const auto middle = static_cast<Real>(low + (magnitude(spec, code + 1) - low) / 2);
    for (const Real value : {static_cast<Real>(low), middle, std::nextafter(middle, Real{0}),
                             std::nextafter(middle, std::numeric_limits<Real>::max())}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

template <class Real>
void check_rounding(const Spec& spec, const std::vector<Real>& values) {
  const auto data = encoded(spec.dtype, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(code_at(spec, data.data(), i), nearest_code(spec, values[i]))
        << info(spec.dtype).name << " of " << values[i];
  }
}

TEST(Element, RoundsToNearestTiesToEven) {
  for (const Spec& spec : specs) {
    check_rounding(spec, rounding_cases<float>(spec));
    check_rounding(spec, rounding_cases<double>(spec));
  }
}

TEST(Element, RoundsRandomBitPatterns) {
  std::mt19937_64 random(7);
  for (const Spec& spec : specs) {
    std::vector<float> floats;
    std::vector<double> doubles;
    while (floats.size() < 200000) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (std::isfinite(value)) floats.push_back(value);
      doubles.push_back(
          std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 60) - 93));
    }
    check_rounding(spec, floats);
    check_rounding(spec, doubles);
  }
}

TEST(Element, ADoubleIsRoundedOnce) {
  // The value is just above the tie between 1 and 1 + 2^-10: binary32 would make it the tie itself.
  const std::vector<double> value = {1 + 0x1p-11 + 0x1p-40};
  EXPECT_EQ(code_at(specs[0], encoded(DType::float16, value).data(), 0), 0x3c01);
}

TEST(Element, InfinityAndNan) {
  const auto codes = [](const Spec& spec) {
    const auto data = encoded(spec.dtype, std::vector<float>{INFINITY, -INFINITY, NAN});
    return std::vector<int>{code_at(spec, data.data(), 0), code_at(spec, data.data(), 1),
                            code_at(spec, data.data(), 2)};
  };
  EXPECT_EQ(codes(specs[0]), (std::vector{0x7c00, 0xfc00, 0x7e00}));
  EXPECT_EQ(codes(specs[1]), (std::vector{0x7f80, 0xff80, 0x7fc0}));
  EXPECT_EQ(codes(specs[2]), (std::vector{0x7e, 0xfe, 0x7f}));
  EXPECT_EQ(codes(specs[3]), (std::vector{0x7c, 0xfc, 0x7f}));
  EXPECT_EQ(codes(specs[4]), (std::vector{0x7, 0xf, 0x7}));
}

TEST(Element, Float4IsPackedLowNibbleFirst) {
  const std::vector<float> values = {1, -6, 0.5F};
  const auto data = encoded(DType::float4_e2m1, values);
  EXPECT_EQ(data, (std::vector{std::byte{0xf2}, std::byte{0x01}}));
  std::vector<std::byte> buffer(3, std::byte{0xff});
  encode(DType::float4_e2m1, std::span<const float>(values), buffer.data(), 1);
  EXPECT_EQ(buffer, (std::vector{std::byte{0x2f}, std::byte{0x1f}, std::byte{0xff}}));
  std::vector<float> out(3);
  decode(DType::float4_e2m1, buffer.data(), 1, std::span<float>(out));
  EXPECT_EQ(out, values);
}

TEST(Element, IntegersKeepTheirBits) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  std::vector<std::byte> data(8);
  std::memcpy(data.data(), &big, 8);
  EXPECT_EQ(std::get<std::int64_t>(element(DType::int64, data.data(), 0)), big);
  EXPECT_EQ(decoded<double>(DType::int64, data, 1)[0], 0x1p53);
  const std::vector<std::byte> bytes = {std::byte{0xff}, std::byte{0x80}};
  EXPECT_EQ(decoded<float>(DType::int8, bytes, 2), (std::vector{-1.0F, -128.0F}));
  EXPECT_EQ(decoded<float>(DType::int16, bytes, 1), (std::vector{-32513.0F}));
}

TEST(Element, IntegersAreCutTowardsZeroAndSaturate) {
  const std::vector<double> values = {1.9, -1.9, 1e30, -1e30, nan, inf, -inf, 127, 128, -128, -129};
  const auto int8 = decoded<double>(DType::int8, encoded(DType::int8, values), values.size());
  EXPECT_EQ(int8, (std::vector<double>{1, -1, 127, -128, 0, 127, -128, 127, 127, -128, -128}));
  const auto int64 = encoded(DType::int64, values);
  EXPECT_EQ(std::get<std::int64_t>(element(DType::int64, int64.data(), 2)),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(std::get<std::int64_t>(element(DType::int64, int64.data(), 3)),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Element, UnsignedIntegersSaturateAtZero) {
  const std::vector<double> values = {1.9, -1.9, 255, 256, 1e30, -inf, nan};
  const auto codes = decoded<double>(DType::uint8, encoded(DType::uint8, values), values.size());
  EXPECT_EQ(codes, (std::vector<double>{1, 0, 255, 255, 255, 0, 0}));
  const std::vector<std::byte> byte = {std::byte{0xff}};
  EXPECT_EQ(std::get<std::int64_t>(element(DType::uint8, byte.data(), 0)), 255);
}

TEST(Element, Float8E8m0IsAPowerOfTwoOrNan) {
  const std::vector<float> values = {1, -1, 0, 1.49F, 1.5F, 0x1p127F, 0x1.8p127F, INFINITY, NAN};
  const auto data = encoded(DType::float8_e8m0fnu, values);
  const std::vector<int> codes = {127, 127, 0, 127, 128, 254, 255, 255, 255};
  for (std::size_t i = 0; i < codes.size(); ++i)
    EXPECT_EQ(std::to_integer<int>(data[i]), codes[i]) << values[i];
  const auto back = decoded<double>(DType::float8_e8m0fnu, data, values.size());
  EXPECT_EQ(back[2], 0x1p-127);
  EXPECT_EQ(back[5], 0x1p127);
  EXPECT_TRUE(std::isnan(back[6]));
}

TEST(Element, BoolIsZeroOrOne) {
  const auto data = encoded(DType::boolean, std::vector<float>{0, -0.0F, 0.25F, NAN});
  EXPECT_EQ(data, (std::vector{std::byte{0}, std::byte{0}, std::byte{1}, std::byte{1}}));
  const std::vector<std::byte> odd = {std::byte{2}};
  EXPECT_EQ(decoded<float>(DType::boolean, odd, 1)[0], 1.0F);
  EXPECT_TRUE(std::get<bool>(element(DType::boolean, odd.data(), 0)));
}

TEST(Element, PartsAreTheWholeAndNothingElseIsWritten) {
  for (const DTypeInfo& row : dtypes()) {
    std::vector<float> values(100);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3;
    const auto whole = encoded(row.dtype, values);
    std::vector<std::byte> parts(whole.size(), std::byte{0x55});
    for (const std::size_t first : {0, 33, 34, 67}) {
      const std::size_t end = first == 0 ? 33 : first == 33 ? 34 : first == 34 ? 67 : 100;
      encode(row.dtype, std::span<const float>(values).subspan(first, end - first), parts.data(),
             first);
    }
    EXPECT_EQ(whole, parts) << row.name;
    std::vector<float> out(31), all = decoded<float>(row.dtype, whole, 100);
    decode(row.dtype, whole.data(), 33, std::span<float>(out));
    EXPECT_TRUE(std::equal(out.begin(), out.end(), all.begin() + 33)) << row.name;
  }
}

TEST(Element, BuffersNeedNotBeAligned) {
  std::vector<std::byte> buffer(9);
  const std::vector<double> values = {-2};
  encode(DType::int64, std::span<const double>(values), buffer.data() + 1, 0);
  EXPECT_EQ(std::get<std::int64_t>(element(DType::int64, buffer.data() + 1, 0)), -2);
}

// Bit patterns of binary32: every sign, exponent and upper mantissa, with three endings.
std::vector<float> cast_cases() {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (const std::uint32_t low : {0x0000U, 0x0001U, 0x7fffU, 0x8000U, 0x8001U}) {
      values.push_back(std::bit_cast<float>(high << 16 | low));
    }
  }
  return values;
}

TEST(Element, CastsAsLibTorchDoes) {
  const std::string oracle = std::string(KBENCH_BIN_DIR) + "/torch_cast_oracle";
  if (!std::filesystem::exists(oracle))
    GTEST_SKIP() << "no LibTorch: torch_cast_oracle is not built";
  const std::vector<float> values = cast_cases();
  const std::string stem = testing::TempDir() + "kbench_casts_" + std::to_string(std::rand());
  std::ofstream(stem + ".in", std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<long>(4 * values.size()));
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float8_e4m3fn,
                            DType::float8_e5m2, DType::boolean, DType::float8_e8m0fnu}) {
    const std::string command =
        oracle + " " + std::string(info(dtype).name) + " <" + stem + ".in >" + stem + ".out";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(stem + ".out", std::ios::binary);
    const std::string raw{std::istreambuf_iterator<char>(file), {}};
    ASSERT_EQ(raw.size(), storage_bytes(dtype, values.size()));
    std::vector<std::byte> theirs(raw.size());
    std::memcpy(theirs.data(), raw.data(), raw.size());
    const auto ours = decoded<float>(dtype, encoded(dtype, values), values.size());
    const auto expected = decoded<float>(dtype, theirs, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (dtype == DType::float8_e4m3fn && std::isnan(expected[i]) && !std::isnan(values[i]))
        continue;  // torch makes NaN of an overflow
      ASSERT_TRUE(same(ours[i], expected[i])) << info(dtype).name << " of " << values[i] << ": "
                                              << ours[i] << ", torch " << expected[i];
    }
  }
  std::filesystem::remove(stem + ".in");
  std::filesystem::remove(stem + ".out");
}

}  // namespace
}  // namespace kbench

// Conversions that candidates include, beside kbench's own, which element_test.cpp compares with
// PyTorch's.
#include "kbench/kbench_numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "problem/element.hpp"

namespace kbench {
namespace {

struct Conversion {
  DType dtype;
  float (*from)(std::uint32_t bits);
  std::uint32_t (*to)(float x);
};

const Conversion conversions[] = {
    {DType::float16, [](std::uint32_t b) { return from_float16(static_cast<std::uint16_t>(b)); },
     [](float x) { return std::uint32_t{to_float16(x)}; }},
    {DType::bfloat16, [](std::uint32_t b) { return from_bfloat16(static_cast<std::uint16_t>(b)); },
     [](float x) { return std::uint32_t{to_bfloat16(x)}; }},
    {DType::float8_e4m3fn,
     [](std::uint32_t b) { return from_float8_e4m3fn(static_cast<std::uint8_t>(b)); },
     [](float x) { return std::uint32_t{to_float8_e4m3fn(x)}; }},
    {DType::float8_e5m2,
     [](std::uint32_t b) { return from_float8_e5m2(static_cast<std::uint8_t>(b)); },
     [](float x) { return std::uint32_t{to_float8_e5m2(x)}; }}};

class KbenchNumbers : public testing::TestWithParam<Conversion> {
 protected:
  int bits() const { return info(GetParam().dtype).bits; }
  float decoded(std::uint32_t code) const {
    float value = 0;
    decode(GetParam().dtype, reinterpret_cast<const std::byte*>(&code), 0, std::span(&value, 1));
    return value;
  }
  std::uint32_t encoded(float value) const {
    std::uint32_t code = 0;
    encode(GetParam().dtype, std::span<const float>(&value, 1), reinterpret_cast<std::byte*>(&code),
           0);
    return code;
  }
  void expect_alike(float x) const {
    const std::uint32_t ours = encoded(x), theirs = GetParam().to(x);
    // kbench draws inputs that are within the range, PyTorch converts any.
    const bool is_beyond = GetParam().dtype == DType::float8_e4m3fn && std::fabs(x) > 464;
    if (is_beyond || std::isnan(decoded(ours)))
      EXPECT_TRUE(std::isnan(decoded(theirs))) << x;
    else
      EXPECT_EQ(theirs, ours) << x;
  }
};

TEST_P(KbenchNumbers, EveryCodeIsTheSameNumber) {
  for (std::uint32_t code = 0; code < 1u << bits(); ++code) {
    const float ours = decoded(code), theirs = GetParam().from(code);
    if (std::isnan(ours))
      EXPECT_TRUE(std::isnan(theirs)) << code;
    else
      EXPECT_EQ(std::bit_cast<std::uint32_t>(theirs), std::bit_cast<std::uint32_t>(ours)) << code;
  }
}

// Numbers of the format, what lies half way to their neighbours, and floats beside both.
TEST_P(KbenchNumbers, EveryFloatIsRoundedAlike) {
  for (std::uint32_t code = 0; code < 1u << bits(); ++code) {
    const float x = decoded(code), next = decoded(code + 1);
    const float half = x + (next - x) / 2;
    for (const float value : {x, half}) {
      expect_alike(value);
      expect_alike(std::nextafter(value, -std::numeric_limits<float>::infinity()));
      expect_alike(std::nextafter(value, std::numeric_limits<float>::infinity()));
    }
  }
  for (std::uint32_t code = 0; code < 1u << 16; ++code)  // takes all exponents, infinities, NaN
    expect_alike(std::bit_cast<float>(code << 16 | 0x5a5a));
}

std::string name_of(const testing::TestParamInfo<Conversion>& one) {
  return std::string(info(one.param.dtype).name);
}

INSTANTIATE_TEST_SUITE_P(All, KbenchNumbers, testing::ValuesIn(conversions), name_of);

}  // namespace
}  // namespace kbench

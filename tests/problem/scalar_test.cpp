#include <gtest/gtest.h>

#include <limits>

#include "problem/bind.hpp"

namespace kbench {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(BindScalar, TakesTheDeclaredKind) {
  EXPECT_EQ(bind_scalar(DType::float32, std::int64_t{2}), Scalar(2.0));
  EXPECT_EQ(bind_scalar(DType::float16, 0.1), Scalar(0.1));
  EXPECT_EQ(bind_scalar(DType::int32, std::int64_t{-5}), Scalar(std::int64_t{-5}));
  EXPECT_EQ(bind_scalar(DType::int64, 4.0), Scalar(std::int64_t{4}));
  EXPECT_EQ(bind_scalar(DType::boolean, true), Scalar(true));
  EXPECT_EQ(bind_scalar(DType::boolean, std::int64_t{0}), Scalar(false));
  EXPECT_EQ(bind_scalar(DType::float32, BigInteger{"100000000000000000000"}), Scalar(1e20));
}

TEST(BindScalar, OfAnIntegerThatTheDtypeCannotHoldIsNothing) {
  EXPECT_FALSE(bind_scalar(DType::int32, 2.5));
  EXPECT_FALSE(bind_scalar(DType::int8, std::int64_t{128}));
  EXPECT_TRUE(bind_scalar(DType::int8, std::int64_t{-128}));
  EXPECT_FALSE(bind_scalar(DType::int64, BigInteger{"99999999999999999999"}));
  EXPECT_FALSE(bind_scalar(DType::int64, std::nan("")));
  EXPECT_FALSE(bind_scalar(DType::boolean, std::int64_t{2}));
}

TEST(BindScalar, OfANumberThatTheDtypeCannotHoldIsNothing) {
  EXPECT_FALSE(bind_scalar(DType::float32, 1e39));
  EXPECT_FALSE(bind_scalar(DType::float32, -1e39));
  EXPECT_FALSE(bind_scalar(DType::float32, BigInteger{"1e400"}));
  EXPECT_FALSE(bind_scalar(DType::bfloat16, 3.4e38));
  EXPECT_FALSE(bind_scalar(DType::float16, std::int64_t{65520}));
  EXPECT_FALSE(bind_scalar(DType::float8_e4m3fn, 500.0));
  EXPECT_TRUE(bind_scalar(DType::float32, 3.4028235e38));  // as it is printed, rounded up
  EXPECT_TRUE(bind_scalar(DType::float16, std::int64_t{65519}));
  EXPECT_TRUE(bind_scalar(DType::float8_e4m3fn, 448.0));
}

TEST(BindScalar, InfinityThatIsWrittenIsHeld) {
  EXPECT_EQ(bind_scalar(DType::float32, -infinity), Scalar(-infinity));
  EXPECT_TRUE(bind_scalar(DType::float16, std::nan("")));
}

TEST(RangeText, SaysWhatADtypeHolds) {
  EXPECT_EQ(range_text(DType::int8), "int8 holds whole numbers from -128 to 127");
  EXPECT_EQ(range_text(DType::float16), "float16 holds numbers up to 65504");
  EXPECT_EQ(range_text(DType::boolean), "bool holds true and false");
}

TEST(TextOf, IsWhatWasWritten) {
  EXPECT_EQ(text_of(BigInteger{"1e400"}), "1e400");
  EXPECT_EQ(text_of(2.5), "2.5");
  EXPECT_EQ(text_of(true), "true");
}

}  // namespace
}  // namespace kbench

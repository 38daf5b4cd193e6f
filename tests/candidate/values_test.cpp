// Values, lists, tensors and numbers as kernels get them without ExecuTorch's headers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "candidate/tensors.hpp"

namespace kbench::kernels {
namespace {

template <typename T>
uint16_t bits(float value) {
  return T(value).x;
}

TEST(Values, HalfRoundsToNearestEven) {
  struct Row {
    float value;
    uint16_t bits;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const Row rows[] = {
      {0.0F, 0x0000},     {-0.0F, 0x8000},     {1.0F, 0x3c00},     {-2.0F, 0xc000},
      {0.1F, 0x2e66},     {65504.0F, 0x7bff},  {65519.0F, 0x7bff}, {65520.0F, 0x7c00},
      {infinity, 0x7c00}, {-infinity, 0xfc00}, {2049.0F, 0x6800},  {2051.0F, 0x6802},
      {0x1p-14F, 0x0400}, {0x1p-24F, 0x0001},  {0x1p-25F, 0x0000}, {0x1.8p-25F, 0x0001}};
  for (const Row& row : rows) EXPECT_EQ(bits<Half>(row.value), row.bits) << row.value;
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(std::nanf("")))));
  EXPECT_EQ(static_cast<float>(Half(0.1F)), 0.0999755859375F);
}

TEST(Values, BFloat16RoundsToNearestEven) {
  struct Row {
    float value;
    uint16_t bits;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const float nearly_infinite = std::numeric_limits<float>::max();
  const Row rows[] = {{0.0F, 0x0000},        {-0.0F, 0x8000},           {1.0F, 0x3f80},
                      {0.1F, 0x3dcd},        {3.14159265F, 0x4049},     {1.00390625F, 0x3f80},
                      {1.01171875F, 0x3f82}, {nearly_infinite, 0x7f80}, {infinity, 0x7f80},
                      {-infinity, 0xff80},   {0x1p-133F, 0x0001}};
  for (const Row& row : rows) EXPECT_EQ(bits<BFloat16>(row.value), row.bits) << row.value;
  EXPECT_EQ(bits<BFloat16>(std::nanf("")), 0x7fc0);
  EXPECT_EQ(static_cast<float>(BFloat16(0.1F)), 0.10009765625F);
}

TEST(Values, EachHalfIsWhatItWas) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    Half half;
    half.x = static_cast<uint16_t>(i);
    BFloat16 brain;
    brain.x = static_cast<uint16_t>(i);
    const auto wide = static_cast<float>(half);
    const auto widest = static_cast<float>(brain);
    EXPECT_TRUE(std::isnan(wide) || Half(wide).x == half.x) << i;
    EXPECT_TRUE(std::isnan(widest) || BFloat16(widest).x == brain.x) << i;
  }
}

TEST(Values, SizesOfElements) {
  EXPECT_EQ(element_size(ScalarType::Bool), 1U);
  EXPECT_EQ(element_size(ScalarType::Half), 2U);
  EXPECT_EQ(element_size(ScalarType::BFloat16), 2U);
  EXPECT_EQ(element_size(ScalarType::Float8_e4m3fn), 1U);
  EXPECT_EQ(element_size(ScalarType::ComplexDouble), 16U);
  EXPECT_EQ(element_size(ScalarType::UInt64), 8U);
  EXPECT_EQ(element_size(static_cast<ScalarType>(30)), 0U);
  EXPECT_EQ(element_size(static_cast<ScalarType>(-1)), 0U);
}

TEST(Values, AScalarIsOfTheTypeThatItWasMadeOf) {
  EXPECT_TRUE(Scalar(3).isIntegral(false));
  EXPECT_TRUE(Scalar(true).isBoolean());
  EXPECT_TRUE(Scalar(true).isIntegral(true));
  EXPECT_FALSE(Scalar(true).isIntegral(false));
  EXPECT_TRUE(Scalar(2.5).isFloatingPoint());
  EXPECT_EQ(Scalar(2.5).to<double>(), 2.5);
  EXPECT_EQ(Scalar(2.5).to<int64_t>(), 2);
  EXPECT_EQ(Scalar(int64_t{1} << 60).to<int64_t>(), int64_t{1} << 60);
  EXPECT_EQ(Scalar(true).to<int>(), 1);
}

TEST(Values, AnArgumentIsTakenAsItsTypeAlone) {
  EXPECT_TRUE(Unbox<int64_t>::can(EValue(int64_t{3})));
  EXPECT_EQ(Unbox<int64_t>::from(EValue(int64_t{3})), 3);
  EXPECT_FALSE(Unbox<int64_t>::can(EValue(3.0)));
  EXPECT_FALSE(Unbox<int64_t>::can(EValue()));
  EXPECT_FALSE(Unbox<double>::can(EValue(true)));
  EXPECT_TRUE(EValue().isNone());
  const int64_t numbers[] = {1, 2, 3};
  const EValue list{ArrayRef<int64_t>(numbers)};
  EXPECT_TRUE(Unbox<ArrayRef<int64_t>>::can(list));
  EXPECT_FALSE(Unbox<ArrayRef<double>>::can(list));
  EXPECT_EQ(Unbox<ArrayRef<int64_t>>::from(list)[2], 3);
  EXPECT_EQ(Unbox<std::string_view>::from(EValue(std::string_view("abc"))), "abc");
}

TEST(Values, ANumberOfAnyKindIsAScalar) {
  EXPECT_EQ(Unbox<Scalar>::from(EValue(int64_t{3})).to<int64_t>(), 3);
  EXPECT_EQ(Unbox<Scalar>::from(EValue(0.5)).to<double>(), 0.5);
  EXPECT_TRUE(Unbox<Scalar>::from(EValue(true)).isBoolean());
  EXPECT_EQ(Unbox<Scalar>::from(EValue(Scalar(7))).to<int>(), 7);
  EXPECT_FALSE(Unbox<Scalar>::can(EValue(std::string_view("7"))));
}

TEST(Values, AnOptionalIsNoneOrAsItIs) {
  using Maybe = Unbox<std::optional<int64_t>>;
  EXPECT_TRUE(Maybe::can(EValue()));
  EXPECT_EQ(Maybe::from(EValue()), std::nullopt);
  EXPECT_EQ(Maybe::from(EValue(int64_t{3})), 3);
  EXPECT_EQ(Maybe::from(EValue(std::optional<int64_t>(4))), 4);
  EXPECT_EQ(Maybe::from(EValue(std::optional<int64_t>())), std::nullopt);
  EXPECT_FALSE(Maybe::can(EValue(0.5)));
}

TEST(Values, ACallOfAnotherNumberOfArgumentsFails) {
  KernelRuntimeContext context;
  EValue* stack[3] = {};
  EXPECT_TRUE(check_stack(context, {stack, 3}, 3));
  EXPECT_EQ(context.failure_state(), Error::Ok);
  EXPECT_FALSE(check_stack(context, {stack, 2}, 3));
  EXPECT_EQ(context.failure_state(), Error::InvalidProgram);
}

TEST(Values, ScratchMemoryIsGivenInTurnAndAligned) {
  alignas(64) char memory[256];
  KernelRuntimeContext none;
  EXPECT_EQ(none.allocate_temp(1).error(), Error::NotFound);
  KernelRuntimeContext context(memory + 1, 255);
  const auto first = context.allocate_temp(10, 64);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, memory + 64);
  EXPECT_EQ(*context.allocate_temp(8, 8), memory + 80);
  EXPECT_EQ(context.allocate_temp(200).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(context.allocate_temp(SIZE_MAX).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(*context.allocate_temp(168, 8), memory + 88);  // ends at the last byte
  EXPECT_EQ(context.allocate_temp(1, 1).error(), Error::MemoryAllocationFailed);
}

TEST(Values, ScratchMemoryOfTheHeapIsAsMuchAsIsAskedFor) {
  KernelRuntimeContext context(Scratch::heap);
  void* const first = *context.allocate_temp(1000, 64);
  void* const second = *context.allocate_temp(5000);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0U);
  std::memset(first, 1, 1000);
  std::memset(second, 2, 5000);
  EXPECT_EQ(static_cast<char*>(first)[999], 1);
  EXPECT_EQ(context.allocate_temp(SIZE_MAX).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(context.allocate_temp(SIZE_MAX / 2).error(), Error::MemoryAllocationFailed);
}

}  // namespace
}  // namespace kbench::kernels

#include "exec/arguments.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "problem/element.hpp"

namespace kbench {
namespace {

using worker::Argument;
using worker::ArgumentKind;

class Results : public testing::Test {
 protected:
  std::unique_ptr<worker::Control> control_ = std::make_unique<worker::Control>();

  Argument& integer(std::size_t i, std::int64_t value) {
    control_->results[i].kind = ArgumentKind::integer;
    control_->results[i].integer = value;
    return control_->results[i];
  }
  Argument& number(std::size_t i, double value) {
    control_->results[i].kind = ArgumentKind::number;
    control_->results[i].number = value;
    return control_->results[i];
  }
  // A float32 matrix of two rows of three.
  Argument& matrix(std::size_t i) {
    Argument& out = control_->results[i];
    out.kind = ArgumentKind::tensor;
    out.dlpack_code = info(DType::float32).dlpack_code;
    out.bits = 32;
    out.lanes = 1;
    out.rank = 2;
    out.shape[0] = 2;
    out.shape[1] = 3;
    out.bytes = 24;
    return out;
  }
  static double value(const TensorView& view) {
    double out = 0;
    decode(view.dtype, view.data, 0, std::span(&out, 1));
    return out;
  }
};

TEST_F(Results, ANumberBecomesATensorOfTheDeclaredType) {
  for (const DTypeInfo& type : dtypes()) {
    PoisonedOutputs memory({{"y", type.dtype, true, {}}});
    memory.poison(5);
    number(0, 1.0);
    store_numbers(*control_, memory);
    EXPECT_FALSE(result_mismatch(*control_, memory)) << type.name;
    EXPECT_EQ(value(returned_views(*control_, memory)[0]), 1) << type.name;
  }
}

TEST_F(Results, ALargeIntegerKeepsItsLastBit) {
  PoisonedOutputs memory({{"y", DType::int64, true, {}}});
  memory.poison(5);
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  integer(0, large);
  store_numbers(*control_, memory);
  std::int64_t stored = 0;
  std::memcpy(&stored, memory.views()[0].data, sizeof stored);
  EXPECT_EQ(stored, large);
}

TEST_F(Results, ANumberIsNoMatrix) {
  PoisonedOutputs memory({{"y", DType::float32, false, {2, 3}}});
  memory.poison(5);
  number(0, 1.0);
  store_numbers(*control_, memory);
  EXPECT_EQ(memory.unwritten(0).count, 6U);
  EXPECT_EQ(returned_views(*control_, memory)[0].data, nullptr);
  const auto failure = result_mismatch(*control_, memory);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->status, Status::incorrect_shape);
  EXPECT_EQ(failure->cause, "output \"y\" has shape [], declared is [2, 3]");
}

TEST_F(Results, ShapeAndTypeAreCompared) {
  PoisonedOutputs memory({{"y", DType::float32, false, {2, 3}}});
  matrix(0);
  EXPECT_FALSE(result_mismatch(*control_, memory));
  EXPECT_EQ(returned_views(*control_, memory)[0].data, memory.views()[0].data);
  matrix(0).shape[1] = 4;
  EXPECT_EQ(result_mismatch(*control_, memory)->cause,
            "output \"y\" has shape [2, 4], declared is [2, 3]");
  matrix(0).bits = 64;
  EXPECT_EQ(result_mismatch(*control_, memory)->cause,
            "output \"y\" has dtype float64, declared is float32");
  matrix(0).lanes = 4;
  EXPECT_EQ(result_mismatch(*control_, memory)->cause,
            "output \"y\" has dtype float32 x 4, declared is float32");
  EXPECT_EQ(returned_views(*control_, memory)[0].data, nullptr);
}

TEST_F(Results, AForgedControlBlockIsReadWithinItsBounds) {
  PoisonedOutputs memory({{"y", DType::float32, false, {2, 3}}, {"z", DType::int8, true, {}}});
  memory.poison(5);
  std::memset(static_cast<void*>(control_.get()), 0xFF, sizeof(worker::Control));
  store_numbers(*control_, memory);
  EXPECT_TRUE(result_mismatch(*control_, memory));
  for (const TensorView& view : returned_views(*control_, memory))
    EXPECT_LE(view.shape.size(), static_cast<std::size_t>(worker::max_rank));
}

}  // namespace
}  // namespace kbench

// Outputs take the sizes that their values need, where they may.
#include <gtest/gtest.h>

#include "candidate/tensors.hpp"

namespace kbench::kernels {
namespace {

Error resized(TensorImpl& impl, std::vector<SizesType> sizes) {
  return resize_tensor(Tensor(&impl), {sizes.data(), sizes.size()});
}

std::vector<int64_t> values(ArrayRef<int64_t> list) { return {list.begin(), list.end()}; }

TEST(Resize, ToTheSameSizesAnythingMay) {
  TensorImpl impl = made(ScalarType::Float, {0, 1});
  EXPECT_EQ(resized(impl, {2, 2}), Error::Ok);
  EXPECT_EQ(resized(impl, {2, 3}), Error::InvalidArgument);
  EXPECT_EQ(resized(impl, {4}), Error::InvalidArgument);
  EXPECT_EQ(values(Tensor(&impl).sizes()), (std::vector<int64_t>{2, 2}));
}

TEST(Resize, WithinItsMemory) {
  TensorImpl impl = made(ScalarType::Float, {0, 1});
  impl.is_resizable = true;
  impl.capacity = 4 * 6;
  EXPECT_EQ(resized(impl, {3, 2}), Error::Ok);
  EXPECT_EQ(values(Tensor(&impl).strides()), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(Tensor(&impl).nbytes(), 24U);
  EXPECT_EQ(resized(impl, {7, 1}), Error::MemoryAllocationFailed);
  EXPECT_EQ(values(Tensor(&impl).sizes()), (std::vector<int64_t>{3, 2}));  // unchanged
  EXPECT_EQ(resized(impl, {0, 1000}), Error::Ok);
  EXPECT_EQ(Tensor(&impl).numel(), 0);
}

TEST(Resize, TheDimOrderStaysUnlessTheRankChanges) {
  TensorImpl impl = made(ScalarType::Float, {0, 2, 3, 1});
  impl.is_resizable = true;
  impl.capacity = 1000;
  EXPECT_EQ(resized(impl, {1, 3, 4, 5}), Error::Ok);
  EXPECT_EQ(values(Tensor(&impl).strides()), (std::vector<int64_t>{60, 1, 15, 3}));
  EXPECT_EQ(resized(impl, {3, 4}), Error::Ok);
  EXPECT_EQ(values(Tensor(&impl).strides()), (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(resized(impl, {}), Error::Ok);
  EXPECT_EQ(Tensor(&impl).numel(), 1);
}

TEST(Resize, AsksForMoreMemoryWhereItCan) {
  static char memory[64];
  TensorImpl impl = made(ScalarType::Double, {0});
  impl.is_resizable = true;
  impl.grow = [](void*, size_t bytes) -> void* {
    return bytes <= sizeof memory ? memory : nullptr;
  };
  EXPECT_EQ(resized(impl, {8}), Error::Ok);
  EXPECT_EQ(impl.data, memory);
  EXPECT_EQ(impl.capacity, 64U);
  EXPECT_EQ(resized(impl, {9}), Error::MemoryAllocationFailed);
}

TEST(Resize, SizesThatNoTensorHas) {
  TensorImpl impl = made(ScalarType::Float, {0});
  impl.is_resizable = true;
  impl.capacity = 1000;
  EXPECT_EQ(resized(impl, {-1}), Error::InvalidArgument);
  EXPECT_EQ(resized(impl, {int64_t{1} << 62, 4}), Error::InvalidArgument);
  EXPECT_EQ(resized(impl, std::vector<SizesType>(17, 1)), Error::InvalidArgument);
  EXPECT_EQ(resized(impl, std::vector<SizesType>(16, 1)), Error::Ok);
}

TEST(Resize, ATensorKnowsItself) {
  TensorImpl impl = made(ScalarType::Half, {1, 0});
  const Tensor tensor(&impl);
  EXPECT_EQ(tensor.dim(), 2);
  EXPECT_EQ(tensor.size(-1), 2);
  EXPECT_EQ(tensor.element_size(), 2);
  EXPECT_EQ(values(tensor.strides()), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(tensor.dim_order()[0], 1);
}

}  // namespace
}  // namespace kbench::kernels

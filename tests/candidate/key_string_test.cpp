// Keys at run time: the cases K1 to K8 and K18 of the research notes, which are ExecuTorch's.
#include <gtest/gtest.h>

#include "candidate/tensors.hpp"

namespace kbench::kernels {
namespace {

const std::vector<DimOrderType> in_order4 = {0, 1, 2, 3};

std::string key(Metas metas) {
  char buffer[kKernelKeyBufSize] = {};
  EXPECT_EQ(make_kernel_key_string(metas.span(), buffer, sizeof buffer), Error::Ok);
  return buffer;
}

TEST(KeyString, OfNoTensorsIsEmpty) {  // K1
  EXPECT_EQ(make_kernel_key_string({}, nullptr, 0), Error::Ok);
  char buffer[4] = "abc";
  EXPECT_EQ(make_kernel_key_string({}, buffer, sizeof buffer), Error::Ok);
  EXPECT_STREQ(buffer, "");
}

TEST(KeyString, NamesTypeAndDimOrderOfEachTensor) {  // K2 to K5, K18
  EXPECT_EQ(key({{ScalarType::Long, in_order4}}), "v1/4;0,1,2,3");
  EXPECT_EQ(key({{ScalarType::Long, in_order4}, {ScalarType::Double, {3, 2, 1, 0}}}),
            "v1/4;0,1,2,3|7;3,2,1,0");
  EXPECT_EQ(key({{ScalarType::Long, in_order4},
                 {ScalarType::Double, {3, 2, 1, 0}},
                 {ScalarType::Byte, {2, 1, 3, 0}}}),
            "v1/4;0,1,2,3|7;3,2,1,0|0;2,1,3,0");
  EXPECT_EQ(key({{ScalarType::Long, {0, 10, 2, 99}}}), "v1/4;0,10,2,99");
  EXPECT_EQ(key({{ScalarType::Float, {}}}), "v1/6;");
  EXPECT_EQ(key({{ScalarType::BFloat16, {0}}, {ScalarType::UInt64, {0}}}), "v1/15;0|29;0");
}

TEST(KeyString, WhatHasNoKeyIsRefused) {  // K6
  char buffer[kKernelKeyBufSize];
  const auto refused = [&](Metas metas, size_t size = kKernelKeyBufSize) {
    return make_kernel_key_string(metas.span(), buffer, size) == Error::InvalidArgument;
  };
  EXPECT_TRUE(refused({{ScalarType::Long, {0, 100}}}));
  EXPECT_TRUE(refused({{static_cast<ScalarType>(-1), {0}}}));
  EXPECT_TRUE(refused({{static_cast<ScalarType>(100), {0}}}));
  const size_t needed = sizeof "v1/4;0,1,2,3";
  EXPECT_FALSE(refused({{ScalarType::Long, in_order4}}, needed));
  for (size_t size = 0; size < needed; ++size)
    EXPECT_TRUE(refused({{ScalarType::Long, in_order4}}, size)) << size;
}

TEST(KeyString, NothingIsWrittenBehindTheBuffer) {
  char buffer[8];
  for (char& c : buffer) c = '#';
  Metas metas = {{ScalarType::Long, in_order4}};
  make_kernel_key_string(metas.span(), buffer, 5);
  EXPECT_EQ(std::string(buffer + 5, 3), "###");
}

TEST(KeyString, TheUsualBufferHoldsSixteenTensors) {  // K7
  Metas metas;
  const std::vector<DimOrderType> wide = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (int i = 0; i < 16; ++i) metas.add(ScalarType::ComplexDouble, wide);
  EXPECT_EQ(key(metas).size(), 3 + 16 * (2 + 1 + 22 + 15) + 15U);
}

TEST(KeyString, ACallOfTooManyTensorsIsRefusedNotMissing) {  // K8
  Metas metas;
  for (int i = 0; i < 1000; ++i) metas.add(ScalarType::Long, in_order4);
  EXPECT_EQ(get_op_function_from_registry("k8::f", metas.span()).error(), Error::InvalidArgument);
}

}  // namespace
}  // namespace kbench::kernels

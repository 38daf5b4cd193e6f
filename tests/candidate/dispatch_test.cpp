// Tables by which generated functions find their kernel.
#include <gtest/gtest.h>

#include "candidate/tensors.hpp"

namespace kbench::kernels {
namespace {

TensorKey key(ScalarType type, std::initializer_list<int> order) {
  TensorImpl impl = made(type, order);
  return key_of(Tensor(&impl));
}

TEST(Dispatch, KeysTellTypesAndDimOrdersApart) {
  const TensorKey keys[] = {key(ScalarType::Byte, {}),         key(ScalarType::Float, {}),
                            key(ScalarType::Float, {0}),       key(ScalarType::Float, {0, 1}),
                            key(ScalarType::Float, {1, 0}),    key(ScalarType::Double, {0, 1}),
                            key(ScalarType::UInt64, {0, 1}),   key(ScalarType::Float, {0, 1, 2}),
                            key(ScalarType::Float, {0, 2, 1}), TensorKey{}};
  for (const TensorKey& a : keys) {
    for (const TensorKey& b : keys) EXPECT_EQ(a == b, &a == &b);
  }
  EXPECT_EQ(key(ScalarType::Float, {1, 0}), key(ScalarType::Float, {1, 0}));
}

TEST(Dispatch, SixteenDimensionsFit) {
  EXPECT_FALSE(key(ScalarType::Float, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) ==
               key(ScalarType::Float, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14}));
}

TEST(Dispatch, AListCountsAsTheFirstTensorInIt) {
  TensorImpl a = made(ScalarType::Float, {0});
  TensorImpl b = made(ScalarType::Long, {0, 1});
  const Tensor tensors[] = {Tensor(&a), Tensor(&b)};
  const std::optional<Tensor> given[] = {std::nullopt, Tensor(&b)};
  const TensorList list(tensors);
  const TensorList lists[] = {TensorList(), list};
  EXPECT_EQ(key_of(list), key_of(tensors[0]));
  EXPECT_EQ(key_of(TensorList()), TensorKey{});
  EXPECT_EQ(key_of(ArrayRef<std::optional<Tensor>>(given)), key_of(tensors[1]));
  EXPECT_EQ(key_of(ArrayRef<std::optional<Tensor>>(given, 1)), TensorKey{});
  EXPECT_EQ(key_of(ArrayRef<TensorList>(lists)), key_of(tensors[0]));
  EXPECT_EQ(key_of(std::optional<TensorList>(list)), key_of(tensors[0]));
  EXPECT_EQ(key_of(std::optional<TensorList>()), TensorKey{});
  EXPECT_EQ(key_of(std::optional<Tensor>(tensors[0])), key_of(tensors[0]));
  EXPECT_EQ(key_of(std::optional<Tensor>()), TensorKey{});
}

TEST(Dispatch, ATableFindsEachOfManyKeys) {
  constexpr int float_type = 6;
  constexpr int long_type = 4;
  static constexpr CaseTable<2, 6> table({
      {{in_order(float_type, 0, 1), in_order(float_type, 0, 1)}, 0},
      {{in_order(float_type, 1, 0), in_order(float_type, 0, 1)}, 1},
      {{in_order(long_type, 0, 1), in_order(float_type, 0, 1)}, 2},
      {{in_order(float_type), in_order(float_type)}, 3},
      {{in_order(float_type, 0), in_order(float_type, 0)}, 3},
      {{in_order(float_type, 0, 1), in_order(float_type, 1, 0)}, 4},
  });
  const TensorKey plain = key(ScalarType::Float, {0, 1});
  const TensorKey turned = key(ScalarType::Float, {1, 0});
  EXPECT_EQ(table.find({plain, plain}), 0);
  EXPECT_EQ(table.find({turned, plain}), 1);
  EXPECT_EQ(table.find({key(ScalarType::Long, {0, 1}), plain}), 2);
  EXPECT_EQ(table.find({key(ScalarType::Float, {}), key(ScalarType::Float, {})}), 3);
  EXPECT_EQ(table.find({key(ScalarType::Float, {0}), key(ScalarType::Float, {0})}), 3);
  EXPECT_EQ(table.find({plain, turned}), 4);
  EXPECT_EQ(table.find({turned, turned}), -1);
  EXPECT_EQ(table.find({plain, key(ScalarType::Long, {0, 1})}), -1);
  EXPECT_EQ(table.find({plain, TensorKey{}}), -1);
}

TEST(Dispatch, WhatComesFirstGoesFirstWhereSomethingIsLeftOpen) {
  static constexpr CaseTable<1, 5> table({
      {{in_order(6, 0, 1)}, 0},
      {{any_order(6)}, 1},
      {{in_order(any_type, 1, 0)}, 2},
      {{any_order(no_tensor)}, 3},
      {{any_order(4)}, 4},
  });
  const auto find = [](TensorKey one) { return table.find({one}); };
  EXPECT_EQ(find(key(ScalarType::Float, {0, 1})), 0);
  EXPECT_EQ(find(key(ScalarType::Float, {1, 0})), 1);
  EXPECT_EQ(find(key(ScalarType::Float, {})), 1);
  EXPECT_EQ(find(key(ScalarType::Half, {1, 0})), 2);
  EXPECT_EQ(find(key(ScalarType::Long, {0})), 4);
  EXPECT_EQ(find(TensorKey{}), 3);
  EXPECT_EQ(find(key(ScalarType::Half, {0, 1})), -1);
}

TEST(Dispatch, AnyTensorIsOneThatIsNotGivenToo) {
  static constexpr CaseTable<1, 1> table({{{any_order(any_type)}, 7}});
  EXPECT_EQ(table.find({TensorKey{}}), 7);
  EXPECT_EQ(table.find({key(ScalarType::Bool, {2, 1, 0})}), 7);
}

// A table of this size meets as many keys as it can, of all element types and ranks.
TEST(Dispatch, NoKeyIsTakenForAnother) {
  static constexpr CaseTable<1, 8> table({{{in_order(0, 0)}, 0},
                                          {{in_order(1, 0)}, 1},
                                          {{in_order(2, 0)}, 2},
                                          {{in_order(3, 0)}, 3},
                                          {{in_order(4, 0)}, 4},
                                          {{in_order(5, 0)}, 5},
                                          {{in_order(6, 0)}, 6},
                                          {{in_order(7, 0)}, 7}});
  for (int type = 0; type < 30; ++type) {
    EXPECT_EQ(table.find({key(static_cast<ScalarType>(type), {0})}), type < 8 ? type : -1);
    EXPECT_EQ(table.find({key(static_cast<ScalarType>(type), {0, 1})}), -1);
    EXPECT_EQ(table.find({key(static_cast<ScalarType>(type), {})}), -1);
  }
}

}  // namespace
}  // namespace kbench::kernels

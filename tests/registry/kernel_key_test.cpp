// Keys of kernels: ExecuTorch's text (the cases K1 to K6, K18 to K20 of the research notes).
#include "kernels/registry/kernel_key.hpp"

#include <gtest/gtest.h>

#include "registry/tensor_meta.hpp"

namespace kbench {
namespace {

TEST(KernelKey, Texts) {
  EXPECT_EQ(key_text({}), "");
  EXPECT_EQ(key_text({meta(4, {0, 1, 2, 3})}), "v1/4;0,1,2,3");
  EXPECT_EQ(key_text({meta(4, {0, 1, 2, 3}), meta(7, {3, 2, 1, 0}), meta(0, {2, 1, 3, 0})}),
            "v1/4;0,1,2,3|7;3,2,1,0|0;2,1,3,0");
  EXPECT_EQ(key_text({meta(4, {0, 10, 2, 99})}), "v1/4;0,10,2,99");
  EXPECT_EQ(key_text({meta(6, {})}), "v1/6;");
  TensorMeta none;
  none.is_none = true;
  EXPECT_EQ(key_text({TensorMeta{6, std::nullopt, false}, TensorMeta{}, none}), "v1/6;*|*|-");
}

TEST(KernelKey, IsReadAsItIsWritten) {
  for (const std::string text : {"", "v1/4;0,1,2,3", "v1/4;0,1|7;1,0", "v1/6;", "v1/6;*|*|-"}) {
    std::string why;
    const auto key = parse_key(text, why);
    ASSERT_TRUE(key) << text << why;
    EXPECT_EQ(key_text(*key), text);
  }
}

TEST(KernelKey, WhatIsNoKeyIsSaid) {
  const auto why = [](const std::string& text) {
    std::string out;
    EXPECT_FALSE(parse_key(text, out)) << text;
    return out;
  };
  EXPECT_EQ(why("v2/4;0"), "a key begins with \"v1/\"");
  EXPECT_EQ(why("v1/4"), "\"4\" has no \";\" between element type and dim order");
  EXPECT_EQ(why("v1/4;100"), "\"100\" is no dimension");
  EXPECT_EQ(why("v1/4;0,"), "\"\" is no dimension");
  EXPECT_EQ(why("v1/-1;0"), "\"-1\" is no number of an element type");
}

TEST(KernelKey, AKeyOfAModelNamesTheOutputsTwice) {
  const KernelKey wanted(3, meta(6, {0, 1}));
  EXPECT_TRUE(matches(wanted, wanted, 1));
  EXPECT_TRUE(matches(wanted, KernelKey(4, meta(6, {0, 1})), 1));
  KernelKey other(4, meta(6, {0, 1}));
  other.back() = meta(7, {0, 1});
  EXPECT_FALSE(matches(wanted, other, 1));
  EXPECT_FALSE(matches(wanted, KernelKey(4, meta(6, {0, 1})), 0));
  EXPECT_FALSE(matches(wanted, KernelKey(2, meta(6, {0, 1})), 1));
}

TEST(KernelKey, AnyMatchesWhatever) {
  const KernelKey any_dims = {TensorMeta{6, std::nullopt, false}};
  EXPECT_TRUE(matches(any_dims, {meta(6, {1, 0})}, 0));
  EXPECT_FALSE(matches(any_dims, {meta(7, {1, 0})}, 0));
  TensorMeta none;
  none.is_none = true;
  EXPECT_FALSE(matches(any_dims, {none}, 0));
  EXPECT_TRUE(matches({TensorMeta{}}, {none}, 0));
}

TEST(KernelKey, DimOrdersArePermutations) {
  EXPECT_EQ(dim_order_problem({}), "");
  EXPECT_EQ(dim_order_problem({2, 0, 1}), "");
  EXPECT_EQ(dim_order_problem({0, 0, 7}), "[0,0,7] is not a permutation of 0 to 2");
}

}  // namespace
}  // namespace kbench

// What Definitions with other dtypes are called.
#include "kernels/registry/derived_definition.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"
#include "kernels/registry/scalar_type.hpp"

namespace kbench {
namespace {

Definition add() {
  Definition one;
  one.name = "d_add";
  one.axes.items = {{"n", AxisVar{}}};
  TensorSpec tensor;
  tensor.shape = {"n"};
  tensor.dtype = DType::float32;
  one.inputs.items = {{"self", tensor}, {"other", tensor}};
  one.outputs.items = {{"out", tensor}};
  return one;
}

std::string name_with(const std::vector<std::string>& types) {
  const ops::Schema schema =
      *ops::parse_schema("add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)")
           .schema;
  std::vector<std::string> problems;
  const Definition definition = add();
  KernelKey key;
  for (const std::string& type : types)
    key.push_back(TensorMeta{find_scalar_type(type)->code, {}, false});
  return with_key(definition, *bind_operator(definition, schema, problems), key)->name;
}

TEST(DerivedDefinition, EachCombinationOfDtypesHasItsName) {
  EXPECT_EQ(name_with({"Float", "Float", "Float"}), "d_add");
  EXPECT_EQ(name_with({"Half", "Half", "Half"}), "d_add_float16");
  EXPECT_EQ(name_with({"Half", "Half", "Float"}), "d_add_float16_float16_float32");
  EXPECT_EQ(name_with({"Half", "Float", "Float"}), "d_add_float16_float32_float32");
  EXPECT_EQ(name_with({"Float", "Float", "Half"}), "d_add_float32_float32_float16");
}

TEST(DerivedDefinition, TheMainDtypeIsTheFirstTensors) {
  Definition one = add();
  one.inputs.items[1].second.dtype = DType::int64;
  const Definition changed = with_main_dtype(one, DType::float16);
  EXPECT_EQ(changed.name, "d_add_float16");
  EXPECT_EQ(changed.inputs.items[1].second.dtype, DType::int64);
  EXPECT_EQ(changed.outputs.items[0].second.dtype, DType::float16);
  EXPECT_EQ(with_main_dtype(one, DType::float32).name, "d_add");
}

}  // namespace
}  // namespace kbench

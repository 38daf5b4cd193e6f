// Every type of a schema, and what a kernel is given for it (research notes et §2.3). The types
// that ExecuTorch's codegen takes and cannot compile (str[], Scalar[], int[][] …) work here, and so
// does Device, which its documentation promises.
#include <gtest/gtest.h>

#include "operators/parse.hpp"
#include "operators/prototype.hpp"
#include "operators/rules.hpp"
#include "operators/schema.hpp"

namespace kbench::ops {
namespace {

// "const Tensor&", or the flaws that the type has as an argument of a custom operator.
std::string parameter(const std::string& type) {
  const ParsedSchema parsed =
      parse_schema("f.out(" + type + " x, *, Tensor(z!) out) -> Tensor(z!)");
  std::vector<Flaw> flaws = parsed.flaws;
  if (parsed.schema) {
    for (const auto& more : {check_schema(*parsed.schema), check_for_kernel(*parsed.schema, true)})
      flaws.insert(flaws.end(), more.begin(), more.end());
  }
  std::string said;
  for (const Flaw& flaw : flaws) said += "! " + flaw.message;
  return said.empty() ? cpp_parameter(parsed.schema->positional.at(0)) : said;
}

using Types = std::initializer_list<std::pair<const char*, const char*>>;

void expect_parameters(Types rows) {
  for (const auto& [type, cpp] : rows) EXPECT_EQ(parameter(type), cpp) << type;
}

TEST(Type, OneValue) {
  expect_parameters({
      {"Tensor", "const Tensor&"},
      {"Tensor(a)", "const Tensor&"},
      {"Tensor(a!)", "Tensor&"},
      {"int", "int64_t"},
      {"SymInt", "int64_t"},
      {"float", "double"},
      {"bool", "bool"},
      {"str", "std::string_view"},
      {"Scalar", "const Scalar&"},
      {"ScalarType", "ScalarType"},
      {"MemoryFormat", "MemoryFormat"},
      {"Device", "Device"},
  });
}

TEST(Type, Optional) {
  expect_parameters({
      {"Tensor?", "const std::optional<Tensor>&"},
      {"Tensor(a)?", "const std::optional<Tensor>&"},
      {"Scalar?", "const std::optional<Scalar>&"},
      {"int?", "std::optional<int64_t>"},
      {"SymInt?", "std::optional<int64_t>"},
      {"float?", "std::optional<double>"},
      {"bool?", "std::optional<bool>"},
      {"str?", "std::optional<std::string_view>"},
      {"ScalarType?", "std::optional<ScalarType>"},
      {"MemoryFormat?", "std::optional<MemoryFormat>"},
      {"Device?", "std::optional<Device>"},
  });
}

TEST(Type, Lists) {
  expect_parameters({
      {"Tensor[]", "TensorList"},
      {"Tensor[2]", "TensorList"},
      {"Tensor(a)[]", "TensorList"},
      {"Tensor?[]", "ArrayRef<std::optional<Tensor>>"},
      {"int[]", "ArrayRef<int64_t>"},
      {"int[3]", "ArrayRef<int64_t>"},
      {"SymInt[]", "ArrayRef<int64_t>"},
      {"float[]", "ArrayRef<double>"},
      {"float[2]", "ArrayRef<double>"},
      {"bool[3]", "ArrayRef<bool>"},
      {"int[]?", "std::optional<ArrayRef<int64_t>>"},
      {"SymInt[]?", "std::optional<ArrayRef<int64_t>>"},
      {"float[]?", "std::optional<ArrayRef<double>>"},
      {"bool[2]?", "std::optional<ArrayRef<bool>>"},
      {"Tensor[]?", "std::optional<TensorList>"},
  });
}

TEST(Type, ListsThatExecuTorchsOwnCodegenCannotCompile) {
  expect_parameters({
      {"str[]", "ArrayRef<std::string_view>"},
      {"Scalar[]", "ArrayRef<Scalar>"},
      {"ScalarType[]", "ArrayRef<ScalarType>"},
      {"int?[]", "ArrayRef<std::optional<int64_t>>"},
      {"float?[]", "ArrayRef<std::optional<double>>"},
      {"int[][]", "ArrayRef<ArrayRef<int64_t>>"},
      {"Tensor[][]", "ArrayRef<TensorList>"},
  });
}

TEST(Type, NoKernelIsGivenThese) {
  for (const std::string type :
       {"Layout", "Storage", "Stream", "QScheme", "DimVector", "SymBool", "Generator",
        "GraphModule", "DeviceIndex", "__torch__.torch.classes.ns.Packed"}) {
    for (const std::string& form : {type, type + "?", type + "[]"})
      EXPECT_EQ(parameter(form), "! no kernel can be given the type " + form);
  }
}

TEST(Type, NoTypes) {
  expect_parameters({
      {"double", "! unrecognized type double"},
      {"Dimname", "! unrecognized type Dimname"},
      {"tensor", "! unrecognized type tensor"},
      {"Tensor!", "! unrecognized type Tensor!"},
      {"int[-1]", "! unrecognized type int[-1]"},
      {"int[a]", "! unrecognized type int[a]"},
      {"int[", "! Invalid function schema: f.out(int[ x, *, Tensor(z!) out) -> Tensor(z!)"},
      {"int]", "! unrecognized type int]"},
      {"__torch__.torch.classes.", "! unrecognized type __torch__.torch.classes."},
      {"bool[]", "! bool ListType must have a size"},
      {"bool[]?", "! bool ListType must have a size"},
      {"Tensor(a", "! Invalid function schema: f.out(Tensor(a x, *, Tensor(z!) out) -> Tensor(z!)"},
      {"Tensor(a)[2]", "! unrecognized alias analysis form with Tensor: [2]"},
      {"Tensor(a)?[]", "! unrecognized alias analysis form with Tensor: ?[]"},
      {"Tensor(A)", "! unrecognized alias annotation A"},
      {"Tensor()", "! unrecognized alias annotation "},
      {"Tensor(a|b!)", "! alias set larger than 1 is not mutable, got a|b! instead."},
  });
}

TEST(Type, AliasesOfAllFormsArePrintedAsTheyStand) {
  for (const std::string type : {"Tensor(a)", "Tensor(a|b)", "Tensor(a -> *)", "Tensor(a! -> a|b)",
                                 "Tensor(a -> b|c)", "Tensor(a)?", "Tensor(a!)[]"}) {
    const std::string schema = "f(" + type + " x) -> Tensor";
    const ParsedSchema parsed = parse_schema(schema);
    ASSERT_TRUE(parsed.schema) << schema;
    EXPECT_EQ(text(*parsed.schema), schema);
  }
}

TEST(Type, ItsTextIsWhatWasRead) {
  for (const BaseTypeInfo& row : base_types()) {
    if (row.type == BaseType::custom_class) continue;
    EXPECT_EQ(find_base_type(row.name), row.type);
    EXPECT_EQ(&info(row.type), &row);
    EXPECT_EQ(text(Type{row.type, "", {}}), row.name);
  }
  Type nested{BaseType::integer, "", {{Modifier::Kind::list, 2}, {Modifier::Kind::optional, {}}}};
  EXPECT_EQ(text(nested), "int[2]?");
  EXPECT_TRUE(nested.has_list());
  EXPECT_TRUE(nested.is_optional());
  EXPECT_FALSE(nested.is(BaseType::integer));
}

}  // namespace
}  // namespace kbench::ops

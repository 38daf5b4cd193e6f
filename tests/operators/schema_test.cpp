// Schemas that torchgen takes and those that it refuses, with its words. Source: torchgen of
// PyTorch 2.15, and ExecuTorch's codegen on top of it.
#include "kernels/operators/schema.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"
#include "kernels/operators/rules.hpp"

namespace kbench::ops {
namespace {

// Returns all that is wrong with a custom operator's schema, one a line: "column: message".
std::string flaws_of(const std::string& text) {
  const ParsedSchema parsed = parse_schema(text);
  std::vector<Flaw> flaws = parsed.flaws;
  if (parsed.schema) {
    for (const auto& more : {check_schema(*parsed.schema), check_for_kernel(*parsed.schema, true)})
      flaws.insert(flaws.end(), more.begin(), more.end());
  }
  std::string out;
  for (const Flaw& flaw : flaws)
    out += std::to_string(flaw.at) + ": " + (flaw.level == Level::warning ? "warning: " : "") +
           flaw.message + "\n";
  return out;
}

TEST(Schema, PrintsWhatItReads) {
  for (const std::string text :
       {"f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
        "f.out(Tensor x, *, Tensor(a!) dst) -> Tensor(a!)",
        "f.out(Tensor x, *, Tensor(a!) o1, Tensor(b!) o2) -> (Tensor(a!), Tensor(b!))",
        "f.out(Tensor x, *, Tensor(a!)[] out) -> ()",
        "f.out(Tensor x, Tensor(b!) cache, *, Tensor(a!) out) -> Tensor(a!)",
        "f.out(Tensor x, *, Tensor(a!) out, Tensor(b!) _scratch_x) -> Tensor(a!)",
        "copy_(Tensor(a!) self, Tensor src) -> Tensor(a!)", "f(Tensor x) -> Tensor",
        "f(Tensor x) -> (Tensor, Tensor)", "ns::f(Tensor x) -> (Tensor values, Tensor indices)",
        "f() -> Tensor",
        "__and__.out(Tensor self, Scalar other=1, *, Tensor(a!) out) -> Tensor(a!)",
        "f.out(Tensor? a, Tensor[] b, Tensor?[] c, int[2] d=1, int[]? e=None, *, Tensor(a!) out) "
        "-> Tensor(a!)",
        "f.out(str s=\"a, b\", int[] k=[1,1], float x=1e-05, *, Tensor(a!) out) -> Tensor(a!)"}) {
    EXPECT_EQ(flaws_of(text), "") << text;
    const ParsedSchema parsed = parse_schema(text);
    ASSERT_TRUE(parsed.schema) << text;
    EXPECT_EQ(ops::text(*parsed.schema), text);
  }
}

struct Case {
  std::string schema;
  std::string flaws;
};

TEST(Schema, RefusesWithTorchgensWordsAtTheColumn) {
  const Case cases[] = {
      // ExecuTorch's documentation has it, though torchgen does not.
      {"f.out(Tensor x, *, Tensor(a!) out) -> ()", ""},
      {"f.out(Tensor x, *, Tensor(a!)[] out) -> Tensor(a!)[]",
       "40: out= ops that accept tensor lists as out arguments are expected to have no return type "
       "(since you can't do method chaining on them)\n40: Can't handle this return type "
       "Tensor[]\n"},
      {"f.out(Tensor x, *, Tensor(a!) o1, Tensor(b!) o2) -> Tensor(a!)",
       "52: Must return as many arguments as there are out arguments, or no return at all. Got 2 "
       "non-scratch out args and 1 returns\n"},
      {"f.out(Tensor x, *, Tensor(a!) out) -> Tensor",
       "38: Out arguments must have matching return Tensor; furthermore, the ith-argument needs to "
       "correspond to the ith return. arg.annotation=a!, ret.annotation=None\n"},
      {"f.out(Tensor x, Tensor(a!) out) -> Tensor(a!)",
       "16: If you have a schema with mutable positional args, we expect them to not be returned.\n"
       "35: All mutable returns must be aliased either to a keyword argument, or to \"self\". Did "
       "you forget to mark an out argument as keyword-only?\n"},
      {"f.out(Tensor x, *, Tensor(a!) out, int k) -> Tensor(a!)",
       "35: non-mutable argument 'k' cannot follow mutable out arguments\n"},
      {"f.out(Tensor x, *, Tensor out) -> Tensor",
       "19: warning: 'out' is not written: the operator is taken for one that returns a new "
       "tensor\n"},
      {"f.out(Tensor x, *, Tensor(a!) o1, Tensor(a!) o2) -> (Tensor(a!), Tensor(a!))",
       "34: 'o2' is written under the same letter as an argument before it\n"},
      {"f.out(Tensor x, *, Tensor(a!) out, *) -> Tensor(a!)",
       "35: invalid syntax: kwarg-only specifier * can only occur once\n"},
  };
  for (const Case& one : cases) EXPECT_EQ(flaws_of(one.schema), one.flaws) << one.schema;
}

TEST(Schema, RefusesTypesAndNamesWithTorchgensWords) {
  const Case cases[] = {
      {"f_(Tensor x) -> Tensor",
       "0: Inplace op f_ must have a self argument with a mutable annotation\n"},
      {"f(Tensor x) -> ()", "0: Can't handle native function f with no returns and no out yet.\n"},
      {"f(Tensor x) -> bool", "15: Can't handle this return type bool\n"},
      {"f(Tensor x) -> Tensor?", "15: unrecognized return type Tensor?\n"},
      {"f.out(double x, *, Tensor(a!) out) -> Tensor(a!)", "6: unrecognized type double\n"},
      {"f.out(bool[] x, *, Tensor(a!) out) -> Tensor(a!)", "6: bool ListType must have a size\n"},
      {"f.out(int[] k=1, *, Tensor(a!) out) -> Tensor(a!)",
       "14: Expected a list default '[...]' but found: '1'\n"},
      {"f.out(Layout k, *, Tensor(a!) out) -> Tensor(a!)",
       "6: no kernel can be given the type Layout\n"},
      {"f.out(Tensor from, *, Tensor(a!) out) -> Tensor(a!)",
       "6: Argument name 'from' in function 'f.out' is a reserved Python keyword.\n"},
      {"f_out(Tensor x) -> Tensor",
       "0: _out suffix is reserved and not permitted for operator names; did you mean to specify "
       "an "
       "out overload name instead?\n"},
      {"a::b::f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
       "0: Codegen doesn't support more than 1 level(s) of custom namespace. Got a::b.\n"},
      {"f.out(Tensor x, *, Tensor(a!) out)",
       "34: Invalid function schema: f.out(Tensor x, *, Tensor(a!) out)\n"},
      {"f.out(Tensor, *, Tensor(a!) out) -> Tensor(a!)", "6: illegal argument 'Tensor'\n"},
      {"f.out(Tensor(ab) x, *, Tensor(a!) out) -> Tensor(a!)",
       "13: unrecognized alias annotation ab\n"},
      {"f.functional(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
       "0: Found an operator that is not functional, but its overload contains the string "
       "'functional'. This is a special keyword in the codegen, please use a different overload "
       "name.\n"},
      {"f.out(Tensor x, Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
       "16: two arguments are called 'x'\n"},
  };
  for (const Case& one : cases) EXPECT_EQ(flaws_of(one.schema), one.flaws) << one.schema;
}

TEST(Schema, BlanksOtherThanTheCanonicalOnesAreSaid) {
  const ParsedSchema parsed = parse_schema("f.out( Tensor x,*, Tensor(a!)  out )->Tensor(a!)");
  ASSERT_TRUE(parsed.schema);
  EXPECT_EQ(text(*parsed.schema), "f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_EQ(parsed.flaws.size(), 5U);
  for (const Flaw& flaw : parsed.flaws) EXPECT_TRUE(flaw.is_blank);
}

}  // namespace

// Types of a schema, each with what a kernel is given for it (research notes et §2.3). The types
// that ExecuTorch's codegen takes and cannot compile (str[], Scalar[], int[][] …) work here, and so
// does Device, which its documentation promises.

namespace {

// Returns "const Tensor&", or the flaws that the type has as an argument of a custom operator.
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

#include "kernels/registry/dtype_constraints.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"
#include "kernels/registry/derived_definition.hpp"
#include "support/said.hpp"

namespace kbench {
namespace {

const ops::Catalogue& constrained_catalogue() {
  static const ops::Catalogue all(Source{"native_functions.yaml", R"(
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
- func: add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
- func: sort(Tensor self, int dim=-1) -> (Tensor values, Tensor indices)
)"});
  return all;
}

std::string problems_of(const std::string& text) {
  Diagnostics said;
  read_dtype_constraints({"edge.yaml", text}, &constrained_catalogue(), said);
  return text_of(said, Tell::message);
}

constexpr const char* of_add = R"(
- func: aten::add.Scalar
  namespace: edge
  inherits: aten::add.Scalar
  type_alias: {T0: [Float]}
  type_constraint:
  - {self: T0, other: T0, alpha: T0, __ret_0: T0}
- func: aten::add.Tensor
  namespace: edge
  inherits: aten::add.Tensor
  type_alias:
    T0: [Float, Half]
    T1: [Int, Long]
    T2: [Int]
    T3: [Float]
  type_constraint:
  - {self: T0, other: T0, alpha: T2, __ret_0: T0}
  - {self: T0, other: T1, alpha: T2, __ret_0: T0}
  - {self: T1, other: T1, alpha: T3, __ret_0: T1}
)";

std::vector<DtypeConstraints> constraints() {
  Diagnostics said;
  auto all = read_dtype_constraints({"edge.yaml", of_add}, &constrained_catalogue(), said);
  EXPECT_EQ(text_of(said, Tell::message), "");
  return all;
}

ops::Schema schema_of(const char* text) {
  ops::Schema schema = *ops::parse_schema(text).schema;
  if (schema.name.name_space.empty()) schema.name.name_space = "aten";
  return schema;
}

const ops::Schema add_out = schema_of(
    "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)");

// A Definition of two inputs and an output, and how it calls add.out.
Definition definition_of_add() {
  Definition definition;
  definition.name = "add";
  for (const char* name : {"self", "other"})
    definition.inputs.items.emplace_back(name, TensorSpec{{{"n"}}, DType::float32, {}, {}});
  definition.outputs.items.emplace_back("out", TensorSpec{{{"n"}}, DType::float32, {}, {}});
  return definition;
}

OperatorBinding binding_of_add() {
  std::vector<std::string> problems;
  const auto binding = bind_operator(definition_of_add(), add_out, problems);
  EXPECT_TRUE(binding);
  return *binding;
}

TEST(DtypeConstraints, OfAKernelAreThoseOfTheOperatorThatReturnsItsResult) {
  const auto all = constraints();
  ASSERT_EQ(all.size(), 2U);
  const DtypeConstraints* const found = constraints_of(all, add_out, &constrained_catalogue());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->op, "aten::add.Tensor");
  EXPECT_EQ(found->where.line, 8);
  const ops::Schema other = schema_of("mul.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_EQ(constraints_of(all, other, &constrained_catalogue()), nullptr);
}

TEST(DtypeConstraints, OfAnUnknownOperatorAreFoundByItsTensors) {
  Diagnostics said;
  const auto all = read_dtype_constraints({"edge.yaml", R"(
- func: my::f.Scalar
  type_alias: {T0: [Float]}
  type_constraint: [{x: T0, __ret_0: T0}]
- func: my::f.Tensor
  type_alias: {T0: [Float]}
  type_constraint: [{x: T0, y: T0, __ret_0: T0}]
)"},
                                          nullptr, said);
  const ops::Schema f_out =
      schema_of("my::f.out(Tensor x, Tensor y, *, Tensor(a!) out) -> Tensor(a!)");
  const DtypeConstraints* const found = constraints_of(all, f_out, nullptr);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->op, "my::f.Tensor");
}

TEST(DtypeConstraints, AllowWhatTheNumbersOfACallAllow) {
  const auto all = constraints();
  const auto allowed = allowed_types(*constraints_of(all, add_out, &constrained_catalogue()),
                                     definition_of_add(), binding_of_add());
  ASSERT_EQ(allowed.size(), 2U);  // alpha is 1, an Int
  ASSERT_EQ(allowed[1].size(), 3U);
  EXPECT_EQ(allowed[1][1].tensor, 1U);
  EXPECT_EQ(allowed[1][1].types, 0b11000U);
  EXPECT_EQ(allowed[1][0].alias, allowed[1][2].alias);
}

TEST(DtypeConstraints, AreDefinitionsWithOneDtypeForEachAlias) {
  const auto all = constraints();
  const auto allowed = allowed_types(*constraints_of(all, add_out, &constrained_catalogue()),
                                     definition_of_add(), binding_of_add());
  std::vector<std::string> names;
  for (const Definition& one : allowed_definitions(allowed, definition_of_add(), 100))
    names.push_back(one.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"add_float16", "add", "add_float16_int32_float16",
                                      "add_float16_int64_float16", "add_float32_int32_float32",
                                      "add_float32_int64_float32"}));
  EXPECT_EQ(allowed_definitions(allowed, definition_of_add(), 2).size(), 2U);
}

TEST(DtypeConstraints, NameWhatTheLibrariesHave) {
  ops::Schema schema =
      *ops::parse_schema("f.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)")
           .schema;
  schema.name.name_space = "ns";
  const auto problems = [&](const std::string& op, const std::string& names) {
    Diagnostics said;
    const auto all = read_dtype_constraints(
        {"edge.yaml",
         "- func: " + op + "\n  type_alias: {T0: [Float]}\n  type_constraint: [{" + names + "}]\n"},
        &constrained_catalogue(), said);
    check_constrained_names(all, {&schema}, said);
    return text_of(said, Tell::message);
  };
  EXPECT_EQ(problems("ns::f", "self: T0, other: T0, __ret_0: T0"), "");
  EXPECT_EQ(problems("ns::f.out", "self: T0, other: T0, out: T0"), "");
  EXPECT_EQ(problems("ns::f", "self: T0, othr: T0, __ret_0: T0"),
            "3:32: ns::f.out has no argument \"othr\"\n");
  EXPECT_EQ(problems("ns::g", "self: T0"), "1:3: no library has ns::g\n");
  EXPECT_EQ(problems("other::g", "self: T0"), "");  // another library's
}

TEST(DtypeConstraints, AreReadAsTheyStand) {
  EXPECT_EQ(problems_of("a: 1\n"), "1:1: dtype constraints are a list of operators\n");
  EXPECT_EQ(problems_of("- 3\n- {type_alias: {}}\n"),
            "1:3: an entry must be a map with func, type_alias and type_constraint\n"
            "2:3: func must name an operator\n");
  const std::string head = "- func: aten::add.Tensor\n  type_alias: {T0: [Float]}\n";
  EXPECT_EQ(problems_of(head + "  type_constrain: []\n"),
            "3:3: unknown key \"type_constrain\"\n"
            "1:3: type_constraint must be a list of what is allowed\n");
  EXPECT_EQ(problems_of(head + "  type_constraint: [{self: T0, other: T1, __ret_0: T0}, 3]\n"),
            "3:39: Undefined type alias: 'T1'\n"
            "3:57: an alternative must be a map from names to aliases\n");
  EXPECT_EQ(problems_of(head + "  type_constraint: [{self: T0, othre: T0, __ret_0: T0}]\n"),
            "3:32: the operator has no argument \"othre\"\n"
            "3:21: this alternative does not name the tensor other\n");
  EXPECT_EQ(problems_of(head + "  type_constraint: [{self: T0, other: T0}, {self: T0, other: T0, "
                               "__ret_0: T0}]\n"),
            "3:44: this alternative names others than the first one\n");
  EXPECT_EQ(problems_of(of_add + std::string(of_add)),
            "21:9: aten::add.Scalar has constraints already\n"
            "27:9: aten::add.Tensor has constraints already\n");
}

TEST(DtypeConstraints, OfAnUnknownOperatorAreWarnedOf) {
  EXPECT_EQ(problems_of("- func: aten::addd.Tensor\n  type_alias: {T0: [Float]}\n"
                        "  type_constraint: [{self: T0}]\n"),
            "1:9: unknown operator aten::addd.Tensor\n");
}

TEST(DtypeConstraints, CallResultsByTheirNames) {
  EXPECT_EQ(problems_of("- func: aten::sort\n  type_alias: {T0: [Float], T1: [Long]}\n"
                        "  type_constraint: [{self: T0, values: T0, indices: T1}]\n"),
            "");
}

TEST(DtypeConstraints, AreToldFromKernelYaml) {
  EXPECT_TRUE(looks_like_dtype_constraints(of_add));
  EXPECT_FALSE(looks_like_dtype_constraints("- func: f() -> ()\n  kernels:\n"));
  EXPECT_FALSE(looks_like_dtype_constraints("- op: add.out\n"));
}

}  // namespace
}  // namespace kbench

// Calls by a Definition of the operator that its tag names.
#include "kernels/registry/operator_binding.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "kernels/operators/parse.hpp"

namespace kbench {
namespace {

ops::Schema schema(const std::string& text) {
  ops::Schema one = *ops::parse_schema(text).schema;
  one.name.name_space = "ns";
  return one;
}

// Inputs and outputs are "x:float32:M,N"; op_arguments are JSON, "" for none.
Definition definition(const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs, const std::string& arguments = "") {
  Definition one;
  one.name = "d";
  one.axes.items = {{"M", AxisVar{}}, {"N", AxisConst{}}};
  const auto add = [](const std::string& text, OrderedMap<TensorSpec>& to) {
    const auto parts = split(text, ':');
    TensorSpec spec;
    spec.dtype = find_dtype(parts.at(1)).value_or(DType::float32);
    if (parts.size() > 2) spec.shape.emplace();
    for (const auto axis : parts.size() > 2 ? split(parts[2], ',') : decltype(parts)()) {
      if (!axis.empty()) spec.shape->emplace_back(axis);
    }
    to.items.emplace_back(std::string(parts[0]), spec);
  };
  for (const std::string& text : inputs) add(text, one.inputs);
  for (const std::string& text : outputs) add(text, one.outputs);
  if (!arguments.empty()) one.op_arguments = RawJson{arguments};
  return one;
}

std::string shown(const BoundValue& value) {
  using Kind = BoundValue::Kind;
  if (value.kind == Kind::none) return "None";
  if (value.kind == Kind::input) return "in" + std::to_string(value.index);
  if (value.kind == Kind::output) return "out" + std::to_string(value.index);
  if (value.kind == Kind::axis) return "axis " + value.text;
  if (value.kind == Kind::constant) return value.text;
  std::vector<std::string> items;
  for (const BoundValue& item : value.items) items.push_back(shown(item));
  return "[" + join(items, " ") + "]";
}

// Returns what each argument is given, or the problems.
std::string bound(const Definition& definition, const std::string& text) {
  std::vector<std::string> problems;
  const auto binding = bind_operator(definition, schema(text), problems);
  EXPECT_EQ(binding.has_value(), problems.empty());
  if (!binding) return join(problems, "\n");
  std::vector<std::string> values;
  for (const BoundValue& value : binding->values) values.push_back(shown(value));
  return join(values, ", ");
}

const std::vector<std::string> x = {"x:float32:M,N"};
const std::vector<std::string> out = {"out:float32:M,N"};
constexpr const char* unary_prototype = "f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)";

TEST(OperatorBinding, ByNameThenByDefault) {
  EXPECT_EQ(bound(definition(x, out), unary_prototype), "in0, out0");
  EXPECT_EQ(
      bound(
          definition({"y:float32:M", "x:float32:M"}, out),
          "f.out(Tensor x, Tensor y, Scalar alpha=1, Tensor? z=None, int[2] k=1, int[] "
          "e=[], float[] f=[0.5,2], str s=\"a b\", int? n=None, *, Tensor(a!) out) -> Tensor(a!)"),
      "in1, in0, 1, None, [1 1], [], [0.5 2], a b, None, out0");
}

TEST(OperatorBinding, AnOptionalWithoutDefaultIsNone) {
  EXPECT_EQ(
      bound(definition(x, out), "f.out(Tensor x, Tensor? w, *, Tensor(a!) out) -> Tensor(a!)"),
      "in0, None, out0");
}

TEST(OperatorBinding, OutputsByNameElseInTheirOrder) {
  const std::string two =
      "f.out(Tensor x, *, Tensor(a!) o, Tensor(b!) p) -> (Tensor(a!), Tensor(b!))";
  EXPECT_EQ(bound(definition(x, {"p:float32:M", "o:float32:M"}), two), "in0, out1, out0");
  EXPECT_EQ(bound(definition(x, {"first:float32:M", "second:float32:M"}), two), "in0, out0, out1");
  EXPECT_EQ(bound(definition(x, out), "f(Tensor x) -> Tensor"), "in0");
}

TEST(OperatorBinding, WhatOpArgumentsSay) {
  const std::string text =
      "f.out(Tensor self, int dim, float eps, bool keep, str mode, ScalarType? dtype, int[] "
      "sizes, Tensor[] list, Tensor? w, *, Tensor(a!) out) -> Tensor(a!)";
  const std::string arguments =
      "{\"self\": \"x\", \"dim\": -1, \"eps\": 1e-5, \"keep\": true, \"mode\": \"x\", \"dtype\": "
      "\"bfloat16\", \"sizes\": [\"M\", 4], \"list\": [\"x\", \"x\"], \"w\": null, \"out\": "
      "\"result\"}";
  EXPECT_EQ(bound(definition(x, {"result:float32:M"}, arguments), text),
            "in0, -1, 1e-5, True, x, BFloat16, [axis M 4], [in0 in0], None, out0");
}

TEST(OperatorBinding, ProblemsAreSaid) {
  const auto of = [](const std::string& arguments) {
    return bound(definition(x, out, arguments),
                 "f.out(Tensor x, int k, *, Tensor(a!) out) -> Tensor(a!)");
  };
  const std::string missing =
      "nothing is given to int k of ns::f.out: name an input so, or say it in op_arguments";
  EXPECT_EQ(of(""), missing);
  EXPECT_EQ(of("[1]"), "op_arguments must be a map\n" + missing);
  EXPECT_EQ(of("{\"k\": 1, \"l\": 2}"),
            "op_arguments: ns::f.out has no argument \"l\"; its arguments are x, k, out");
  EXPECT_EQ(of("{\"k\": \"Q\"}"),
            "op_arguments: k is given \"Q\", which is no input, output or axis of d, and no int");
  EXPECT_EQ(of("{\"k\": {}}"), "op_arguments: k is given a map, which is no int");
}

// Returns what one argument `k` of a type is given, or what is wrong with that.
std::string given(const std::string& type, const std::string& value) {
  Definition one = definition({"x:float32:M,N", "i:int32", "f:float32", "b:bool"}, out,
                              "{\"k\": " + value + ", \"rest\": [\"i\", \"f\", \"b\"]}");
  one.axes.items.emplace_back("Z", AxisVar{});  // no tensor has it
  const std::string text =
      bound(one, "f.out(Tensor x, " + type + " k, Scalar[] rest, *, Tensor(a!) out) -> Tensor(a!)");
  const std::string_view around[] = {"in0, ", ", [in1 in2 in3], out0"};
  return text.starts_with(around[0])
             ? text.substr(around[0].size(), text.size() - around[0].size() - around[1].size())
             : text.substr(text.find("k is") == text.npos ? 0 : text.find("k is"));
}

TEST(OperatorBinding, ConstantsFitTheirTypes) {
  EXPECT_EQ(given("bool", "1"), "k is given 1, which is no bool");
  EXPECT_EQ(given("bool", "false"), "False");
  EXPECT_EQ(given("int", "1.9"), "k is given 1.9, which is no int");
  EXPECT_EQ(given("int", "true"), "k is given true, which is no int");
  EXPECT_EQ(given("int", "null"), "k is given null, which is no int");
  EXPECT_EQ(given("int", "[1]"), "k is given a list, which is no int");
  EXPECT_EQ(given("int?", "null"), "None");
  EXPECT_EQ(given("int", "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(given("int", "9223372036854775808"), "k is given 9223372036854775808, which is no int");
  EXPECT_EQ(given("int", "\"Sum\""), "2");
  EXPECT_EQ(given("float", "9223372036854775808"), "9223372036854775808");
  EXPECT_EQ(given("float", "1e999"), "k is given 1e999, which is no float");
  EXPECT_EQ(given("float", "-Infinity"), "-inf");
  EXPECT_EQ(given("float", "\"nan\""), "nan");
  EXPECT_EQ(given("str", "5"), "k is given 5, which is no str");
  EXPECT_EQ(given("str", "\"a\\nb\""), "a\nb");
  EXPECT_EQ(given("Scalar", "true"), "True");
  EXPECT_EQ(given("ScalarType", "6"), "Float");
  EXPECT_EQ(given("ScalarType", "\"long\""), "Long");
  EXPECT_EQ(given("ScalarType", "99"), "k is given 99, which is no ScalarType");
  EXPECT_EQ(given("MemoryFormat", "\"channels_last\""), "2");
  EXPECT_EQ(given("MemoryFormat", "4"), "k is given 4, which is no MemoryFormat");
  EXPECT_EQ(given("Device", "\"cpu\""),
            "k is given \"cpu\", which is no input, output or axis of d, and no Device");
}

TEST(OperatorBinding, ListsHaveTheirSizes) {
  EXPECT_EQ(given("int[]", "[1, 2]"), "[1 2]");
  EXPECT_EQ(given("int[]", "1"), "k is given 1, which is no int[]");
  EXPECT_EQ(given("int[2]", "3"), "[3 3]");
  EXPECT_EQ(given("int[2]", "[1, 2, 3]"), "k is given 3 values, and int[2] has 2");
  EXPECT_EQ(given("int[]", "[1, true]"), "k is given true, which is no int");
  EXPECT_EQ(given("Tensor?[]", "[\"x\", null]"), "[in0 None]");
  EXPECT_EQ(given("Tensor[]", "\"x\""), "the input x (a tensor of float32) of d is no Tensor[]");
}

TEST(OperatorBinding, WhatTheDefinitionHasFitsItsArgument) {
  EXPECT_EQ(given("int", "\"M\""), "axis M");
  EXPECT_EQ(given("bool", "\"M\""), "the axis M of d is no bool");
  EXPECT_EQ(given("int", "\"Z\""), "the axis Z (of no tensor) of d is no int");
  EXPECT_EQ(given("int", "\"i\""), "in1");
  EXPECT_EQ(given("float", "\"i\""), "in1");
  EXPECT_EQ(given("int", "\"f\""), "the input f (one float32) of d is no int");
  EXPECT_EQ(given("float", "\"b\""), "the input b (one bool) of d is no float");
  EXPECT_EQ(given("Tensor", "\"f\""), "the input f (one float32) of d is no Tensor");
  EXPECT_EQ(given("float", "\"x\""), "the input x (a tensor of float32) of d is no float");
}

TEST(OperatorBinding, DefaultsThatAreNames) {
  const auto of = [](const std::string& argument) {
    return bound(definition(x, out),
                 "f.out(Tensor x, " + argument + ", *, Tensor(a!) out) -> Tensor(a!)");
  };
  EXPECT_EQ(of("int reduction=Mean"), "in0, 1, out0");
  EXPECT_EQ(of("ScalarType? dtype=long"), "in0, Long, out0");
  EXPECT_EQ(of("MemoryFormat? format=contiguous_format"), "in0, 0, out0");
  EXPECT_EQ(of("int reduction=Most"),
            "the default Most of int reduction=Most is none that kbench knows: say it in "
            "op_arguments");
}

TEST(OperatorBinding, WhatTheDefinitionHasMustReachTheOperator) {
  EXPECT_EQ(bound(definition({"x:float32:M", "y:float32:M"}, out), unary_prototype),
            "ns::f.out has no argument for the input y");
  EXPECT_EQ(bound(definition(x, {"out:float32:M", "more:float32:M"}), unary_prototype),
            "ns::f.out has no argument for the output more");
  EXPECT_EQ(bound(definition(x, {}), unary_prototype), "d has no output for out");
  EXPECT_EQ(bound(definition(x, {"a:float32:M", "b:float32:M"}), "f(Tensor x) -> Tensor"),
            "ns::f returns 1 value, d has 2 outputs");
}

TEST(OperatorBinding, TheKeyOfTheCall) {
  const auto key = [](const Definition& definition, const std::string& text) {
    std::vector<std::string> problems;
    const auto binding = bind_operator(definition, schema(text), problems);
    EXPECT_TRUE(binding) << join(problems, "; ");
    const auto key = binding ? key_of(*binding, definition) : std::nullopt;
    return key ? key_text(*key) : "none";
  };
  EXPECT_EQ(key(definition({"x:float16:M,N"}, {"out:bfloat16:M"}), unary_prototype),
            "v1/5;0,1|15;0");
  EXPECT_EQ(key(definition({"x:float32:"}, {"out:float32:"}), unary_prototype), "v1/6;|6;");
  EXPECT_EQ(key(definition(x, out), "f.out(Tensor x, Tensor? w, *, Tensor(a!) out) -> Tensor(a!)"),
            "v1/6;0,1|-|6;0,1");
  EXPECT_EQ(key(definition({"x:int64:M", "y:float32:M"}, out, "{\"list\": [\"x\", \"y\"]}"),
                "f.out(Tensor[] list, *, Tensor(a!) out) -> Tensor(a!)"),
            "v1/4;0|6;0,1");
  EXPECT_EQ(key(definition({"x:float4_e2m1:M"}, out), unary_prototype),
            "none");  // PyTorch has no such type
}

TEST(OperatorBinding, TheFirstTagNamesTheOperator) {
  Definition one;
  one.tags = {"model:x", "operator:no"};
  EXPECT_EQ(linked_operator(one), std::nullopt);
  one.tags = {"model:x", "op:add.out", "op:mul"};
  EXPECT_EQ(linked_operator(one), "aten::add.out");
  EXPECT_TRUE(is_linked_to(one, "aten::add.out"));
  EXPECT_FALSE(is_linked_to(one, "aten::mul"));
}

}  // namespace
}  // namespace kbench

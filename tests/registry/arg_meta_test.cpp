// Tensors of a call, as the command line names them.
#include "kernels/registry/arg_meta.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "kernels/operators/parse.hpp"
#include "kernels/registry/derived_definition.hpp"
#include "kernels/registry/ignored_parameters.hpp"
#include "kernels/registry/kernel_key.hpp"
#include "registry/tensor_meta.hpp"

namespace kbench {
namespace {

const ops::Schema& schema() {
  static const ops::Schema one =
      *ops::parse_schema(
           "ns::f.out(Tensor x, Tensor? y, int k, Tensor[] z, *, Tensor(a!) out) -> Tensor(a!)")
           .schema;
  return one;
}

// Returns the key, or what is wrong.
std::string key_or_flaw(const std::string& text) {
  std::string why;
  const auto key = parse_meta(text, schema(), why);
  return key ? key_text(*key) : why;
}

TEST(MetaText, InAnyOrderWithBlanksAndNamesOfEitherKind) {
  EXPECT_EQ(key_or_flaw("x=Float[0,1],y=Half[0],z=Long[1,0],out=Double[]"),
            "v1/6;0,1|5;0|4;1,0|7;");
  EXPECT_EQ(key_or_flaw(" out=Double[], z = int64[1,0] ,x=float32[0,1],y=float16[0]"),
            "v1/6;0,1|5;0|4;1,0|7;");
}

TEST(MetaText, WhatIsNotGivenAndWhatIsOpen) {
  EXPECT_EQ(key_or_flaw("x=Float[0],z=Long[0],out=Float[0]"), "v1/6;0|-|4;0|6;0");
  EXPECT_EQ(key_or_flaw("x=Float[0],y=None,z=None,out=Float[0]"), "v1/6;0|-|-|6;0");
  EXPECT_EQ(key_or_flaw("x=Float[*],y=*[0,1],z=Long[0],out=*[*]"), "v1/6;*|*;0,1|4;0|*");
}

TEST(MetaText, AKeyIsTakenAsItIs) {
  EXPECT_EQ(key_or_flaw("v1/6;0|-|4;0|6;0"), "v1/6;0|-|4;0|6;0");
  EXPECT_EQ(key_or_flaw("v1/6;0|-|4;0|6;0|6;0"), "v1/6;0|-|4;0|6;0|6;0");  // names the output twice
  EXPECT_EQ(key_or_flaw("v1/6;0,x"), "\"x\" is no dimension");
  EXPECT_EQ(key_or_flaw("v1/99;0|-|4;0|6;0"), "99 is the number of no dtype");
  EXPECT_EQ(key_or_flaw("v1/6;0,0|-|4;0|6;0"), "[0,0] is not a permutation of 0 to 1");
  EXPECT_EQ(key_or_flaw("v1/6;0|6;0"), "ns::f.out has 4 tensors, the key 2");
}

TEST(MetaText, MistakesAreSaid) {
  struct Row {
    const char* text;
    const char* why;
  };
  const Row rows[] = {
      {"", "nothing is said of the tensor x: it has x, y, z, out"},
      {"k=Float[0]", "ns::f.out has no tensor \"k\": its tensors are x, y, z, out"},
      {"x", "ns::f.out has no tensor \"x\": its tensors are x, y, z, out"},
      {"x=Float", "\"Float\" has no dim order behind the dtype, as in Float[0,1]"},
      {"x=Float[0", "\"Float[0\" has no ] behind its dim order"},
      {"x=Float[0,z=Float[0]", "\"Float[0\" has no ] behind its dim order"},
      {"x=Float[0];z=Float[0]",
       "\";z=Float[0]\" stands behind a tensor, where a comma parts it from the next"},
      {"x=Flaot[0]", "unknown dtype \"Flaot\"; did you mean \"Float\"?"},
      {"x=Float[0,0]", "[0,0] is not a permutation of 0 to 1"},
      {"x=Float[a]", "\"a\" is no dimension"},
      {"x=Float[0],x=Float[0]", "the tensor x is given twice"},
      {"x=Float[0],out=Float[0]", "nothing is said of the tensor z: it has x, y, z, out"},
  };
  for (const Row& row : rows) EXPECT_EQ(key_or_flaw(row.text), row.why) << row.text;
}

}  // namespace

// Keys of kernels: ExecuTorch's text (the cases K1 to K6, K18 to K20 of the research notes).

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

// Names of Definitions with other dtypes.

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

// Parameters that a function does not read.

namespace {

Definition two_scalars() {
  Definition one;
  one.axes["n"] = AxisVar{};
  one.inputs["x"] = {.shape = std::vector<std::string>{"n"}, .dtype = DType::float32};
  one.inputs["window"] = {.shape = std::nullopt, .dtype = DType::int32};
  one.inputs["cap"] = {.shape = std::nullopt, .dtype = DType::float32};
  one.outputs["y"] = {.shape = std::vector<std::string>{"n"}, .dtype = DType::float32};
  return one;
}

std::string ignored(Language language, const std::string& file, const std::string& text) {
  Solution solution;
  solution.spec.language = language;
  solution.spec.entry_point = file + "::run";
  solution.sources = {{file, text}};
  std::vector<std::string> out;
  for (const IgnoredParameter& one : ignored_parameters(solution, two_scalars()))
    out.push_back(one.input + " (" + one.how + ")" +
                  (one.default_value ? " = " + *one.default_value : ""));
  return join(out, ", ");
}

std::string deleted_in_python(const std::string& head, const std::string& body) {
  return ignored(Language::python, "main.py",
                 "def run(x, " + head + "):\n    " + body + "\n    return x\n");
}

TEST(IgnoredParameters, OfPythonAreThoseThatAreDeletedUnread) {
  EXPECT_EQ(deleted_in_python("w=-1, c=0.0", "del w, c"), "window (del w) = -1, cap (del c) = 0.0");
  EXPECT_EQ(deleted_in_python("w, c=0.5", "del w; del c"), "window (del w), cap (del c) = 0.5");
  EXPECT_EQ(deleted_in_python("w=False, c=None", "pass"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "x = x + w\n    del w"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "if c:\n        del w"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "del w\n    print(f'{w}')"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "del w\n    locals()"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "# w\n    del w  # no longer"), "window (del w) = 1");
}

std::string unread_in_cpp(const std::string& parameters, const std::string& body,
                          const std::string& before = "") {
  return ignored(Language::cpp, "k.cpp",
                 before + "void f(kbench::Tensor x, " + parameters + ", kbench::Tensor y) {" +
                     body + "}\nKBENCH_EXPORT(run, f)\n");
}

TEST(IgnoredParameters, OfCppHaveNoNameOrNoWordOfIt) {
  EXPECT_EQ(unread_in_cpp("int64_t, double cap", "g(x, cap);"), "window (it has no name)");
  EXPECT_EQ(unread_in_cpp("[[maybe_unused]] int64_t w, double c", "g(x, c);"),
            "window (no word of the body is w)");
  EXPECT_EQ(unread_in_cpp("int64_t w, double c", "g(x, w, c);"), "");
  EXPECT_EQ(unread_in_cpp("int64_t w, double c", "G; g(x, c);", "#define G (void)w\n"), "");
  EXPECT_EQ(unread_in_cpp("int64_t w, double c", "\n#if A\ng(w);\n#endif\ng(x, c);"), "");
}

}  // namespace

}  // namespace kbench

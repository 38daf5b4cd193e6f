// Functions.h: the functions that choose a kernel, and their names.
#include "codegen/generated.hpp"
#include "kernels/codegen/operators.hpp"
#include "kernels/operators/parse.hpp"

namespace kbench {
namespace {

std::string functions(const std::string& yaml) { return generated(yaml).text("Functions.h"); }

const std::string unary = "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)";

TEST(Functions, WithADefaultAloneCallsIt) {
  const std::string text = functions(custom("ns::f.out" + unary, kernel("null", "a::f")));
  EXPECT_TRUE(has(
      text,
      "\nnamespace torch::executor::ns {\n\n// ns::f.out(Tensor x, *, Tensor(a!) out) -> "
      "Tensor(a!)\n"
      "inline ::kbench::kernels::Tensor& f_outf(::kbench::kernels::KernelRuntimeContext& context, "
      "const ::kbench::kernels::Tensor& x, ::kbench::kernels::Tensor& out) {\n"
      "  return ::a::native::f(context, x, out);\n}\n"))
      << text;
}

TEST(Functions, WithKeysLookInATable) {  // Y22
  const std::string text =
      functions(custom("ns::f.out" + unary, kernel("{x: [F, D], out: [F, D]}", "a::g") +
                                                kernel("{x: [L, \"*\"], out: [L, D]}", "a::h") +
                                                kernel("null", "a::f")));
  EXPECT_TRUE(has(
      text,
      "CaseTable<2, 2> table({\n"
      "      {{::kbench::kernels::in_order(6, 0, 1), ::kbench::kernels::in_order(6, 0, 1)}, 0},\n"
      "      {{::kbench::kernels::any_order(4), ::kbench::kernels::in_order(4, 0, 1)}, 1},\n"
      "  });\n"))
      << text;
  EXPECT_TRUE(
      has(text,
          "switch (table.find({::kbench::kernels::key_of(x), ::kbench::kernels::key_of(out)})) {\n"
          "    case 0:\n      return ::a::native::g(context, x, out);\n"))
      << text;
  EXPECT_TRUE(has(text, "  }\n  return ::a::native::f(context, x, out);\n}\n")) << text;
}

TEST(Functions, WithoutADefaultSayWhatThereIs) {  // Y23
  const std::string text =
      functions(custom("ns::f.out" + unary, kernel("{x: [F, D], out: [F, D]}", "a::g")));
  EXPECT_TRUE(
      has(text,
          "  ::kbench::kernels::fail(context, ::kbench::kernels::Error::OperatorMissing,\n"
          "      \"ns::f.out: no kernel for these tensors; there is one for Float[0,1], Float[0,1] "
          "(k.yaml:5)\");\n  return out;\n}\n"))
      << text;
}

TEST(Functions, WithoutADefaultReturnWhatTheyCan) {
  const auto ending = [](const std::string& schema, const std::string& meta) {
    const std::string text = functions(custom(schema, kernel(meta, "a::g")));
    const std::size_t at = text.find(")\");\n");
    return text.substr(at + 5, text.find("}\n", at) - at - 5);
  };
  EXPECT_EQ(ending("f(Tensor x) -> Tensor", "{x: [F, D]}"),
            "  return ::kbench::kernels::Nothing<::kbench::kernels::Tensor>::value();\n");
  EXPECT_EQ(ending("f_(Tensor(a!) self) -> Tensor(a!)", "{self: [F, D]}"), "  return self;\n");
  EXPECT_EQ(ending("f(Tensor x, Tensor(a!) y) -> ()", "{x: [F, D], y: [F, D]}"), "");
  EXPECT_EQ(ending("f.out(Tensor x, *, Tensor(a!) o, Tensor(b!) p) -> (Tensor(a!), Tensor(b!))",
                   "{x: [F, D], o: [F, D], p: [F, D]}"),
            "  return {o, p};\n");
}

TEST(Functions, OfTheSameParametersHaveNamesOfTheirOwn) {
  const std::string one = "(Tensor x, int k, *, Tensor(a!) out) -> Tensor(a!)";
  const std::string same = "(Tensor x, SymInt k, *, Tensor(a!) out) -> Tensor(a!)";
  const std::string other = "(Tensor x, float k, *, Tensor(a!) out) -> Tensor(a!)";
  const std::string text = functions(custom("ns::f.a_out" + one, kernel("null", "a::f")) +
                                     custom("ns::f.b_out" + same, kernel("null", "a::f")) +
                                     custom("ns::f.c_out" + other, kernel("null", "a::f")) +
                                     custom("other::f.b_out" + same, kernel("null", "a::f")));
  EXPECT_EQ(count(text, "& f_outf("), 3U) << text;
  EXPECT_EQ(count(text, "& f_outf_b_out("), 1U) << text;
}

TEST(Functions, AreCalledTheSameWhateverIsSelected) {
  const std::string yaml = custom("ns::c.d" + unary, kernel("null", "a::d")) +
                           custom("ns::c.e" + unary, kernel("null", "a::e"));
  OperatorSelection one;
  select(one, "ns::c.e", "default", "");
  EXPECT_TRUE(has(generated(yaml).text("Functions.h"), "& c_outf_e("));
  EXPECT_TRUE(has(generated(yaml, {}, &one).text("Functions.h"), "& c_outf_e("));
}

TEST(Functions, ResultsTellNoFunctionsApart) {
  const std::string text =
      functions(custom("ns::f(Tensor x, Tensor(a!) y) -> ()", kernel("null", "a::f")) +
                custom("ns::f.more(Tensor x, Tensor(a!) y) -> Tensor", kernel("null", "a::g")));
  EXPECT_EQ(count(text, "void f("), 1U) << text;
  EXPECT_EQ(count(text, "Tensor f_more("), 1U) << text;
}

TEST(Functions, AKernelReturnsOneThing) {
  const std::string one = custom("ns::f(Tensor x, Tensor(a!) out) -> ()", kernel("null", "a::k"));
  const std::string other =
      custom("ns::g.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
             kernel("null", "a::k") + kernel("{x: [F, D], out: [F, D]}", "a::m"));
  EXPECT_EQ(generated(one + other).messages, "10: a::k returns Tensor& here, and void for ns::f\n");
  EXPECT_EQ(generated(one + one.substr(0, 12) + "h" + one.substr(13)).messages, "");
}

TEST(Functions, WhatHasNoPlaceInThemIsLeftOutWithAWarning) {
  Diagnostics out;
  KernelLibrary library = read_kernel_library(
      {"k.yaml", custom("ns::f.out" + unary, kernel("null", "a::f") +
                                                 kernel("{x: [F, D], out: [F, D]}", "a::g") +
                                                 kernel("{x: [L, D], out: [L, D]}", "a::h"))},
      nullptr, out);
  auto& kernels = library.operators.at(0).kernels;
  kernels.at(1).backend = {"gpu", ""};
  kernels.at(2).conditions = {"M <= 64"};
  const auto operators = generated_operators(all_kernels({library}), out);
  ASSERT_EQ(out.items().size(), 2U);
  EXPECT_EQ(out.items()[0].message, "a::g is left out: it is for gpu");
  EXPECT_EQ(out.items()[1].message,
            "a::h is left out: generated code does not know the axes of its condition M <= 64");
  ASSERT_EQ(operators.size(), 1U);
  EXPECT_EQ(operators[0].kernels.size(), 1U);
}

TEST(Functions, AKernelForSomeProcessorsAsksForThem) {
  Diagnostics out;
  std::vector<KernelLibrary> libraries = {read_kernel_library(
      {"k.yaml", custom("ns::f.out" + unary,
                        kernel("null", "a::f") + kernel("{x: [F, D], out: [F, D]}", "a::g"))},
      nullptr, out)};
  libraries[0].operators.at(0).kernels.at(1).backend = {"cpu", "avx512"};
  std::string text;
  for (const GeneratedFile& file : generate({all_kernels(libraries), {}}, {}, out).files)
    text += file.text;
  EXPECT_TRUE(
      has(text,
          "::key_of(out)}, {KBENCH_CPU_SUPPORTS(\"avx512f\")})) {\n    case 0:\n      return "
          "::a::native::g(context, x, out);\n    default:\n      break;\n  }\n  return "
          "::a::native::f(context, x, out);\n"))
      << text;
  EXPECT_TRUE(has(text, "Error::Ok && KBENCH_CPU_SUPPORTS(\"avx512f\"))\n")) << text;
}

TEST(Functions, IdentifiersAreOfNoOtherOperator) {
  Diagnostics out;
  const KernelLibrary library =
      read_kernel_library({"k.yaml", custom("a_b::c.out" + unary, kernel("null", "a::f")) +
                                         custom("a::b_c.out" + unary, kernel("null", "a::f")) +
                                         custom("a::b.c_out" + unary, kernel("null", "a::f"))},
                          nullptr, out);
  std::string names;
  for (const auto& one : generated_operators(all_kernels({library}), out))
    names += one.identifier + " ";
  EXPECT_EQ(names, "a_b_c_out a_b_c_out_2 a_b_c_out_3 ");
}

TEST(Functions, WhatExecuTorchCanPass) {
  const auto can = [](const std::string& type) {
    return executorch_can_call(*ops::parse_schema("f(" + type + " x) -> Tensor").schema);
  };
  for (const char* type : {"Tensor", "Tensor?", "Tensor[]", "Tensor?[]", "Tensor[]?", "int[]",
                           "bool[2]", "float[]?", "Scalar", "str?", "ScalarType", "SymInt[]"})
    EXPECT_TRUE(can(type)) << type;
  for (const char* type : {"str[]", "Scalar[]", "int?[]", "int[][]", "ScalarType[]", "Tensor[][]"})
    EXPECT_FALSE(can(type)) << type;
}

TEST(QuotedInCpp, ShowsNoSignThatTurnsTheDirectionOfText) {
  EXPECT_EQ(quoted_in_cpp("a\u202e\"\n"), R"("a\342\200\256\"\012")");
  EXPECT_EQ(comment_in_cpp("\u2066\\"), R"(\342\201\246\\.)");
}

}  // namespace
}  // namespace kbench

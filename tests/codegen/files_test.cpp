// Names and contents of the generated files: the cases C1 to C14 of the research notes, in the form
// that kbench gives them. tests/codegen/compiles shows that they compile, tests/codegen/runs that
// they work.
#include "codegen/generated.hpp"

namespace kbench {
namespace {

constexpr const char* add =
    "aten::add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)";
constexpr const char* special = "{self: [F, D], other: [F, D], out: [F, D]}";

std::string both() {
  return custom(add, kernel("null", "a::add") + kernel(special, "a::add_float"));
}

TEST(Files, KernelsStandInTheirNamespaces) {  // C1
  const std::string text = generated(custom("one::f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
                                            kernel("null", "custom_1::f")) +
                                     custom("one::g.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
                                            kernel("null", "custom_2::g")) +
                                     custom("two::h.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
                                            kernel("null", "custom_1::h")))
                               .text("NativeFunctions.h");
  const std::string rest =
      "(::kbench::kernels::KernelRuntimeContext& context, const ::kbench::kernels::Tensor& x, "
      "::kbench::kernels::Tensor& out);\n";
  EXPECT_TRUE(has(text, "\nnamespace custom_1::native {\n::kbench::kernels::Tensor& f" + rest +
                            "::kbench::kernels::Tensor& h" + rest +
                            "}  // namespace custom_1::native\n"))
      << text;
  EXPECT_TRUE(has(text, "\nnamespace custom_2::native {\n::kbench::kernels::Tensor& g" + rest))
      << text;
  EXPECT_EQ(count(text, "namespace custom_1::native {"), 1U);
}

TEST(Files, EveryDeclarationBeginsWithTheContext) {  // C2
  const Generated made =
      generated(both() + custom("f(Tensor x) -> Tensor", kernel("null", "a::f")) +
                custom("g() -> Tensor", kernel("null", "a::g")));
  for (const char* name : {"NativeFunctions.h", "Functions.h"}) {
    const std::string text = made.text(name);
    EXPECT_EQ(count(text, "(::kbench::kernels::KernelRuntimeContext& context"),
              name[0] == 'N' ? 4U : 3U);
    EXPECT_EQ(count(text, "KernelRuntimeContext"), name[0] == 'N' ? 4U : 3U);
  }
}

TEST(Files, AKernelThatTwoKeysHaveIsDeclaredOnce) {
  const std::string text =
      generated(custom(add, kernel("null", "a::add") + kernel(special, "a::add")))
          .text("NativeFunctions.h");
  EXPECT_EQ(count(text, "Tensor& add("), 1U);
}

TEST(Files, OnlyASpecialisedKernelHasAKey) {  // C3, K19
  const std::string text = generated(both()).registration();
  EXPECT_TRUE(has(text,
                  "KBENCH_DEFAULT_KERNEL(\"aten::add.out\", &call_aten_add_out<&::a::native::add>, "
                  "\"k.yaml:5\", 0, 0, 1)"))
      << text;
  // The second key is ExecuTorch's, which names an output twice.
  EXPECT_TRUE(has(text,
                  "KBENCH_KERNEL(\"aten::add.out\", \"v1/6;0,1|6;0,1|6;0,1\", "
                  "\"v1/6;0,1|6;0,1|6;0,1|6;0,1\", &call_aten_add_out<&::a::native::add_float>, "
                  "\"k.yaml:6\", 0, 0, 0)"))
      << text;
}

TEST(Files, ExecuTorchsKeysHaveTensorsAloneThatAreGiven) {
  const std::string text =
      generated(
          custom("f.out(Tensor x, Tensor[] list, Tensor? maybe, *, Tensor(a!) o, Tensor(b!) p) -> "
                 "(Tensor(a!), Tensor(b!))",
                 kernel("{x: [F, D], list: [F, D], maybe: [L, D], o: [F, D], p: [L, D]}", "a::f")))
          .registration();
  EXPECT_TRUE(has(text, "\"v1/6;0,1|6;0,1|4;0,1|6;0,1|4;0,1\", \"v1/6;0,1|4;0,1|6;0,1|4;0,1\""))
      << text;
}

TEST(Files, WithABoundaryWhatAKernelThrowsIsAFailure) {  // C4
  CodegenOptions options;
  EXPECT_FALSE(has(generated(both(), options).registration(), "try {"));
  options.exception_boundary = true;
  const std::string text = generated(both(), options).registration();
  EXPECT_TRUE(
      has(text,
          "  try {\n  Function(context, arg0, arg1, arg2);\n  } catch (const std::exception& "
          "error) {\n    ::kbench::kernels::fail(context, "
          "::kbench::kernels::Error::Internal, \"Kernel threw an exception\");\n"))
      << text;
  EXPECT_TRUE(has(text, "\"Kernel threw an exception: %s\\n\", error.what()"));
  EXPECT_TRUE(has(text, "} catch (...) {"));
  EXPECT_TRUE(has(text, "#include <exception>"));
}

TEST(Files, AStackHasAPlaceForEachArgumentAndResult) {  // C5
  const auto places = [](const std::string& schema) {
    const std::string text = generated(custom(schema, kernel("null", "a::f"))).registration();
    const std::size_t at = text.find("check_stack(context, stack, ");
    return text.substr(at + 28, text.find(')', at) - at - 28);
  };
  EXPECT_EQ(places("f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"), "3");
  EXPECT_EQ(places("f.out(Tensor x, *, Tensor(a!) o, Tensor(b!) p) -> (Tensor(a!), Tensor(b!))"),
            "4");
  EXPECT_EQ(places("f.out(Tensor x, *, Tensor(a!)[] out) -> ()"), "3");
  EXPECT_EQ(places("f(Tensor x) -> Tensor"), "2");
  EXPECT_EQ(places("f(Tensor x) -> (Tensor, Tensor)"), "3");
  EXPECT_EQ(places("f() -> Tensor"), "1");
}

TEST(Files, OfNothingTheyAreEmpty) {  // C6, C7, C8
  const OperatorSelection none;
  const OperatorSelection other = selection_of({{"aten::mul.out", "default"}});
  OperatorSelection unrooted = selection_of({{"aten::add.out", "default"}});
  unrooted.operators["aten::add.out"].is_root_operator = false;
  for (const OperatorSelection& selection : {none, other, unrooted}) {
    const Generated made = generated(both(), {}, &selection);
    EXPECT_EQ(made.messages, "");
    EXPECT_TRUE(has(made.registration(), "Error register_all() {"));
    for (const GeneratedFile& file : made.files) {
      EXPECT_FALSE(has(file.text, "add")) << file.name;
      EXPECT_FALSE(has(file.text, "${")) << file.name;
      EXPECT_FALSE(has(file.text, "[] = {\n}")) << file.name;  // C++ has no arrays of nothing
    }
  }
}

TEST(Files, AKeyThatNothingServesIsAMistake) {  // C9
  const std::string only = custom(add, kernel(special, "a::add_float"));
  const auto wanted = selection_of({{"aten::add.out", "v1/4;0,1|4;0,1|4;0,1"}});
  EXPECT_EQ(generated(only, {}, &wanted).messages,
            "1: Missing kernel for the model: aten::add.out has none for Long[0,1], Long[0,1], "
            "Long[0,1], "
            "and no default\n");
}

TEST(Files, TheDefaultServesAKeyThatNoKernelHas) {  // C10
  const auto wanted = selection_of({{"aten::add.out", "v1/4;0,1|4;0,1|4;0,1"}});
  const std::string text = generated(both(), {}, &wanted).registration();
  EXPECT_EQ(count(text, "KBENCH_DEFAULT_KERNEL(\"aten::add.out\""), 1U);
  EXPECT_EQ(count(text, "KBENCH_KERNEL("), 0U);
}

TEST(Files, ResultsGoBehindTheArguments) {  // C11
  const auto text = [](const std::string& schema) {
    return generated(custom(schema, kernel("null", "a::f"))).registration();
  };
  EXPECT_TRUE(has(text("f(Tensor x) -> Tensor"),
                  "  *stack[1] = ::kbench::kernels::EValue(Function(context, arg0));\n"));
  EXPECT_TRUE(has(text("f(Tensor x) -> (Tensor, Tensor)"),
                  "  const auto results = Function(context, arg0);\n"
                  "  *stack[1] = ::kbench::kernels::EValue(std::get<0>(results));\n"
                  "  *stack[2] = ::kbench::kernels::EValue(std::get<1>(results));\n"));
  EXPECT_TRUE(has(text("f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"),
                  "\n  Function(context, arg0, arg1);\n}"));
  EXPECT_TRUE(has(text("f.out(Tensor x, *, Tensor(a!)[] out) -> ()"), "  stack[2] = stack[1];\n"));
}

TEST(Files, ThoseOfCustomOperatorsAreThereWhereThereAreSome) {  // C12
  constexpr const char* always =
      "NativeFunctions.h\nFunctions.h\nRegisterKernels.h\nRegisterCodegenUnboxedKernelsEverything."
      "cpp\n";
  EXPECT_EQ(generated(both()).names(),
            std::string(always) + "CustomOpsNativeFunctions.h\nselected_max_kernel_num.h\n");
  EXPECT_EQ(generated("[]").names(), std::string(always) + "selected_max_kernel_num.h\n");
}

TEST(Files, ByHandAFunctionRegisters) {  // C13
  CodegenOptions options;
  options.registration = Registration::manual;
  const Generated made = generated(both(), options);
  EXPECT_TRUE(has(made.names(), "RegisterKernelsEverything.cpp\n"));
  EXPECT_FALSE(has(made.names(), "RegisterCodegenUnboxedKernelsEverything.cpp\n"));
  EXPECT_TRUE(
      has(made.text("RegisterKernels.h"),
          "namespace torch::executor {\n::kbench::kernels::Error register_all_kernels();\n}"));
  EXPECT_TRUE(has(made.registration(), "::kbench::kernels::Error register_all_kernels() {\n"));
  EXPECT_FALSE(has(made.registration(), "registered = "));
  EXPECT_TRUE(has(generated(both()).registration(), "Error registered = register_all();"));
  options.library = "mylib";
  EXPECT_TRUE(has(generated(both(), options).registration(), "Error register_mylib_kernels() {\n"));
}

TEST(Files, AreTheSameEveryTime) {  // C14
  const Generated one = generated(both());
  const Generated other = generated(both());
  ASSERT_EQ(one.files.size(), other.files.size());
  for (std::size_t i = 0; i < one.files.size(); ++i) {
    EXPECT_EQ(one.files[i].name, other.files[i].name);
    EXPECT_EQ(one.files[i].text, other.files[i].text);
  }
}

}  // namespace
}  // namespace kbench

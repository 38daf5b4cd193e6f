// Files of an operator library of PyTorch, as text. tests/codegen/torch_library compiles and calls
// them.
#include <gtest/gtest.h>

#include "kernels/codegen/codegen.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"

namespace kbench {
namespace {

struct TorchFiles {
  std::vector<GeneratedFile> files;
  std::string messages;  // one a line

  std::string names() const {
    std::string all;
    for (const GeneratedFile& file : files) all += file.name + "\n";
    return all;
  }
  bool has(const std::string& name, const std::string& part) const {
    for (const GeneratedFile& file : files) {
      if (file.name == name) return file.text.find(part) != std::string::npos;
    }
    return false;
  }
};

TorchFiles made(const std::string& yaml, const std::vector<const Definition*>& definitions = {}) {
  const Source known = {"native_functions.yaml",
                        "- func: relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"};
  const ops::Catalogue catalogue(known);
  Diagnostics out;
  const std::vector<KernelLibrary> libraries = {
      read_kernel_library({"k.yaml", yaml}, &catalogue, out)};
  EXPECT_EQ(out.errors(), 0U) << yaml;
  CodegenOptions options;
  options.target = "torch";
  options.library = "mine";
  TorchFiles made;
  made.files = generate({all_kernels(libraries), {}, definitions}, options, out).files;
  for (const Diagnostic& one : out.items())
    made.messages += std::to_string(one.where.line) + ": " + one.message + "\n";
  return made;
}

std::string custom_operator(const std::string& schema) {
  return "- func: " + schema + "\n  kernels:\n    - {arg_meta: null, kernel_name: a::f}\n";
}

// y[n, m] of x[n, k]; the operator is given m, or it is 7.
Definition definition(const std::vector<std::string>& output) {
  Definition one;
  one.name = "cut";
  one.tags = {"op:own::cut.out"};
  AxisConst seven;
  seven.value = 7;
  one.axes.items = {{"n", AxisVar()}, {"k", AxisVar()}, {"m", seven}};
  TensorSpec x, y;
  x.shape = {"n", "k"};
  y.shape = output;
  one.inputs.items = {{"x", x}};
  one.outputs.items = {{"out", y}};
  return one;
}

TEST(TorchLibrary, OperatorsOfAtenAreDefinedInTheLibrarysNamespace) {
  const TorchFiles files =
      made("- op: relu.out\n  kernels:\n    - {arg_meta: null, kernel_name: a::relu_out}\n" +
           custom_operator("own::f.out(Tensor x, str s='a', *, Tensor(a!) out) -> Tensor(a!)"));
  EXPECT_EQ(files.names(),
            "NativeFunctions.h\nFunctions.h\nRegisterSchema.cpp\nRegisterCPU.cpp\n"
            "RegisterMeta.cpp\n");
  EXPECT_TRUE(files.has("RegisterSchema.cpp",
                        "TORCH_LIBRARY_FRAGMENT(mine, m) {\n  m.def(\"relu.out(Tensor self, *, "
                        "Tensor(a!) out) -> Tensor(a!)\", tags_of(Kind::out));\n}"));
  EXPECT_TRUE(
      files.has("RegisterSchema.cpp", "TORCH_LIBRARY_FRAGMENT(own, m) {\n  m.def(\"f.out("));
  EXPECT_TRUE(files.has("RegisterCPU.cpp", "TORCH_LIBRARY_IMPL(mine, CPU, m)"));
  EXPECT_TRUE(files.has("RegisterCPU.cpp", "::torch::executor::aten::relu_outf(call.context(), "));
  EXPECT_TRUE(files.has("RegisterMeta.cpp", "infer_by_aten(op, stack);"));
  EXPECT_FALSE(files.has("RegisterSchema.cpp", "aten"));
  EXPECT_EQ(files.messages, "");
}

TEST(TorchLibrary, WhatIsWrittenIsWrittenBack) {
  const TorchFiles files =
      made(custom_operator("own::f(Tensor(b!) cache, Tensor x, *, Tensor(a!) out) -> Tensor(a!)") +
           custom_operator("own::g_(Tensor(a!) self, int[] k) -> Tensor(a!)"));
  EXPECT_TRUE(files.has("RegisterCPU.cpp",
                        "arg0({call, 0, Role::in_place});\n"
                        "  Held<::kbench::kernels::Tensor> arg1({call, 1, Role::input});\n"
                        "  Held<::kbench::kernels::Tensor> arg2({call, 2, Role::output});\n"));
  EXPECT_TRUE(files.has("RegisterCPU.cpp",
                        "  arg0.write_back();\n  arg2.write_back();\n  call.give({2});\n"));
  EXPECT_TRUE(files.has("RegisterCPU.cpp", "  arg0.write_back();\n  call.give({0});\n"));
  // An output that is only written is told apart from what is read, too.
  EXPECT_TRUE(files.has("RegisterSchema.cpp",
                        "m.def(\"f(Tensor(b!) cache, Tensor x, *, Tensor(a!) "
                        "out) -> Tensor(a!)\", tags_of(Kind::other))"));
  EXPECT_TRUE(files.has("RegisterSchema.cpp", "tags_of(Kind::in_place)"));
  EXPECT_TRUE(files.has("RegisterMeta.cpp", "keep_sizes(op, stack, {0});"));
}

TEST(TorchLibrary, WhatPyTorchCannotHaveIsLeftOut) {
  const std::string rest = ", *, Tensor(a!) out) -> Tensor(a!)";
  const TorchFiles files =
      made(custom_operator("own::a(Tensor x) -> Tensor") +
           custom_operator("own::b(Tensor x, int[2][] k" + rest) +
           custom_operator("own::c(Tensor x, float f=-inf" + rest) +
           custom_operator("own::d(Tensor x, float f=1e-05, int[2]? k=1" + rest));
  EXPECT_EQ(files.messages,
            "3: a::f is left out: own::a returns what is none of its arguments\n"
            "6: a::f is left out: own::b: PyTorch does not read int[2][] of k\n"
            "9: a::f is left out: own::c: PyTorch does not read the default -inf of f\n");
  EXPECT_TRUE(files.has("RegisterSchema.cpp", "m.def(\"d("));
  EXPECT_FALSE(files.has("RegisterSchema.cpp", "m.def(\"a("));
}

TEST(TorchLibrary, KernelsForAGpuHaveFilesOfTheirOwn) {
  const TorchFiles both = made("- op: relu.out\n  dispatch: {CPU: a::on_cpu, CUDA: a::on_gpu}\n");
  EXPECT_TRUE(both.has("RegisterCUDA.cpp", "TORCH_LIBRARY_IMPL(mine, CUDA, m)"));
  EXPECT_TRUE(both.has("RegisterCUDA.cpp", "::torch::executor_cuda::aten::relu_outf("));
  EXPECT_TRUE(both.has("CUDAFunctions.h", "::a::native::on_gpu(context"));
  EXPECT_FALSE(both.has("Functions.h", "on_gpu"));
  EXPECT_FALSE(both.has("CUDAFunctions.h", "on_cpu"));
  EXPECT_EQ(both.messages, "");
  const TorchFiles gpu = made("- op: relu.out\n  dispatch: {CUDA: a::on_gpu}\n");
  EXPECT_EQ(gpu.names(),
            "CUDANativeFunctions.h\nCUDAFunctions.h\nRegisterSchema.cpp\nRegisterCUDA.cpp\n"
            "RegisterMeta.cpp\n");
}

TEST(TorchLibrary, SizesAreThoseOfTheLinkedDefinition) {
  const std::string yaml =
      custom_operator("own::cut.out(Tensor x, int m=1, *, Tensor(a!) out) -> Tensor(a!)");
  Definition cut = definition({"n", "m"});
  EXPECT_TRUE(made(yaml, {&cut})
                  .has("RegisterMeta.cpp",
                       "      {\"cut\",\n       {-1, -1, 7},\n       {{0, -1, {0, 1}}},\n"
                       "       {},\n       {{1, std::vector<int64_t>{1}}},\n"
                       "       {{2, -1, {0, 2}}}},\n"));
  cut.op_arguments = RawJson{"{\"m\": \"m\"}"};  // the length is what the call says
  EXPECT_TRUE(made(yaml, {&cut}).has("RegisterMeta.cpp", "       {{1, 2}},\n"));
  cut.tags = {"op:own::other.out"};
  EXPECT_FALSE(made(yaml, {&cut}).has("RegisterMeta.cpp", "\"cut\""));
  cut.tags = {"op:own::cut.out"};
  cut.inputs.items.push_back({"w", cut.inputs.items[0].second});
  const TorchFiles unfit = made(yaml, {&cut});
  EXPECT_EQ(unfit.messages,
            "0: gives no sizes of own::cut.out: own::cut.out has no argument for the input w\n");
  EXPECT_FALSE(unfit.has("RegisterMeta.cpp", "\"cut\""));
}

TEST(TorchLibrary, TwoOperatorsWithOneNameAreAnError) {
  const TorchFiles files =
      made("- op: relu.out\n  kernels:\n    - {arg_meta: null, kernel_name: a::relu_out}\n" +
           custom_operator("mine::relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"));
  EXPECT_EQ(files.messages, "4: aten::relu.out and mine::relu.out would both be mine::relu.out\n");
}

}  // namespace
}  // namespace kbench

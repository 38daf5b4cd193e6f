// Entries of a kernel yaml: the cases Y1 to Y33 of the research notes that
// read_kernel_yaml_test.cpp does not have, and the rest of et §1.
#include <gtest/gtest.h>

#include "kernels/registry/read_kernel_yaml.hpp"
#include "support/said.hpp"

namespace kbench {
namespace {

using ReadEntries = ReadText<KernelLibrary>;

ReadEntries read_entries(const std::string& text, const ops::Catalogue* catalogue = nullptr) {
  Diagnostics out;
  return {read_kernel_library({"k.yaml", text}, catalogue, out), text_of(out, Tell::level)};
}

// Returns the keys of the only operator, one a line.
std::string keys_of(const ReadEntries& read) {
  std::string out = read.messages;
  for (const Kernel& kernel : read.value.operators.at(0).kernels) {
    if (kernel.is_default) out += "default\n";
    for (const KernelKey& key : kernel.keys) out += key_text(key) + "\n";
  }
  return out;
}

const std::string binary_entry =
    "- func: add.out(Tensor self, Tensor? other, Tensor[] more, *, Scalar alpha=1, Tensor(a!) out) "
    "-> Tensor(a!)\n";

std::string with(const std::string& aliases, const std::string& meta) {
  return binary_entry + aliases + "  kernels:\n    - {arg_meta: " + meta + ", kernel_name: a::f}\n";
}

constexpr const char* usual_aliases =
    "  type_alias: {T0: [Float], T1: [Int]}\n  dim_order_alias: {D0: [0, 1, 2, 3]}\n";

TEST(KernelEntries, OfTheOneSchemaInTheFile) {  // Y5
  const ReadEntries r = read_entries(
      "- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> "
      "Tensor(a!)\n"
      "  type_alias: {T0: [Double]}\n  dim_order_alias: {D0: [0, 1, 2, 3]}\n  kernels:\n"
      "    - {arg_meta: {self: [T0, D0], other: [T0, D0], out: [T0, D0]}, kernel_name: a::f}\n");
  EXPECT_EQ(keys_of(r), "v1/7;0,1,2,3|7;0,1,2,3|7;0,1,2,3\n");
  EXPECT_TRUE(r.value.operators[0].is_custom);
}

TEST(KernelEntries, OfAWrongSchemaAreCheckedAsFarAsTheyCanBe) {
  const ReadEntries r = read_entries(
      "- func: add.out(Tensr self, *, Tensor(a!) out) -> Tensor(a!)\n"
      "  type_alias: {T0: [Flot]}\n"
      "  kernels:\n"
      "    - {arg_meta: {self: [T0, D0]}, kernel_name: a::f}\n"
      "    - {arg_meta: null, kernel_name: a::b::c::d::f}\n"
      "    - {kernel_name: a-b, kernel: a::g}\n");
  EXPECT_TRUE(r.value.operators.empty());
  for (const char* const line : {"1:", "2:", "5:", "6:"})
    EXPECT_NE(("\n" + r.messages).find(std::string("\n") + line), std::string::npos) << line << "\n"
                                                                                     << r.messages;
}

TEST(KernelEntries, OneKeyThatTwoAliasesGiveIsADuplicate) {  // Y7
  const std::string all = "{self: [T0, D0], more: [T0, D0], out: [T0, D0]}, kernel_name: a::f}\n";
  const std::string other = "{self: [T1, D0], more: [T1, D0], out: [T1, D0]}, kernel_name: a::f}\n";
  const ReadEntries r = read_entries(
      binary_entry +
      "  type_alias: {T0: [Float, Double], T1: [Double, Int]}\n  dim_order_alias: {D0: [0]}\n"
      "  kernels:\n    - {arg_meta: " +
      all + "    - {arg_meta: " + other);
  EXPECT_EQ(r.messages,
            "6:7: Duplicate kernel key: Double[0], *[*], Double[0], Double[0] (the other kernel: "
            "k.yaml:5)\n");
}

TEST(KernelEntries, ValuesWithoutAliasesAreTakenWithAWarning) {  // Y10 D
  EXPECT_EQ(keys_of(read_entries(with(
                "", "{self: [Float, [0, 1]], more: [\"*\", [1, 0]], out: [BFloat16, \"*\"]}"))),
            "3:26: warning: 'Float' is no alias: ExecuTorch's tools take aliases alone\n"
            "3:33: warning: [0,1] is no alias: ExecuTorch's tools take aliases alone\n"
            "3:54: warning: [1,0] is no alias: ExecuTorch's tools take aliases alone\n"
            "3:69: warning: 'BFloat16' is no alias: ExecuTorch's tools take aliases alone\n"
            "v1/6;0,1|*|*;1,0|15;*\n");
}

TEST(KernelEntries, TensorsThatMayBeAbsentNeedNotBeNamed) {  // Y26
  EXPECT_EQ(
      keys_of(read_entries(with(usual_aliases, "{self: [T0, D0], more: [T0, D0], out: [T0, D0]}"))),
      "v1/6;0,1,2,3|*|6;0,1,2,3|6;0,1,2,3\n");
  EXPECT_EQ(read_entries(with(usual_aliases, "{self: [T0, D0], other: [T0, D0]}")).messages,
            "5:18: arg_meta does not name the tensor more, out (its tensors are self, other, more, "
            "out)\n");
}

TEST(KernelEntries, MetasOfAnotherForm) {
  struct Row {
    const char* meta;
    const char* message;
  };
  const Row rows[] = {
      {"{self: [T0]}", "self must be given a type and a dim order (as in self: [T0, D0])"},
      {"{self: T0}", "self must be given a type and a dim order (as in self: [T0, D0])"},
      {"{self: [T0, D0, D0]}", "self must be given a type and a dim order (as in self: [T0, D0])"},
      {"{self: [T0, D0, 1]}", "self must be given a type and a dim order (as in self: [T0, D0])"},
      {"[T0]",
       "arg_meta must name the tensors that the kernel takes (null for a kernel that takes any; "
       "its tensors "
       "are self, other, more, out)"},
      {"{self: [3, D0]}", "Undefined type alias: 3 (type_alias has T0, T1)"},
      {"{self: [T0, [0, 2]]}", "[0,2] is not a permutation of 0 to 1"},
      {"{self: [T0, [0, a]]}", "'a' is no dimension"},
  };
  for (const Row& row : rows)
    EXPECT_NE(read_entries(with(usual_aliases, row.meta)).messages.find(row.message),
              std::string::npos)
        << row.meta << "\n"
        << read_entries(with(usual_aliases, row.meta)).messages;
}

TEST(KernelEntries, AliasesOfAnotherForm) {
  struct Row {
    const char* aliases;
    const char* messages;
  };
  const Row rows[] = {
      {"  type_alias: [Float]\n", "2:15: type_alias must be a map from names to lists\n"},
      {"  type_alias: {T0: []}\n",
       "2:20: the types of T0 must be a list with at least one (as in [Float, Double])\n"},
      {"  dim_order_alias: {D0: 3}\n",
       "2:25: a dim order must be a list of dimensions (as in [0, 1, 2, 3])\n"},
      {"  dim_order_alias: {D0: [0, 100]}\n",
       "2:25: [0,100] is not a permutation of 0 to 1 (the dimensions from the outermost in memory "
       "to the "
       "innermost)\n"},
      {"  dim_order_alias: {D0: [[0], 1]}\n",
       "2:31: a dim order must be a list of dimensions (as in [0, 1, 2, 3])\n"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(read_entries(with(row.aliases, "null")).messages, row.messages) << row.aliases;
}

TEST(KernelEntries, WhatIsNoEntry) {
  struct Row {
    const char* yaml;
    const char* messages;
  };
  const Row rows[] = {
      {"- add.out\n", "1:3: an entry must be a map with op or func, and kernels\n"},
      {"- kernels: []\n",
       "1:3: an entry must have op or func (\"op: add.out\", or \"func: \" and a schema)\n"},
      {"- func: 3\n", "1:9: func must be the schema of an operator\n"},
      {"- op: 3\n", "1:7: op must be the name of an operator\n"},
      {"- op: add.out\n",
       "1:7: the schema of add.out is not known: there is no native_functions.yaml (it comes with "
       "torch: set KBENCH_TORCH to a virtual environment that has it (kbench doctor --setup says "
       "how to make one), or write the schema under func)\n"},
      {"- func: f(Tensor x) -> Tensor\n  kernels: 3\n", "2:12: kernels must be a list\n"},
      {"- func: f(Tensor x) -> Tensor\n  kernels: [a::f]\n",
       "2:13: a kernel must be a map with arg_meta and kernel_name\n"},
      {"- func: f(Tensor x) -> Tensor\n  kernels: [{arg_meta: null}]\n",
       "2:13: kernel_name must name a function (as in torch::executor::add_out)\n"},
      {"- func: f(Tensor x) -> Tensor\n  kernels: [{kernel_name: \"a::for\"}]\n",
       "2:27: \"a::for\" is no name of a function of C++\n"},
      {"- func: f(Tensor x) -> Tensor\n  dispatch: f\n",
       "2:13: dispatch must be a map from backends to functions\n"},
      {"- func: f(Tensor x)-> Tensor\n",
       "1:20: blanks that torchgen does not take (here stands \" -> \")\n"},
      {"- func: f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\n  variants: function, method\n",
       "2:13: Native functions with out arguments MUST be declared with only function variant; "
       "e.g., variants: "
       "function\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(read_entries(row.yaml).messages, row.messages) << row.yaml;
}

TEST(KernelEntries, KeysThatTorchgenTakesAreTaken) {
  EXPECT_EQ(read_entries(
                "- func: f(Tensor x) -> Tensor\n  variants: function\n  tags: zzz\n  structured: "
                "True\n  autogen: "
                "f.out\n  device_check: NoCheck\n  kernels:\n    - {kernel_name: f, note: 1}\n")
                .messages,
            "8:24: warning: unknown key \"note\" of a kernel\n");
}

TEST(KernelEntries, ASlipOfAKeyMakesNoDefaultOfASpecialKernel) {
  const auto read_entry = read_entries(
      "- func: f(Tensor x) -> Tensor\n  kernels:\n"
      "    - {argmeta: {x: [F, D]}, kernel_name: a::f}\n");
  EXPECT_EQ(read_entry.messages,
            "3:8: unknown key \"argmeta\" of a kernel (did you mean \"arg_meta\"?)\n");
}

TEST(KernelEntries, TagsAreThoseThatPyTorchHas) {
  const ops::Catalogue catalogue({"native_functions.yaml", "- func: relu(Tensor self) -> Tensor\n"},
                                 {"tags.yaml", "- tag: core\n- tag: pointwise\n"});
  EXPECT_EQ(read_entries("- op: relu\n  tags: [core, cor]\n", &catalogue).messages,
            "2:16: illegal tag 'cor' (did you mean \"core\"?)\n");
  EXPECT_EQ(read_entries("- op: relu\n  tags: pointwise\n", &catalogue).messages, "");
  EXPECT_EQ(read_entries("- op: my::relu\n", &catalogue).messages,
            "1:7: unknown operator my::relu (op is for those of PyTorch (aten); a custom operator "
            "has its schema under "
            "func)\n");
}

TEST(KernelEntries, APyTorchOperatorThatNoKernelCanHave) {
  const ops::Catalogue catalogue(
      {"native_functions.yaml", "- func: f(Tensor x, Layout y) -> Tensor\n"});
  EXPECT_EQ(read_entries("- op: f\n", &catalogue).messages.substr(0, 52),
            "1:7: f: no kernel can be given the type Layout (Tens");
}

TEST(KernelEntries, EachBackendOfADispatchHasADefault) {  // Y32
  const ReadEntries r =
      read_entries("- func: f(Tensor x) -> Tensor\n  dispatch:\n    CPU, CUDA: my::f\n");
  ASSERT_EQ(r.value.operators.size(), 1U);
  ASSERT_EQ(r.value.operators[0].kernels.size(), 2U);
  EXPECT_EQ(text(r.value.operators[0].kernels[0].backend), "cpu");
  EXPECT_EQ(text(r.value.operators[0].kernels[1].backend), "gpu");
  EXPECT_EQ(read_entries("- func: f(Tensor x) -> Tensor\n  dispatch: {CPU: f, Meta: g}\n").messages,
            "2:28: Duplicate kernel key: default (the other kernel: k.yaml:2)\n");
}

TEST(KernelEntries, TooManyKeysAreRefused) {
  const std::string types =
      "[Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16, UInt16]";
  const std::string all =
      "  type_alias: {A: " + types + ", B: " + types + ", C: " + types + ", D: " + types + "}\n";
  EXPECT_EQ(read_entries(with(all + "  dim_order_alias: {O: [0]}\n",
                              "{self: [A, O], other: [B, O], more: [C, O], out: [D, O]}"))
                .messages,
            "5:18: this stands for more than 10000 keys\n");
}

}  // namespace
}  // namespace kbench

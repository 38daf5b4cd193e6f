// Kernel yaml: what ExecuTorch's tools make of it, and where kbench differs on purpose (the cases
// Y1 to Y33 of the research notes).
#include "kernels/registry/read_kernel_yaml.hpp"

#include <gtest/gtest.h>

#include "kernels/registry/kernel_key.hpp"
#include "support/said.hpp"

namespace kbench {
namespace {

// The part of native_functions.yaml that the cases name.
const ops::Catalogue& small_catalogue() {
  static const ops::Catalogue known(
      Source{"native_functions.yaml",
             "- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
             "- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> "
             "Tensor(a!)\n"
             "- func: mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n"
             "- func: channel_shuffle(Tensor self, SymInt groups) -> Tensor\n"
             "  autogen: channel_shuffle.out\n"});
  return known;
}

using ReadLibrary = ReadText<KernelLibrary>;

ReadLibrary read_with_catalogue(const std::string& text) {
  Diagnostics out;
  return {read_kernel_library({"k.yaml", text}, &small_catalogue(), out),
          text_of(out, Tell::level)};
}

// Returns "aten::add.out default mylib::native::add_out", a line for each key.
std::string kernels_of(const ReadLibrary& read) {
  std::string out;
  for (const OperatorEntry& entry : read.value.operators) {
    for (const Kernel& kernel : entry.kernels) {
      const std::string end = " " + kernel.symbol + "\n";
      if (kernel.is_default) out += ops::full_name(entry.schema.name) + " default" + end;
      for (const KernelKey& key : kernel.keys)
        out += ops::full_name(entry.schema.name) + " " + key_text(key) + end;
    }
  }
  return out;
}

constexpr const char* k0 =
    "  kernels:\n    - arg_meta: null\n      kernel_name: torch::executor::add_out\n";
constexpr const char* two_aliases =
    "  type_alias:\n    T0: [Float, Double]\n    T1: [Double, Int]\n"
    "  dim_order_alias:\n    D0: [0, 1, 2, 3]\n    D1: [0, 3, 2, 1]\n";

std::string op_entry(const std::string& op, const std::string& rest) {
  return "- op: " + op + "\n" + rest;
}

// One specialised kernel of add.out.
std::string special_entry(const std::string& arg_meta, const std::string& before = two_aliases) {
  return op_entry("add.out", before + "  kernels:\n    - arg_meta: " + arg_meta +
                                 "\n      kernel_name: a::f\n");
}

TEST(KernelLibrary, OfTwoKeysNoneIsLost) {
  EXPECT_EQ(read_with_catalogue(op_entry("add.out", std::string(k0) + "  kernels: []\n")).messages,
            "5:3: key \"kernels\" is given twice\n5:12: warning: aten::add.out has no kernels: "
            "nothing is registered for it\n");
  EXPECT_EQ(read_with_catalogue(op_entry("add.out", std::string("  op: mul.out\n") + k0)).messages,
            "2:3: key \"op\" is given twice\n");
}

TEST(KernelLibrary, AnEmptyEntryIsSaidWhereItsDashIs) {
  const std::string message = ":1: an entry must be a map with op or func, and kernels\n";
  EXPECT_EQ(read_with_catalogue("- op: mul.out\n-\n# a - b\n\n- op: add.out\n").messages,
            "2" + message);
  EXPECT_EQ(read_with_catalogue("- op: mul.out\n- # nothing\n").messages, "2" + message);
  EXPECT_EQ(read_with_catalogue("-").messages, "1" + message);
}

TEST(KernelLibrary, AKernelForAnyTensors) {
  const std::string expected = "aten::add.out default torch::executor::native::add_out\n";
  for (const char* name : {"add.out", "aten::add.out"}) {  // Y1, Y2
    const ReadLibrary r = read_with_catalogue(op_entry(name, k0));
    EXPECT_EQ(r.messages, "");
    EXPECT_EQ(kernels_of(r), expected);
  }
}

TEST(KernelLibrary, AKeyForEachCombinationOfTheAliasesThatAreUsed) {  // Y3, Y4
  const std::string specialised =
      "    - arg_meta: {self: [T0, D0], other: [T0, D0], out: [T0, D0]}\n"
      "      kernel_name: torch::executor::add_out\n"
      "    - arg_meta: {self: [T1, D0], other: [T1, D1], out: [T0, D1]}\n"
      "      kernel_name: torch::executor::add_out\n";
  const ReadLibrary r =
      read_with_catalogue(op_entry("add.out", std::string(two_aliases) + k0 + specialised));
  EXPECT_EQ(r.messages, "");
  ASSERT_EQ(r.value.operators.size(), 1U);
  ASSERT_EQ(r.value.operators[0].kernels.size(), 3U);
  EXPECT_EQ(r.value.operators[0].kernels[1].keys.size(), 2U);
  EXPECT_EQ(r.value.operators[0].kernels[2].keys.size(), 4U);
}

TEST(KernelLibrary, KeysNameTheTensorsInTheOrderOfTheSchema) {  // Y5, Y27
  const std::string expected = "aten::add.out v1/7;0,1|6;0,1|5;0,1 a::native::f\n";
  const std::string some =
      "  type_alias: {T0: [Double], T1: [Float], T2: [Half]}\n  dim_order_alias: {D0: [0, 1]}\n";
  EXPECT_EQ(kernels_of(read_with_catalogue(
                special_entry("{self: [T0, D0], other: [T1, D0], out: [T2, D0]}", some))),
            expected);
  EXPECT_EQ(kernels_of(read_with_catalogue(
                special_entry("{out: [T2, D0], other: [T1, D0], self: [T0, D0]}", some))),
            expected);
}

TEST(KernelLibrary, BothFormsOfDimOrders) {  // Y21, Y24, Y25
  const auto one = [](const std::string& dims, const std::string& type) {
    return kernels_of(read_with_catalogue(special_entry(
        "{self: [T0, D0], other: [T0, D0], out: [T0, D0]}",
        "  type_alias: {T0: [" + type + "]}\n  dim_order_alias: {D0: " + dims + "}\n")));
  };
  EXPECT_EQ(one("[0, 1, 2, 3]", "Float"), one("[[0, 1, 2, 3]]", "Float"));
  EXPECT_EQ(one("[[0,1],[1,0]]", "Float"),
            "aten::add.out v1/6;0,1|6;0,1|6;0,1 a::native::f\n"
            "aten::add.out v1/6;1,0|6;1,0|6;1,0 a::native::f\n");
  EXPECT_EQ(one("[0]", "Half"), "aten::add.out v1/5;0|5;0|5;0 a::native::f\n");
  EXPECT_EQ(one("[]", "BFloat16"), "aten::add.out v1/15;|15;|15; a::native::f\n");
  EXPECT_EQ(one("[\"0\", \"1\"]", "Float8_e4m3fn"),
            "aten::add.out v1/24;0,1|24;0,1|24;0,1 a::native::f\n");
}

struct Case {
  std::string yaml;
  std::string messages;
};

TEST(KernelLibrary, MistakesAreSaidWhereTheyStand) {
  const std::string all = "{self: [T0, D0], other: [T0, D0], out: [T0, D0]}";
  const auto kernel = [](const std::string& name) {
    return op_entry("add.out", "  kernels:\n    - {arg_meta: null, kernel_name: " + name + "}\n");
  };
  const Case cases[] = {
      // Y6
      {op_entry("add.out", std::string(k0) + "    - kernel_name: a::f\n"),
       "5:7: Duplicate kernel key: default (the other kernel: k.yaml:3)\n"},
      // Y8
      {special_entry(all, "  type_alias: {T0: [Float, Float]}\n  dim_order_alias: {D0: [0]}\n"),
       "5:7: Duplicate kernel key: Float[0], Float[0], Float[0] (the other kernel: k.yaml:5)\n"},
      // Y9, Y11
      {special_entry("{self: [T9, D0], other: [T0, D9], out: [T0, D0]}"),
       "9:25: Undefined type alias: T9 (did you mean \"T0\"?)\n"
       "9:46: Undefined dim_order alias: D9 (did you mean \"D0\"?)\n"},
      // Y12
      {op_entry("add.out", k0) + op_entry("aten::add.out", k0),
       "5:3: Duplicate func found in yaml: add.out already (the other entry: k.yaml:1)\n"},
      // Y14
      {kernel("a::b::c::d::add_out"),
       "3:37: Codegen doesn't support more than 3 level(s) of custom namespace. Got "
       "a::b::c::d.\n"},
      {kernel("add-out()"), "3:37: \"add-out()\" is no name of a function of C++\n"},
      // Y16, Y17
      {op_entry("add.out", std::string(k0) + "  bogus: 3\n"), "5:3: leftover entries: bogus\n"},
      {"- func: f(Tensor x) -> Tensor\n  op: add.out\n",
       "2:3: leftover entries: op (an entry has op or func, not both)\n"},
      // Y18
      {op_entry("add", k0), "1:7: unknown operator add (its overloads are add.Tensor, add.out)\n"},
      {op_entry("mol.out", k0), "1:7: unknown operator mol.out (did you mean \"mul.out\"?)\n"},
      // Y26
      {special_entry("{self: [T0, D0], other: [T0, D0], banana: [T0, D0]}"),
       "9:51: the operator has no tensor \"banana\" (its tensors are self, other, out)\n"
       "9:17: arg_meta does not name the tensor out (its tensors are self, other, out)\n"},
      {special_entry("{self: [T0, D0], other: [T0, D0], out: [T0, D0], alpha: [T0, D0]}"),
       "9:66: the operator has no tensor \"alpha\" (its tensors are self, other, out)\n"},
      // Y28
      {special_entry(all, "  type_alias: {T0: [Float]}\n  dim_order_alias: {D0: [0, 0, 7]}\n"),
       "3:25: [0,0,7] is not a permutation of 0 to 2 (the dimensions from the outermost in memory "
       "to the innermost)\n"},
      // Y29
      {special_entry("{}"),
       "9:17: arg_meta must name the tensors that the kernel takes (null for a kernel that takes "
       "any; its tensors are self, other, out)\n"},
      // Y33
      {op_entry("add.out", "  kernels: []\n"),
       "2:12: warning: aten::add.out has no kernels: nothing is registered for it\n"},
      {"op: add.out\n",
       "1:1: a kernel library is a list of operators (each entry begins with \"- op: \" or "
       "\"- func: \")\n"},
      {special_entry(all, "  type_alias: {T0: Float}\n  dim_order_alias: {D0: [0]}\n"),
       "2:20: the types of T0 must be a list with at least one ([Float])\n"},
      {special_entry(all, "  type_alias: {T0: [Flaot]}\n  dim_order_alias: {D0: [0]}\n"),
       "2:21: unknown type 'Flaot' (did you mean \"Float\"?)\n"},
  };
  for (const Case& one : cases)
    EXPECT_EQ(read_with_catalogue(one.yaml).messages, one.messages) << one.yaml;
}

TEST(KernelLibrary, NamesOfFunctions) {  // Y13, Y15
  const auto symbol = [](const std::string& name) {
    return read_with_catalogue(
               op_entry("add.out",
                        "  kernels:\n    - {arg_meta: null, kernel_name: " + name + "}\n"))
        .value.operators.at(0)
        .kernels.at(0)
        .symbol;
  };
  EXPECT_EQ(symbol("a::b::c::add_out"), "a::b::c::native::add_out");
  EXPECT_EQ(symbol("add_out"), "at::native::add_out");
}

TEST(KernelLibrary, CustomOperatorsOfTwoNamespacesAreTwo) {  // Y30, Y19
  const std::string schema = "::foo.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\n";
  const std::string kernels = "  kernels:\n    - {arg_meta: null, kernel_name: a::f}\n";
  const ReadLibrary r =
      read_with_catalogue("- func: n1" + schema + kernels + "- func: n2" + schema + kernels);
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(kernels_of(r), "n1::foo.out default a::native::f\nn2::foo.out default a::native::f\n");
}

TEST(KernelLibrary, TheOlderFormStandsBesideTheNewer) {  // Y32
  const ReadLibrary r = read_with_catalogue(
      op_entry("add.out", k0) + op_entry("mul.out", "  dispatch:\n    CPU: m\n    CUDA: c\n"));
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(kernels_of(r),
            "aten::add.out default torch::executor::native::add_out\n"
            "aten::mul.out default at::native::m\naten::mul.out default at::native::c\n");
  EXPECT_EQ(r.value.operators[1].kernels[1].backend.device, "gpu");
}

TEST(KernelLibrary, OperatorsThatAreDerivedAreKnown) {
  const ReadLibrary r = read_with_catalogue("- op: channel_shuffle.out\n");
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(kernels_of(r), "aten::channel_shuffle.out default at::native::channel_shuffle_out\n");
  EXPECT_EQ(
      ops::text(r.value.operators[0].schema),
      "aten::channel_shuffle.out(Tensor self, SymInt groups, *, Tensor(a!) out) -> Tensor(a!)");
}

TEST(KernelLibrary, AnEmptyFileIsEmpty) {  // Y20
  EXPECT_EQ(read_with_catalogue("").messages, "");
  EXPECT_EQ(read_with_catalogue("# nothing\n").value.operators.size(), 0U);
}

}  // namespace
}  // namespace kbench

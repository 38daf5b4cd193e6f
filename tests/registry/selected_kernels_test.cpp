// Kernels that a selection takes: the cases SB4, SB7, SB8, SB16 and SB17 of the research notes.
#include "kernels/registry/selected_kernels.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/text.hpp"

namespace kbench {
namespace {

const std::string binary_schema =
    "(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\"\n";
const std::string selected_aliases =
    "  type_alias: {F: [Float], L: [Long]}\n  dim_order_alias: {D: [0, 1]}\n  kernels:\n";

std::string special_kernel(const std::string& type, const std::string& name) {
  std::string meta;
  for (const char* tensor : {"self", "other", "out"})
    meta += (meta.empty() ? "" : ", ") + std::string(tensor) + ": [" + type + ", D]";
  return "    - {arg_meta: {" + meta + "}, kernel_name: " + name + "}\n";
}

std::vector<KernelLibrary> library() {
  Diagnostics out;
  std::vector<KernelLibrary> all = {read_kernel_library(
      {"k.yaml",
       "- func: \"add.out" + binary_schema + selected_aliases +
           special_kernel("F", "a::add_float") + special_kernel("L", "a::add_long") +
           "    - {kernel_name: a::add}\n- func: \"mul.out" + binary_schema + selected_aliases +
           special_kernel("F", "a::mul_float") + special_kernel("L", "a::mul_long") +
           "- func: \"add.Tensor(Tensor x) -> Tensor\"\n  kernels: [{kernel_name: a::t}]\n"},
      nullptr, out)};
  EXPECT_EQ(out.errors(), 0U);
  return all;
}

// Returns the names of the kernels, and after them what is wrong.
std::string chosen(const OperatorSelection& selection) {
  const std::vector<KernelLibrary> libraries = library();
  Diagnostics out;
  std::vector<std::string> words;
  for (const SelectedKernel& one : selected_kernels(libraries, selection, out))
    words.push_back(one.kernel->name.substr(3));
  for (const Diagnostic& one : out.items()) words.push_back("! " + one.message);
  return join(words, " ");
}

std::string chosen(const std::string& op, const std::string& key) {
  OperatorSelection selection;
  select(selection, op, key, "");
  return chosen(selection);
}

std::string key_of(int type, int tensors) {
  std::string key = "v1/";
  for (int i = 0; i < tensors; ++i) key += (i > 0 ? "|" : "") + std::to_string(type) + ";0,1";
  return key;
}

TEST(SelectedKernels, AllOfThem) {  // SB4
  OperatorSelection all;
  select(all, "aten::add.out", key_of(6, 3), "");
  all.include_all_operators = true;
  EXPECT_EQ(chosen(all), "add_float add_long add mul_float mul_long t");
  EXPECT_EQ(all_kernels(library()).size(), 6U);
}

TEST(SelectedKernels, AKeyTakesItsKernelAlone) {  // SB7, SB17
  EXPECT_EQ(chosen("aten::add.out", key_of(6, 3)), "add_float");
  EXPECT_EQ(chosen("aten::mul.out", key_of(4, 3)), "mul_long");
  EXPECT_EQ(chosen("aten::sub.out", key_of(6, 3)), "");
  OperatorSelection two;
  select(two, "aten::mul.out", key_of(6, 3), "");
  select(two, "aten::mul.out", key_of(4, 3), "");
  EXPECT_EQ(chosen(two), "mul_float mul_long");
}

TEST(SelectedKernels, BehindAKernelForSomeCallsTheDefaultStands) {
  const auto with = [](const std::function<void(Kernel & kernel)>& change) {
    std::vector<KernelLibrary> libraries = library();
    change(libraries[0].operators[0].kernels[0]);
    OperatorSelection selection;
    select(selection, "aten::add.out", key_of(6, 3), "");
    Diagnostics out;
    std::string names;
    for (const SelectedKernel& one : selected_kernels(libraries, selection, out))
      names += one.kernel->name + " ";
    return names;
  };
  EXPECT_EQ(with([](Kernel&) {}), "a::add_float ");
  EXPECT_EQ(with([](Kernel& one) { one.conditions = {"M % 16 == 0"}; }), "a::add_float a::add ");
  EXPECT_EQ(with([](Kernel& one) { one.backend = {"cpu", "avx512"}; }), "a::add_float a::add ");
  for (const char* device : {"gpu", "tpu", "mps"}) {
    const auto change = [&](Kernel& one) { one.backend = {device, ""}; };
    EXPECT_EQ(with(change), "a::add_float a::add ") << device;
  }
  EXPECT_EQ(with([](Kernel& one) { one.platform = "pallas"; }), "a::add_float a::add ");
  EXPECT_EQ(with([](Kernel& one) { one.keys[0][0].scalar_type.reset(); }), "a::add_float ");
  EXPECT_EQ(with([](Kernel& one) { one.priority = -1; }), "a::add ");
}

TEST(SelectedKernels, AnOperatorOfSeveralLibrariesIsOne) {
  std::vector<KernelLibrary> libraries = library();
  libraries.push_back(library()[0]);
  auto& kernels = libraries[1].operators[1].kernels;  // mul.out has no default
  kernels.erase(kernels.begin());
  OperatorSelection selection;
  select(selection, "aten::mul.out", key_of(6, 3), "");
  Diagnostics out;
  const auto selected = selected_kernels(libraries, selection, out);
  EXPECT_EQ(out.errors(), 0U);
  ASSERT_EQ(selected.size(), 1U);
  EXPECT_EQ(selected[0].kernel->name, "a::mul_float");
}

TEST(SelectedKernels, TheVersionOfAKeyDoesNotCount) {  // SB7
  EXPECT_EQ(chosen("aten::add.out", "v2/6;0,1|6;0,1|6;0,1"), "add_float");
}

TEST(SelectedKernels, AModelsKeyNamesTheOutputTwice) {  // SB8
  EXPECT_EQ(chosen("aten::mul.out", key_of(6, 4)), "mul_float");
}

TEST(SelectedKernels, ADefaultServesWhatNoKeyDoes) {  // SB17
  EXPECT_EQ(chosen("aten::add.out", key_of(7, 3)), "add");
  OperatorSelection both;
  select(both, "aten::add.out", key_of(7, 3), "");
  select(both, "aten::add.out", key_of(4, 3), "");
  EXPECT_EQ(chosen(both), "add_long add");
}

TEST(SelectedKernels, OfTensorsThatAreNotKnownAll) {  // SB16
  EXPECT_EQ(chosen("aten::add.out", "default"), "add_float add_long add");
  EXPECT_EQ(chosen("aten::mul.out", "default"), "mul_float mul_long");
  OperatorSelection without_keys;
  without_keys.operators["aten::mul.out"] = {};
  EXPECT_EQ(chosen(without_keys), "mul_float mul_long");
}

TEST(SelectedKernels, OfADtypeThoseThatBeginWithIt) {
  EXPECT_EQ(chosen("aten::add.out", "v1/6;"), "add_float add");
  EXPECT_EQ(chosen("aten::mul.out", "v1/4;"), "mul_long");
  EXPECT_EQ(chosen("aten::add.out", "v1/7;"), "add");
}

TEST(SelectedKernels, OfADtypeThoseForAnyDtypeToo) {
  std::vector<KernelLibrary> libraries = library();
  libraries[0].operators[1].kernels[0].keys[0][0].scalar_type.reset();
  OperatorSelection selection;
  select(selection, "aten::mul.out", "v1/4;", "");
  Diagnostics out;
  EXPECT_EQ(selected_kernels(libraries, selection, out).size(), 2U);
}

TEST(SelectedKernels, AKeyThatNothingServesIsAMistake) {  // C9, SB17
  EXPECT_EQ(chosen("aten::mul.out", key_of(7, 3)),
            "! Missing kernel for the model: aten::mul.out has none for Double[0,1], Double[0,1], "
            "Double[0,1], and no default");
  EXPECT_EQ(chosen("aten::mul.out", "v1/nonsense"),
            "! \"v1/nonsense\" of aten::mul.out is no kernel key");
}

TEST(SelectedKernels, OverloadsAndRoots) {
  OperatorSelection overloads;
  overloads.operators["aten::add"].include_all_overloads = true;
  EXPECT_EQ(chosen(overloads), "add_float add_long add t");
  overloads.operators["aten::add"].include_all_overloads = false;
  EXPECT_EQ(chosen(overloads), "");
  OperatorSelection unrooted;
  select(unrooted, "aten::add.out", "default", "");
  unrooted.operators["aten::add.out"].is_root_operator = false;
  EXPECT_EQ(chosen(unrooted), "");  // C8
  EXPECT_TRUE(is_selected(overloads, "aten::add"));
}

}  // namespace
}  // namespace kbench

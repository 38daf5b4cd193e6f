// Two kernel yaml files in one: the cases Y34 and Y35 of the research notes.
#include "kernels/registry/merge.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

const std::string unary_schema = "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\"\n";
const std::string merged_aliases =
    "  type_alias: {T: [Float, Half]}\n  dim_order_alias: {D: [0, 1]}\n";
const std::string dense = "    - {arg_meta: {x: [T, D], out: [T, D]}, kernel_name: ";

KernelLibrary read_library(const Source& source) {
  Diagnostics out;
  KernelLibrary library = read_kernel_library(source, nullptr, out);
  EXPECT_EQ(out.errors(), 0U) << (out.empty() ? "" : out.items()[0].message);
  return library;
}

std::string merged(const std::string& first, const std::string& fallback, MergeBy by) {
  const Source a{"a.yaml", first};
  const Source b{"b.yaml", fallback};
  Diagnostics out;
  const std::string merged = merge_kernel_yaml({a, read_library(a)}, {b, read_library(b)}, by, out);
  EXPECT_TRUE(out.empty());
  return merged;
}

// Returns "aten::f.out v1/6;0,1|6;0,1 a::f", a line for each key of the merged yaml.
std::string kernels_of(const std::string& yaml) {
  std::string out;
  for (const OperatorEntry& entry : read_library({"merged.yaml", yaml}).operators) {
    const std::string name = ops::full_name(entry.schema.name);
    for (const Kernel& kernel : entry.kernels) {
      if (kernel.is_default) out += name + " default " + kernel.name + "\n";
      for (const KernelKey& key : kernel.keys)
        out += name + " " + key_text(key) + " " + kernel.name + "\n";
    }
  }
  return out;
}

const std::string fast =
    "- func: \"f.out" + unary_schema + merged_aliases + "  kernels:\n" + dense + "a::f}\n";
const std::string portable = "- func: \"aten::f.out" + unary_schema +
                             "  kernels: [{kernel_name: b::f}]\n- func: \"my::g.out" +
                             unary_schema + "  kernels: [{kernel_name: b::g}]\n";
constexpr const char* fast_keys =
    "aten::f.out v1/6;0,1|6;0,1 a::f\naten::f.out v1/5;0,1|5;0,1 a::f\n";

TEST(Merge, ByOpAnOperatorOfTheFirstLosesAllOfTheFallback) {  // Y34; the loss: Y35, upstream's
  EXPECT_EQ(kernels_of(merged(fast, portable, MergeBy::op)),
            std::string(fast_keys) + "my::g.out default b::g\n");
}

TEST(Merge, ByKernelItKeepsThemAsAFallback) {  // Y35 D
  EXPECT_EQ(kernels_of(merged(fast, portable, MergeBy::kernel)),
            std::string(fast_keys) + "aten::f.out default b::f\nmy::g.out default b::g\n");
}

std::string said_of(void (*change)(Kernel& first, Kernel& fallback), MergeBy by,
                    const std::string& fallback) {
  const Source a{"a.yaml", fast};
  const Source b{"b.yaml", fallback};
  KernelLibrary first = read_library(a);
  KernelLibrary second = read_library(b);
  change(first.operators[0].kernels[0], second.operators[0].kernels[0]);
  Diagnostics out;
  merge_kernel_yaml({a, first}, {b, second}, by, out);
  std::string said;
  for (const Diagnostic& one : out.items()) said += one.message + "\n";
  return said;
}

TEST(Merge, WhatIsLostOfTheFallbackIsSaid) {
  const std::string same =
      "- func: \"f.out" + unary_schema + merged_aliases + "  kernels:\n" + dense + "b::f}\n";
  const auto lost = [](const std::string& key, const std::string& when) {
    return "b::f is left out: a::f has the key " + key + ", and serves it " + when + " alone\n";
  };
  EXPECT_EQ(said_of([](Kernel&, Kernel&) {}, MergeBy::kernel, same), "");
  EXPECT_EQ(said_of(
                [](Kernel& one, Kernel&) {
                  one.backend = {"cpu", "avx512"};
                },
                MergeBy::kernel, same),
            lost("Float[0,1], Float[0,1]", "on cpu:avx512") +
                lost("Half[0,1], Half[0,1]", "on cpu:avx512"));
  EXPECT_EQ(
      said_of([](Kernel& one, Kernel&) { one.conditions = {"n > 8"}; }, MergeBy::kernel, same),
      lost("Float[0,1], Float[0,1]", "where n > 8") + lost("Half[0,1], Half[0,1]", "where n > 8"));
}

TEST(Merge, OneNameOfTwoKernelsMustMeanTheSame) {
  const std::string other = "- func: \"g.out" + unary_schema + "  kernels: [{kernel_name: a::f}]\n";
  for (const MergeBy by : {MergeBy::op, MergeBy::kernel}) {
    EXPECT_EQ(said_of([](Kernel&, Kernel&) {}, by, other), "");
    EXPECT_EQ(said_of([](Kernel&, Kernel& one) { one.priority = 1; }, by, other),
              "sidecars say different things of a::f here and of the a::f of the other library\n");
  }
}

TEST(Merge, NamesAreTheSameWithAndWithoutNamespace) {  // Y34
  const std::string both = merged(portable, fast, MergeBy::op);
  EXPECT_EQ(kernels_of(both), "aten::f.out default b::f\nmy::g.out default b::g\n");
}

TEST(Merge, ByKernelAKeyThatBothHaveIsTheFirstsAlone) {
  const std::string other = "- func: \"f.out" + unary_schema +
                            "  type_alias: {T: [Float, Double]}\n  dim_order_alias: {D: [0, 1]}\n"
                            "  kernels:\n" +
                            dense + "b::f}\n";
  EXPECT_EQ(kernels_of(merged(fast, other, MergeBy::kernel)),
            std::string(fast_keys) + "aten::f.out v1/7;0,1|7;0,1 b::f\n");
}

TEST(Merge, WildcardsAndManyDimensionsAreWrittenAsTheyWere) {
  const std::string some =
      "- func: \"f.out" + unary_schema +
      "  type_alias: {T: [Float]}\n  dim_order_alias: {D: [0, 2, 3, 1], E: [], "
      "F: [10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}\n  kernels:\n"
      "    - {arg_meta: {x: [T, \"*\"], out: [\"*\", D]}, kernel_name: a::f}\n"
      "    - {arg_meta: {x: [T, E], out: [T, F]}, kernel_name: a::g}\n";
  EXPECT_EQ(kernels_of(merged(some, portable, MergeBy::kernel)),
            "aten::f.out v1/6;*|*;0,2,3,1 a::f\n"
            "aten::f.out v1/6;|6;10,0,1,2,3,4,5,6,7,8,9 a::g\n"
            "aten::f.out default b::f\nmy::g.out default b::g\n");
}

TEST(Merge, WhatElseAnEntrySaysStays) {
  const std::string tagged = "- func: \"f.out" + unary_schema +
                             "  tags: core\n  variants: function\n" + merged_aliases +
                             "  kernels:\n" + dense + "a::f}\n";
  for (const MergeBy by : {MergeBy::op, MergeBy::kernel}) {
    const std::string yaml = merged(tagged, portable, by);
    EXPECT_NE(yaml.find("\n  tags: core\n  variants: function\n"), std::string::npos) << yaml;
  }
}

TEST(Merge, OfNothingIsAnEmptyList) {
  EXPECT_EQ(merged("", "[]", MergeBy::op), "[]\n");
  EXPECT_EQ(kernels_of(merged("", portable, MergeBy::kernel)), kernels_of(portable));
}

TEST(Merge, IsTheSameMergedAgain) {
  const std::string once = merged(fast, portable, MergeBy::kernel);
  EXPECT_EQ(kernels_of(merged(once, portable, MergeBy::kernel)), kernels_of(once));
}

}  // namespace
}  // namespace kbench

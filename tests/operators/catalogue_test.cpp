// Variants that PyTorch derives: torchgen's own for these schemas.
#include "kernels/operators/catalogue.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"
#include "kernels/operators/rules.hpp"
#include "operators/schema_of.hpp"

namespace kbench::ops {
namespace {

struct VariantRow {
  const char* schema;
  const char* variant;  // "" for none
};

TEST(Variants, ThatWriteToOutArguments) {
  const VariantRow rows[] = {
      {"f(Tensor x) -> Tensor", "f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"},
      {"f.Scalar(Tensor x, Scalar k=1) -> Tensor",
       "f.Scalar_out(Tensor x, Scalar k=1, *, Tensor(a!) out) -> Tensor(a!)"},
      {"f(Tensor x) -> (Tensor, Tensor)",
       "f.out(Tensor x, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))"},
      {"f(Tensor x) -> Tensor[]", "f.out(Tensor x, *, Tensor(a!)[] out) -> ()"},
      {"f_(Tensor(a!) self, Tensor x) -> Tensor(a!)",
       "f.out(Tensor self, Tensor x, *, Tensor(a!) out) -> Tensor(a!)"},
      {"__iand__(Tensor(a!) self, Tensor x) -> Tensor(a!)",
       "__and__.out(Tensor self, Tensor x, *, Tensor(a!) out) -> Tensor(a!)"},
      {"f(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
       "pin_memory=None, bool k=True) -> Tensor",
       "f.out(int[] size, *, bool k=True, Tensor(a!) out) -> Tensor(a!)"},
      {"f(Tensor x, Tensor(a!) cache) -> Tensor",
       "f.out(Tensor x, Tensor(a!) cache, *, Tensor(b!) out) -> Tensor(b!)"},
      {"f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)", ""},
      {"f(Tensor x) -> bool", ""},
      {"f(Tensor x, Tensor(a!) y) -> ()", ""},
  };
  for (const VariantRow& row : rows) {
    const auto variant = out_variant(schema_of(row.schema));
    EXPECT_EQ(variant ? text(*variant) : "", row.variant) << row.schema;
    EXPECT_TRUE(!variant || check_schema(*variant).empty()) << row.variant;
  }
}

TEST(Variants, ThatWriteNothing) {
  const VariantRow rows[] = {
      {"f_(Tensor(a!) self, Tensor x) -> Tensor(a!)", "f(Tensor self, Tensor x) -> Tensor"},
      {"f(Tensor x, Tensor(a!) y) -> ()", "f_functional(Tensor x, Tensor y) -> Tensor y_out"},
      {"f(Tensor x, Tensor(a!) y) -> Tensor",
       "f_functional(Tensor x, Tensor y) -> (Tensor, Tensor y_out)"},
  };
  for (const VariantRow& row : rows)
    EXPECT_EQ(text(functional_variant(schema_of(row.schema))), row.variant) << row.schema;
}

TEST(Variants, TheCatalogueKnowsWhatIsDerived) {
  const Catalogue catalogue(
      {"native_functions.yaml",
       "# a comment\n- func: f(Tensor x) -> Tensor  # another\n  autogen: f.out, f.other_out\n"
       "- func: f.Scalar(Tensor x, Scalar y) -> Tensor\n- func: g.out(Tensor x) -> Nonsense\n"},
      {"tags.yaml", "- tag: core\n  desc: |\n- tag: pointwise\n"});
  const auto out = catalogue.find("aten::f.out");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->derived_from, "f");
  EXPECT_EQ(out->line, 2);
  EXPECT_EQ(text(out->schema), "f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_EQ(catalogue.find("f")->derived_from, "");
  EXPECT_FALSE(catalogue.find("h"));
  EXPECT_FALSE(catalogue.find("other::f"));
  EXPECT_FALSE(catalogue.find("g.out"));  // this one cannot be read
  EXPECT_EQ(catalogue.overloads("aten::f"),
            (std::vector<std::string>{"f", "f.Scalar", "f.other_out", "f.out"}));
  EXPECT_EQ(catalogue.tags(), (std::vector<std::string>{"core", "pointwise"}));
}

TEST(Variants, TheFunctionThatReturnsWhatAnOperatorWrites) {
  const Catalogue catalogue(
      {"native_functions.yaml",
       "- func: f(Tensor x) -> Tensor\n  tags: [core, pointwise]  # a comment\n"
       "- func: f.Scalar(Tensor x, Scalar y) -> Tensor\n  autogen: f.Scalar_out\n"
       "- func: f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\n  tags: core\n"
       "- func: f.dim(Tensor x, int d) -> (Tensor, Tensor)\n"
       "- func: f.dim_out(Tensor x, int d, *, Tensor(a!) u) -> Tensor(a!)\n"
       "- func: f_(Tensor(a!) self) -> Tensor(a!)\n  tags: pointwise\n"});
  const auto function_of = [&](const char* schema) {
    const auto found = catalogue.functional_of(schema_of(schema));
    return found ? text_without_namespace(found->name) : "";
  };
  EXPECT_EQ(function_of("f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"), "f");
  EXPECT_EQ(function_of("f.Scalar_out(Tensor x, Scalar y, *, Tensor(a!) out) -> Tensor(a!)"),
            "f.Scalar");
  EXPECT_EQ(function_of("f.Scalar(Tensor x, Scalar y) -> Tensor"), "f.Scalar");
  EXPECT_EQ(function_of("f.dim_out(Tensor x, int d, *, Tensor(a!) u) -> Tensor(a!)"), "");
  EXPECT_EQ(function_of("f.out(Tensor z, *, Tensor(a!) out) -> Tensor(a!)"), "");
  EXPECT_EQ(function_of("g.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"), "");
  EXPECT_TRUE(catalogue.has_tag("aten::f", "pointwise"));
  EXPECT_FALSE(catalogue.has_tag("f.Scalar_out", "pointwise"));
  EXPECT_FALSE(catalogue.has_tag("f.out", "pointwise"));
  EXPECT_FALSE(catalogue.has_tag("h", "pointwise"));
}

}  // namespace
}  // namespace kbench::ops

// Functions of C++ that schemas stand for (research notes et §8, S: the prototypes, arguments and
// results of ExecuTorch's own tests).
#include "kernels/operators/schema.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"
#include "operators/schema_of.hpp"

namespace kbench::ops {
namespace {

std::string prototype_of(const std::string& text) {
  const Schema schema = schema_of(text);
  return prototype(schema, function_name(schema));
}

TEST(Prototype, OfAnOutOperator) {
  EXPECT_EQ(prototype_of("foo.out(Tensor input, *, Tensor(a!) out) -> Tensor(a!)"),
            "Tensor& foo_outf(KernelRuntimeContext& context, const Tensor& input, Tensor& out)");
  EXPECT_EQ(prototype_of("foo(Tensor input) -> Tensor"),
            "Tensor foo(KernelRuntimeContext& context, const Tensor& input)");
}

TEST(Prototype, ArgumentsComeInTheOrderOfTheSchema) {
  EXPECT_EQ(prototype_of("f.out(Tensor a, int b, float c, bool d, str e, Scalar f, Tensor? g, "
                         "int? h, Tensor[] i, int[] j, Tensor(b!) cache, *, ScalarType? k=None, "
                         "Tensor(a!) out) -> Tensor(a!)"),
            "Tensor& f_outf(KernelRuntimeContext& context, const Tensor& a, int64_t b, double c, "
            "bool d, std::string_view e, const Scalar& f, const std::optional<Tensor>& g, "
            "std::optional<int64_t> h, TensorList i, ArrayRef<int64_t> j, Tensor& cache, "
            "std::optional<ScalarType> k, Tensor& out)");
  EXPECT_EQ(prototype_of("f() -> Tensor"), "Tensor f(KernelRuntimeContext& context)");
}

TEST(Prototype, Results) {
  struct Row {
    const char* schema;
    const char* cpp;
  };
  const Row rows[] = {
      {"f(Tensor x) -> Tensor", "Tensor"},
      {"f_(Tensor(a!) self) -> Tensor(a!)", "Tensor&"},
      {"f(Tensor x) -> Tensor[]", "std::vector<Tensor>"},
      {"f(Tensor x) -> (Tensor values, Tensor indices)", "std::tuple<Tensor, Tensor>"},
      {"f.out(Tensor x, *, Tensor(a!) o, Tensor(b!) p) -> (Tensor(a!), Tensor(b!))",
       "std::tuple<Tensor&, Tensor&>"},
      {"f.out(Tensor x, *, Tensor(a!)[] out) -> ()", "void"},
      {"f(Tensor x) -> bool", "bool"},
      {"f(Tensor x) -> SymInt", "int64_t"},
      {"f(Tensor x) -> (Tensor, float)", "std::tuple<Tensor, double>"},
  };
  for (const Row& row : rows) EXPECT_EQ(cpp_result(schema_of(row.schema)), row.cpp) << row.schema;
}

TEST(Prototype, NamesInAScopeAreThoseThatAreNotOfTheStandardLibrary) {
  const Schema schema = schema_of(
      "f.out(Tensor[] x, int[]? y, str? z, Tensor?[] w, *, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_EQ(prototype(schema, "g", "::k::"),
            "::k::Tensor& g(::k::KernelRuntimeContext& context, ::k::TensorList x, "
            "std::optional<::k::ArrayRef<int64_t>> y, std::optional<std::string_view> z, "
            "::k::ArrayRef<std::optional<::k::Tensor>> w, ::k::Tensor& out)");
  EXPECT_EQ(pointer_type(schema, "P", "::k::"),
            "::k::Tensor& (*P)(::k::KernelRuntimeContext&, ::k::TensorList, "
            "std::optional<::k::ArrayRef<int64_t>>, std::optional<std::string_view>, "
            "::k::ArrayRef<std::optional<::k::Tensor>>, ::k::Tensor&)");
}

TEST(Prototype, NamesThatCppKeepsForItselfAreOthers) {
  EXPECT_EQ(prototype_of("f(Tensor default, int template, Tensor context) -> Tensor"),
            "Tensor f(KernelRuntimeContext& context, const Tensor& default_, int64_t template_, "
            "const Tensor& context_)");
  EXPECT_EQ(
      prototype_of("f(int new, int new_, int context_, int _, int int64_t, int table) -> Tensor"),
      "Tensor f(KernelRuntimeContext& context, int64_t new_, int64_t new__, int64_t context__, "
      "int64_t _, int64_t int64_t_, int64_t table_)");
  EXPECT_EQ(cpp_identifier("delete"), "delete_");
  EXPECT_EQ(cpp_identifier("remove"), "remove");
}

TEST(Prototype, UsualNames) {
  EXPECT_EQ(usual_kernel_name(operator_name("add.Scalar_out")), "add_scalar_out");
  EXPECT_EQ(usual_kernel_name(operator_name("my::Add")), "add");
  EXPECT_EQ(function_name(schema_of("add.Tensor(Tensor x) -> Tensor")), "add");
  EXPECT_EQ(function_name(schema_of("add.X_out(Tensor x, *, Tensor(a!) y) -> Tensor(a!)")),
            "add_outf");
}

}  // namespace
}  // namespace kbench::ops

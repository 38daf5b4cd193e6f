// The headers that say what of a library is built: SB10 to SB13 and SB18 of the research notes.
#include "codegen/generated.hpp"

namespace kbench {
namespace {

std::string variants(const OperatorSelection& selection) {
  CodegenOptions options;
  options.dtype_header = true;
  return generated("[]", options, &selection).text("selected_op_variants.h");
}

constexpr const char* wanted =
    "  return (name == \"add.out\" && (dtype == ::kbench::kernels::ScalarType::Float || dtype == "
    "::kbench::kernels::ScalarType::Int)) ||\n"
    "         (name == \"mul.out\" && (dtype == ::kbench::kernels::ScalarType::Float)) ||\n"
    "         (name == \"sub.out\" && (true));\n";

TEST(SelectionHeaders, DtypesOfEachOperator) {  // SB10
  const std::string text = variants(selection_of({{"aten::add.out", "v1/6;0,1|6;0,1|6;0,1|6;0,1"},
                                                  {"aten::add.out", "v1/3;0,1|3;0,1|3;0,1|3;0,1"},
                                                  {"aten::mul.out", "v1/6;0,1|6;0,1|6;0,1|6;0,1"},
                                                  {"aten::sub.out", "default"}}));
  EXPECT_TRUE(has(text, wanted)) << text;
  EXPECT_TRUE(has(text, "inline constexpr bool should_include_kernel_dtype(")) << text;
}

TEST(SelectionHeaders, ShortKeysSayTheSame) {  // SB11
  const std::string text = variants(selection_of({{"aten::add.out", "v1/6;"},
                                                  {"aten::add.out", "v1/3;"},
                                                  {"aten::mul.out", "v1/6;"},
                                                  {"aten::sub.out", "default"}}));
  EXPECT_TRUE(has(text, wanted)) << text;
}

TEST(SelectionHeaders, OtherNamespacesAreSaid) {
  EXPECT_TRUE(has(variants(selection_of({{"my::f.out", "v1/15;"}})),
                  "(name == \"my::f.out\" && (dtype == ::kbench::kernels::ScalarType::BFloat16))"));
}

TEST(SelectionHeaders, WhereAllMayComeAllDo) {  // SB12
  OperatorSelection all;
  all.include_all_operators = true;
  EXPECT_TRUE(has(variants(all), "  return true;\n"));
  EXPECT_TRUE(has(variants({}), "  return true;\n"));
}

TEST(SelectionHeaders, IsThereWhereItIsAskedFor) {
  EXPECT_EQ(generated("[]").text("selected_op_variants.h"), "");
}

std::string number(const OperatorSelection& selection,
                   const std::vector<std::string>& prim_ops = {}) {
  CodegenOptions options;
  options.prim_ops = prim_ops;
  const std::string text = generated("[]", options, &selection).text("selected_max_kernel_num.h");
  const std::string key = "#define EXECUTORCH_SELECTED_MAX_KERNEL_NUM ";
  const std::size_t at = text.find(key);
  return at == std::string::npos
             ? ""
             : text.substr(at + key.size(), text.find('\n', at) - at - key.size());
}

TEST(SelectionHeaders, HowManyKernels) {  // SB13
  EXPECT_EQ(number(selection_of({{"aten::add.out", "default"}, {"aten::mul.out", "v1/6;"}})), "2");
  EXPECT_EQ(number(selection_of({{"aten::add.out", "v1/3;"}, {"aten::add.out", "v1/6;"}})), "2");
  OperatorSelection without_keys;
  without_keys.operators["aten::add.out"] = {};
  without_keys.operators["aten::mul.out"] = {};
  EXPECT_EQ(number(without_keys), "2");
  EXPECT_EQ(number(without_keys, {"aten::sym_size.int", "executorch_prim::add.Scalar"}), "4");
  EXPECT_EQ(number({}), "0");
  without_keys.kernels["aten::add.out"] = {};  // named, and no key of it: the default, as before
  EXPECT_EQ(number(without_keys), "2");
  OperatorSelection overloads = without_keys;
  overloads.operators["aten::mul.out"].include_all_overloads = true;
  EXPECT_EQ(number(overloads), "");
  OperatorSelection all;
  all.include_all_operators = true;
  EXPECT_EQ(number(all), "");
}

// ExecuTorch's own tool counts one, and its registry is too small then.
TEST(SelectionHeaders, ADefaultThatStandsForSeveralKernelsCountsAsThese) {  // SB16
  const auto selection = selection_of({{"aten::f.out", "default"}, {"aten::g.out", "default"}});
  const std::string text =
      generated(custom("f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
                       kernel("null", "a::f") + kernel("{x: [F, D], out: [F, D]}", "a::g")),
                {}, &selection)
          .text("selected_max_kernel_num.h");
  EXPECT_TRUE(has(text, "MAX_KERNEL_NUM 3\n")) << text;
}

TEST(SelectionHeaders, OperatorsWithoutTensors) {  // SB18
  CodegenOptions options;
  options.prim_ops = {"aten::_local_scalar_dense", "aten::sym_size.int",
                      "executorch_prim::et_view.default"};
  const std::string text = generated("[]", options).text("selected_prim_ops.h");
  EXPECT_TRUE(has(
      text,
      "#pragma once\n\n#define INCLUDE_ATEN_LOCAL_SCALAR_DENSE\n#define INCLUDE_ATEN_SYM_SIZE_INT\n"
      "#define INCLUDE_EXECUTORCH_PRIM_ET_VIEW_DEFAULT\n"))
      << text;
  EXPECT_EQ(generated("[]").text("selected_prim_ops.h"), "");
}

}  // namespace
}  // namespace kbench

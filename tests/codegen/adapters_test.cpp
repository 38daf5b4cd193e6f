// Files of a library for TVM-FFI, as text. tests/codegen/tvm_ffi_library compiles and calls them.
#include "codegen/generated.hpp"

namespace kbench {
namespace {

constexpr const char* file = "RegisterTvmFfi.cpp";

Generated for_tvm_ffi(const std::string& yaml) {
  CodegenOptions options;
  options.target = "tvm-ffi";
  return generated(yaml, options);
}

std::string with_default(const std::string& schema) {
  return custom(schema, kernel("null", "a::f"));
}

TEST(TvmFfiLibrary, AFunctionTakesTheArgumentsOfTheSchema) {
  const Generated made =
      for_tvm_ffi(with_default("own::f.out(Tensor self, Tensor(b!) cache, int[]? default, *, "
                               "Tensor(a!) out) -> Tensor(a!)"));
  EXPECT_EQ(made.names(), "NativeFunctions.h\nFunctions.h\nRegisterTvmFfi.cpp\n");
  EXPECT_EQ(made.messages, "");
  const std::string text = made.text(file);
  EXPECT_TRUE(has(text,
                  "  Held<::kbench::kernels::Tensor> arg0({call, 0, Role::input});\n"
                  "  Held<::kbench::kernels::Tensor> arg1({call, 1, Role::in_place});\n"));
  EXPECT_TRUE(has(text,
                  "arg3({call, 3, Role::output});\n"
                  "  ::torch::executor::own::f_outf(call.context(), arg0.value(), arg1.value(), "
                  "arg2.value(), arg3.value());\n"
                  "  call.check();\n  arg1.write_back();\n  arg3.write_back();\n}\n"));
  EXPECT_TRUE(has(text,
                  "constexpr Operator op_own_f_out = {\"own::f.out\", \"self, cache, default, "
                  "out\", 4, &call_own_f_out};\n"));
  EXPECT_TRUE(has(text, "\nKBENCH_TVM_FFI_EXPORT(own_f_out, op_own_f_out)\n"));
}

TEST(TvmFfiLibrary, NamesAreThoseOfTheOperators) {
  const std::string rest = "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)";
  const Generated made =
      for_tvm_ffi(with_default("aten::f.Scalar_out" + rest) + with_default("own::_f.out" + rest) +
                  with_default("own::__f__.out" + rest) +
                  with_default("own::add_(Tensor(a!) self) -> Tensor(a!)"));
  EXPECT_EQ(made.messages, "");
  for (const char* name : {"f_Scalar_out", "own__f_out", "own___f___out", "own_add_"})
    EXPECT_TRUE(has(made.text(file), "\nKBENCH_TVM_FFI_EXPORT(" + std::string(name) + ", "))
        << name;
}

TEST(TvmFfiLibrary, TwoOperatorsWithOneNameAreAnError) {
  const std::string rest = "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)";
  EXPECT_EQ(for_tvm_ffi(with_default("a::b_c.out" + rest) + with_default("a::b.c_out" + rest) +
                        with_default("a_b::c.out" + rest))
                .messages,
            "6: a::b_c.out and a::b.c_out would both be a_b_c_out\n"
            "11: a::b_c.out and a_b::c.out would both be a_b_c_out\n");
}

TEST(TvmFfiLibrary, WhatNoCallCanReachIsLeftOut) {
  const Generated made = for_tvm_ffi(
      with_default("own::a(Tensor x) -> Tensor") +
      "- func: own::b.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\n"
      "  type_alias: {F: [Float], Q: [QInt8]}\n  dim_order_alias: {D: [0]}\n  kernels:\n" +
      kernel("{x: [F, D], out: [F, D]}", "a::g") + kernel("{x: [Q, D], out: [F, D]}", "a::h"));
  EXPECT_EQ(made.messages,
            "5: a::f is left out: own::a returns what is none of its arguments\n"
            "11: a::h is left out: DLPack has no QInt8\n");
  EXPECT_EQ(count(made.text(file), "\nKBENCH_TVM_FFI_EXPORT("), 1U);
  EXPECT_FALSE(has(made.text("Functions.h"), "native::h("));
}

}  // namespace
}  // namespace kbench

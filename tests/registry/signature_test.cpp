// Signatures and how they differ: table V of the research notes (what ejkernel's registry compares,
// and what kbench does beside), and the functions of Solutions and kernels.
#include "registry/signature.hpp"

#include <gtest/gtest.h>

#include "operators/parse.hpp"
#include "registry/cpp_functions.hpp"

namespace kbench {
namespace {

Solution in_python(const std::string& parameters, const std::string& returns = "") {
  Solution solution;
  solution.spec.language = Language::python;
  solution.spec.entry_point = "main.py::run";
  const std::string arrow = returns.empty() ? "" : " -> " + returns;
  solution.sources = {{"main.py", "def run(" + parameters + ")" + arrow + ":\n    pass\n", {}}};
  return solution;
}

Signature python(const std::string& parameters, const std::string& returns = "") {
  std::string why;
  const auto signature = signature_of(in_python(parameters, returns), why);
  EXPECT_EQ(why, "");
  return signature.value_or(Signature{});
}

using Lines = std::vector<std::string>;

TEST(Signature, EachDifferenceIsSaid) {  // V1
  EXPECT_EQ(differences(python("x: int, y: float = 1.0, *, z=None"),
                        python("x: int, w: float = 2.0, z=None")),
            (Lines{"parameter 2: name w, not y", "parameter 2: default 2.0, not 1.0",
                   "parameter 3: kind POSITIONAL_OR_KEYWORD, not KEYWORD_ONLY"}));
}

TEST(Signature, OfAnotherCountWhatIsMissingIsNamed) {  // V2
  EXPECT_EQ(differences(python("x, y"), python("x")), (Lines{"1 parameter, not 2; it lacks y"}));
  EXPECT_EQ(differences(python("x, y"), python("x, y, z")),
            (Lines{"3 parameters, not 2; it has z besides"}));
  EXPECT_EQ(differences(python("x, y"), python("y, x")),
            (Lines{"parameter 1: name y, not x", "parameter 2: name x, not y"}));
}

TEST(Signature, ParametersForTuningCountForNothing) {  // V3
  EXPECT_EQ(differences(python("x, block_m"), python("x, num_warps, block_n"),
                        {"block_m", "block_n", "num_warps"}),
            Lines{});
  EXPECT_EQ(differences(python("x, block_m"), python("x, num_warps, block_n")).size(), 1U);
}

TEST(Signature, ResultsAreCompared) {  // V5
  EXPECT_EQ(differences(python("x", "int"), python("x", "float")),
            (Lines{"returns float, not int"}));
  EXPECT_EQ(differences(python("x", "int"), python("x")), Lines{});
  EXPECT_EQ(differences(python("x: torch.Tensor"), python("x: Tensor")), Lines{});
}

TEST(Signature, OfADefinitionOutputsMayBePassedIn) {
  Definition definition;
  definition.name = "d";
  definition.inputs["x"] = {std::vector<std::string>{"n"}, DType::float32, {}, {}};
  definition.inputs["eps"] = {std::nullopt, DType::float32, {}, {}};
  definition.inputs["k"] = {std::nullopt, DType::int64, {}, {}};
  definition.inputs["flag"] = {std::nullopt, DType::boolean, {}, {}};
  definition.outputs["out"] = {std::vector<std::string>{"n"}, DType::float32, {}, {}};
  const Signature passed = signature_of(definition, true);
  EXPECT_EQ(differences(passed, python("x: torch.Tensor, eps: float, k: int, flag: bool, out")),
            Lines{});
  EXPECT_EQ(differences(signature_of(definition, false), python("x, eps, k")),
            (Lines{"3 parameters, not 4; it lacks flag"}));
  EXPECT_EQ(differences(passed, python("x, eps, k: float, flag, out")),
            (Lines{"parameter 3: type float, not int"}));
}

TEST(Signature, OfWhatCppExports) {
  Solution solution;
  solution.spec.language = Language::cpp;
  solution.spec.entry_point = "k.cpp::run";
  solution.sources = {{"k.cpp",
                       "// void scale(int no);\n"
                       "namespace { void scale(kbench::Tensor x, double factor = 2,\n"
                       "                       /* outputs, */ kbench::Tensor out) {\n"
                       "  other(\"void scale(\");\n} }\n"
                       "KBENCH_EXPORT(run, scale)\n",
                       {}}};
  std::string why;
  const auto signature = signature_of(solution, why);
  ASSERT_TRUE(signature) << why;
  ASSERT_EQ(signature->parameters.size(), 3U);
  EXPECT_EQ(signature->parameters[0].type, "Tensor");
  EXPECT_EQ(signature->parameters[1].type, "float");
  EXPECT_EQ(signature->parameters[1].name, "factor");
  EXPECT_EQ(signature->parameters[1].default_value, "2");
  EXPECT_EQ(signature->parameters[2].name, "out");
  solution.spec.entry_point = "k.cpp::walk";
  EXPECT_FALSE(signature_of(solution, why));
  EXPECT_EQ(why, "k.cpp defines no function for the entry walk");
  solution.spec.entry_point = "other.cpp::run";
  EXPECT_FALSE(signature_of(solution, why));
  EXPECT_EQ(why, "the entry point's source other.cpp is not there");
}

TEST(Signature, OfAKernelIsThatOfItsSchema) {
  const auto parsed = ops::parse_schema(
      "ns::f.out(Tensor x, Tensor? b, Tensor[] all, int[]? d=None, float e=1.0, Scalar s=1, *, "
      "Tensor(a!) out) -> Tensor(a!)");
  ASSERT_TRUE(parsed.schema);
  const Signature wanted = kernel_signature(*parsed.schema);
  const char* const good =
      "Tensor& f_out(KernelRuntimeContext& context, const Tensor& x,\n"
      "              const std::optional<Tensor>& b, kbench::kernels::TensorList all,\n"
      "              std::optional<ArrayRef<int64_t>> d, double e, const Scalar& s, Tensor& out) {";
  auto found = find_cpp_function(good, "f_out");
  ASSERT_TRUE(found);
  for (SignatureParameter& one : found->parameters) one.name.clear();
  EXPECT_EQ(differences(wanted, *found), Lines{});
  EXPECT_FALSE(find_cpp_function("Tensor& f_out(KernelRuntimeContext& context);", "f_out"));
  const auto other = find_cpp_function(
      "Tensor& f_out(KernelRuntimeContext&, const Tensor& x, const std::optional<Tensor>& b,\n"
      "  TensorList all, std::optional<ArrayRef<int64_t>> d, float e, Scalar s, int64_t out) {",
      "f_out");
  ASSERT_TRUE(other);
  EXPECT_EQ(differences(wanted, *other), (Lines{"parameter 6: type float, not double",
                                                "parameter 8: type int64_t, not Tensor"}));
}

TEST(CppFunctions, HaveTheirNamespaces) {
  const auto scopes = [](const std::string& source) {
    Lines all;
    for (const CppFunction& one : find_cpp_functions(source, "f"))
      all.push_back(one.scope + (one.is_local ? " local" : ""));
    return all;
  };
  EXPECT_EQ(scopes("void f() {}"), Lines{""});
  EXPECT_EQ(scopes("namespace a { namespace b { void f(int x = {}) { if (x) {} } } void f() {} }"),
            (Lines{"a::b", "a"}));
  EXPECT_EQ(scopes("void a::b::f(int) {}\nextern \"C\" { void f() {} }"), (Lines{"a::b", ""}));
  EXPECT_EQ(scopes("namespace a { static void f() {} namespace { void f() {} } }"),
            (Lines{"a local", "a local"}));
  EXPECT_EQ(scopes("struct S { void f() {} };\nvoid g() { f(); }\nvoid f();"), Lines{});
  EXPECT_EQ(scopes("// void f() {}\n#if 0\n#if X\nvoid f() {}\n#endif\n#else\nauto f() -> int {}\n"
                   "#endif\n"),
            Lines{""});
  EXPECT_EQ(scopes("char c = '{'; namespace a { void f() {} }"), Lines{"a"});
}

TEST(CppFunctions, MayBeMadeByMacros) {
  EXPECT_TRUE(may_be_made_by_macro("#define M(n) void n##_out() {}\nM(f)\n", "f_out"));
  EXPECT_TRUE(may_be_made_by_macro("UNARY(float, f_out)\n", "f_out"));
  EXPECT_FALSE(may_be_made_by_macro("void g() {\n  return f_out(1);\n}\n", "f_out"));
}

}  // namespace
}  // namespace kbench

// Signatures and their differences: table V of the research notes (what ejkernel's registry
// compares, and what kbench does beside), and the functions of Solutions and kernels.
#include "kernels/registry/signature.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"
#include "kernels/registry/cpp_functions.hpp"

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

TEST(Signature, AnnotationsMeanTheirTypes) {
  for (const char* const annotation : {"'torch.Tensor'", "\"Tensor\"", "Float[Tensor, 'M N']",
                                       "jaxtyping.Float[torch.Tensor, 'M']",
                                       "Annotated[torch.Tensor, 1]", "'Float[Tensor, \"M\"]'"})
    EXPECT_EQ(differences(python("x: Tensor"), python(std::string("x: ") + annotation)), Lines{})
        << annotation;
  EXPECT_EQ(differences(python("x: Tensor"), python("x: list[Tensor]")).size(), 1U);
  EXPECT_EQ(differences(python("x: float"), python("x: 'float'")), Lines{});
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

TEST(Signature, ParametersOfACallStandBetweenInputsAndOutputs) {
  Definition definition{.name = "d"};
  definition.inputs.items = {{"x", {{{"n"}}, DType::float32}}};
  definition.outputs.items = {{"y", {{{"n"}}, DType::float32}}};
  Parameter threads{"threads", ParameterKind::runtime, {std::int64_t{1}}, {}};
  Parameter block{"BLOCK", ParameterKind::define, {std::int64_t{1}}, {}};
  EXPECT_EQ(text(signature_of(definition, true, {block, threads})),
            "(x: Tensor, threads: int, y: Tensor)");
  // None is said to be missing if names are not known.
  Signature other{"", {{"", "Tensor"}, {"", "Tensor"}}, ""};
  EXPECT_EQ(differences(signature_of(definition, true, {threads}), other),
            std::vector<std::string>{"2 parameters, not 3"});
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

std::vector<CppFunction> functions_of(const std::string& source, const std::string& name) {
  std::vector<CppFunction> all = read_cpp_source(source).functions;
  std::erase_if(all, [&](const CppFunction& one) { return one.name != name; });
  return all;
}

// Returns the differences of the function of that name that differs least.
Lines kernel_lines(const Signature& wanted, const std::string& source, const std::string& name) {
  Lines least = {"none"};
  for (const CppFunction& one : functions_of(source, name)) {
    Lines all = kernel_differences(wanted, one.signature);
    if (least == Lines{"none"} || all.size() < least.size()) least = std::move(all);
  }
  return least;
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
  EXPECT_EQ(kernel_lines(wanted, good, "f_out"), Lines{});
  EXPECT_EQ(functions_of("Tensor& f_out(KernelRuntimeContext& context);", "f_out").size(), 0U);
  EXPECT_EQ(
      kernel_lines(
          wanted,
          "Tensor& f_out(KernelRuntimeContext&, const Tensor& x, const std::optional<Tensor>& b,\n"
          "  TensorList all, std::optional<ArrayRef<int64_t>> d, float e, Scalar s, int64_t out) {",
          "f_out"),
      (Lines{"parameter 6: type float, not double", "parameter 7: type Scalar, not const Scalar&",
             "parameter 8: type int64_t, not Tensor&"}));
}

// Const and references count: the linker, or the caller's registers, tell them apart.
TEST(Signature, OfAKernelHasItsConstAndReferences) {
  const auto parsed = ops::parse_schema(
      "ns::g.out(Tensor self, Tensor other, int[] by, *, Tensor(a!) out) -> Tensor(a!)");
  ASSERT_TRUE(parsed.schema);
  const Signature wanted = kernel_signature(*parsed.schema);
  const auto lines = [&](const std::string& head) {
    return kernel_lines(wanted, head + "{}", "g");
  };
  EXPECT_EQ(lines("Tensor& g(KernelRuntimeContext& c, Tensor const & a, const Tensor &b, "
                  "const c10::IntArrayRef d, Tensor&out)"),
            Lines{});
  EXPECT_EQ(lines("auto g(KernelRuntimeContext&, const Tensor&, const Tensor&, ArrayRef<long>, "
                  "Tensor&) -> at::Tensor&"),
            Lines{});
  EXPECT_EQ(lines("void g(const KernelRuntimeContext& c, Tensor& a, const Tensor b, "
                  "ArrayRef<int64_t> d, const Tensor& out)"),
            (Lines{"parameter 1: type const KernelRuntimeContext&, not KernelRuntimeContext&",
                   "parameter 2: type Tensor&, not const Tensor&",
                   "parameter 3: type Tensor, not const Tensor&",
                   "parameter 5: type const Tensor&, not Tensor&", "returns void, not Tensor&"}));
  EXPECT_EQ(lines("Tensor& g(KernelRuntimeContext&, const Tensor& other, const Tensor& self, "
                  "ArrayRef<int64_t> by, Tensor& out)"),
            (Lines{"parameter 2: name other, not self", "parameter 3: name self, not other"}));
}

TEST(CppFunctions, AreFoundWhateverStandsAroundThem) {
  const auto parsed = ops::parse_schema("ns::f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  ASSERT_TRUE(parsed.schema);
  const Signature wanted = kernel_signature(*parsed.schema);
  const std::string rest =
      "f(KernelRuntimeContext& c, const Tensor& x, Tensor& out) { return out; }";
  for (const std::string& source : Lines{
           "[[gnu::noinline]] __attribute__((visibility(\"default\"))) Tensor& f([[maybe_unused]] "
           "KernelRuntimeContext& c, [[maybe_unused]] const Tensor& x, Tensor& out) {}",
           "ET_API Tensor& " + rest,
           "REGISTER(f)\nET_ALIGNED(8) Tensor& " + rest,
           "typedef Tensor Tt; using Result = Tt&;\n"
           "Result f(KernelRuntimeContext& c, const Tt& x, Tt& out) {}",
           "const char* s = R\"x( \" { namespace foo { )x\";\nTensor& " + rest,
           "constexpr long n = 1'000'000; char q = '\"';\nTensor& " + rest,
           std::string(
               "#ifdef A\nTensor& f(KernelRuntimeContext&, int q, Tensor& out) {\n#else\n"
               "Tensor& f(KernelRuntimeContext&, const Tensor& x, Tensor& out) {\n#endif\n}"),
           "#ifndef GUARD\n#define GUARD \\\n  {\n#if A\nvoid g() {\n#elif B\nvoid g(int) "
           "{\n#endif\n"
           "}\nTensor& " +
               rest + "\n#endif\n",
           "Tensor& f(KernelRuntimeContext& /*c, d*/, const Tensor& x /* b{ */, // x (\n"
           " Tensor& out) try { return out; } catch (...) { return out; }",
       })
    EXPECT_EQ(kernel_lines(wanted, source, "f"), Lines{}) << source;
}

// A table or a program of a device may stand in a source.
TEST(CppFunctions, AreFoundBehindLongTexts) {
  const std::string names(200'000, 'x');
  const std::string list = [] {
    std::string all;
    for (int i = 0; i < 20'000; ++i) all += "int a" + std::to_string(i) + ", ";
    return all + "int z";
  }();
  const auto found = functions_of("/*" + names + "*/ //" + names + "\nconst char* s = \"" + names +
                                      "\"; auto r = R\"(" + names + ")\";\nvoid f(" + list + ") {}",
                                  "f");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].signature.parameters.size(), 20'001U);
}

TEST(CppFunctions, HaveTheirNamespaces) {
  const auto scopes = [](const std::string& source) {
    Lines all;
    for (const CppFunction& one : functions_of(source, "f"))
      all.push_back(one.scope + (one.is_local ? " local" : "") +
                    (one.is_template ? " template" : ""));
    return all;
  };
  EXPECT_EQ(scopes("template <class T = int()> void f(T) {}\nnamespace [[gnu::x]] a::inline b\n"
                   "__attribute__((y)) { void f() {} } int& ::a::f() {}"),
            (Lines{" template", "a::b", "a"}));
  EXPECT_EQ(scopes("void f() {}"), Lines{""});
  EXPECT_EQ(scopes("namespace a { namespace b { void f(int x = {}) { if (x) {} } } void f() {} }"),
            (Lines{"a::b", "a"}));
  EXPECT_EQ(scopes("void a::b::f(int) {}\nextern \"C\" { void f() {} }"), (Lines{"a::b", ""}));
  EXPECT_EQ(scopes("namespace a { static void f() {} namespace { void f(int) {} } }"),
            (Lines{"a local", "a local"}));
  EXPECT_EQ(scopes("struct S { void f() {} };\nvoid g() { f(); }\nvoid f();"), Lines{});
  EXPECT_EQ(scopes("// void f() {}\n#if 0\n#if X\nvoid f() {}\n#endif\n#else\nauto f() -> int {}\n"
                   "#endif\n"),
            Lines{""});
  EXPECT_EQ(scopes("char c = '{'; namespace a { void f() {} }"), Lines{"a"});
}

TEST(CppFunctions, MayBeMadeByMacros) {
  EXPECT_TRUE(read_cpp_source("#define M(n) void n##_out() {}\nM(f)\n").may_make("f_out"));
  EXPECT_TRUE(read_cpp_source("UNARY(float, f_out)\n").may_make("f_out"));
  EXPECT_FALSE(read_cpp_source("void g() {\n  return f_out(1);\n}\n").may_make("f_out"));
}

}  // namespace
}  // namespace kbench

// Sidecars of a kernel yaml or a Solution: kbench.json or kbench.yaml.
#include "kernels/registry/sidecar.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "kernels/registry/read_kernel_yaml.hpp"
#include "support/said.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

using ReadSidecar = ReadText<Sidecar>;

ReadSidecar read_sidecar_text(const std::string& text, const std::string& name = "kbench.yaml") {
  Diagnostics out;
  return {read_sidecar({name, text}, out), text_of(out)};
}

constexpr const char* whole =
    "schema: kbench.kernel/1\npriority: 1\nsources: [\"*.cpp\", a.h]\nversion: 3\n"
    "kernels:\n  - kernel_name: a::f\n    platform: CPP\n    backend: cpu:AVX512\n    priority: "
    "-2\n"
    "    supports: {where: [\"M <= 64\"]}\n";

TEST(Sidecar, SaysOfAKernelWhatItSaysOfAllUnlessItSaysMore) {
  const ReadSidecar r = read_sidecar_text(whole);
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(r.value.sources, (std::vector<std::string>{"*.cpp", "a.h"}));
  const KernelSettings f = settings_of(r.value, "a::f");
  EXPECT_EQ(f.platform, "cpp");
  EXPECT_EQ(text(f.backend.value_or(Backend{})), "cpu:avx512");
  EXPECT_EQ(f.priority, -2);
  EXPECT_EQ(f.conditions, std::vector<std::string>{"M <= 64"});
  const KernelSettings other = settings_of(r.value, "a::g");
  EXPECT_EQ(other.priority, 1);
  EXPECT_FALSE(other.backend);
}

TEST(Sidecar, IsReadInJsonToo) {
  const ReadSidecar r = read_sidecar_text(
      "{\"schema\": \"kbench.kernel/1\", \"kernels\": [{\"kernel_name\": \"a::f\", "
      "\"priority\": 4}]}",
      "kbench.json");
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(settings_of(r.value, "a::f").priority, 4);
}

TEST(Sidecar, AKernelMayLiftTheConditionsOfAll) {
  const ReadSidecar r = read_sidecar_text(
      "priority: +5\nsupports: {where: [n > 1]}\nkernels:\n  - {kernel_name: a::f, supports: "
      "{where: []}}\n  - {kernel_name: a::g, priority: 1}\n");
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(settings_of(r.value, "a::f").priority, 5);
  EXPECT_EQ(settings_of(r.value, "a::f").conditions.size(), 0U);
  EXPECT_EQ(settings_of(r.value, "a::g").conditions.size(), 1U);
}

TEST(Sidecar, FunctionsOfASolution) {
  const ReadSidecar r = read_sidecar_text("entry: {run: go, run_sharded_gpu: tp, vjp: backward}\n");
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(r.value.methods,
            (Methods{{"run", "go"}, {"run_sharded_gpu", "tp"}, {"vjp", "backward"}}));
}

TEST(Sidecar, MistakesAreSaidWhereTheyStand) {
  struct Row {
    const char* yaml;
    const char* messages;
  };
  const Row rows[] = {
      {"- a\n", "1:1: a sidecar is a map (docs/kernels.md says what it holds)\n"},
      {"schema: kbench.kernel/2\n", "1:9: must be 'kbench.kernel/1', not 'kbench.kernel/2'\n"},
      {"priorty: 1\n", "1:1: unknown key \"priorty\" (did you mean \"priority\"?)\n"},
      {"priority: 1.5\n", "1:11: must be an integer, not 1.5\n"},
      {"entry: {run_shraded: f}\n",
       "1:9: unknown method \"run_shraded\" (did you mean \"run_sharded\"?)\n"},
      {"entry: {run: 1}\n", "1:14: must be the name of a function, not 1\n"},
      {"entry: run\n",
       "1:8: must be a map from what is done to functions, not 'run' (as in entry: {run: run, vjp: "
       "backward})\n"},
      {"platform: quda\n",
       "1:11: must be a platform, not 'quda' (they are cpp, cuda, python, triton, reference, "
       "tilelang, cutedsl, cute, sycl, pallas, xla)\n"},
      {"supports: {where: [\"M <=\"]}\n",
       "1:25: invalid syntax (a comparison, as in n % 16 == 0)\n"},
      {"supports: {where: [\"n // 0 == 1\"]}\n",
       "1:26: constraint \"n // 0 == 1\": division by zero (the divisor is 0 in every workload)\n"},
      {"supports: {where: [\"foo(n)\"]}\n",
       "1:21: constraint \"foo(n)\": function foo cannot be computed: only integers, axes, "
       "arithmetic and comparisons can (kbench run does not check this constraint)\n"},
      {"supports: {where: [\"n.shape == 3\"]}\n",
       "1:21: conditions see no values of tensors: x.dtype and the axes are there\n"},
      {"where: [\"n > 1\"]\n",
       "1:1: where is of configurations, and there are no params (conditions of kernels stand "
       "under "
       "supports)\n"},
      {"supports: {axes: []}\n",
       "1:12: unknown key \"axes\" (supports has where: conditions over the call)\n"},
      {"supports: [a]\n", "1:11: must be a map with where, not [\"a\"]\n"},
      {"kernels: [{priority: 1}]\n", "1:11: kernel_name must name a kernel of the library\n"},
      {"sources: [1]\n", "1:11: must be a word, not 1\n"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(read_sidecar_text(row.yaml).messages, row.messages) << row.yaml;
  EXPECT_NE(read_sidecar_text("backend: cpu:avx1024\n")
                .messages.find("must be a backend, not 'cpu:avx1024'"),
            std::string::npos);
}

TEST(Sidecar, AKernelStandsThereOnce) {
  const ReadSidecar r = read_sidecar_text(
      "kernels:\n  - kernel_name: a::f\n    priority: 1\n  - kernel_name: a::f\n    priority: 2\n");
  EXPECT_EQ(r.messages, "4:18: a::f stands here twice (the other one: kbench.yaml:2)\n");
}

TEST(Sidecar, AnEmptyOneSaysNothing) { EXPECT_EQ(read_sidecar_text("# nothing\n").messages, ""); }

TEST(Sidecar, SourcesAreNamesWithAnyCharactersForAStar) {
  EXPECT_TRUE(is_source_name("*.cpp", "a/b.cpp"));
  EXPECT_TRUE(is_source_name("a*b*c", "a--b--c"));
  EXPECT_FALSE(is_source_name("*.cu", "b.cpp"));
  EXPECT_FALSE(is_source_name("b.cpp", "a/b.cpp"));
}

TEST(Sidecar, IsWrittenAsItIsRead) {
  const ReadSidecar r = read_sidecar_text(whole);
  const std::string text = write_sidecar(r.value.kernels);
  const ReadSidecar again = read_sidecar_text(text);
  EXPECT_EQ(again.messages, "");
  EXPECT_EQ(write_sidecar(again.value.kernels), text);
  EXPECT_EQ(settings_of(again.value, "a::f").conditions, std::vector<std::string>{"M <= 64"});
  EXPECT_EQ(settings_of(again.value, "a::f").priority, -2);
  EXPECT_EQ(write_sidecar({}), "");
}

TEST(Sidecar, IsFoundByTheFilesNameAndThenInTheFolder) {
  const TempFolder own;
  const fs::path& folder = own.path();
  const fs::path file = folder / "kernels.yaml";
  EXPECT_FALSE(find_sidecar(file));
  for (const char* name :
       {"kbench.yaml", "kbench.json", "kernels.kbench.yaml", "kernels.kbench.json"}) {
    own.write(name, "{}");
    EXPECT_EQ(find_sidecar(file), folder / name);
  }
  EXPECT_EQ(find_sidecar(folder / "other.yaml"), folder / "kbench.json");
}

TEST(Sidecar, IsPutUponItsLibrary) {
  Diagnostics out;
  KernelLibrary library = read_kernel_library(
      {"k.yaml",
       "- func: \"f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\"\n  kernels:\n"
       "    - {kernel_name: a::f}\n"
       "- func: \"g.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)\"\n  kernels:\n"
       "    - {kernel_name: a::g}\n"},
      nullptr, out);
  library = with_sidecar(std::move(library), read_sidecar_text(whole).value);
  EXPECT_EQ(out.errors(), 0U);
  const Kernel& f = library.operators.at(0).kernels.at(0);
  const Kernel& g = library.operators.at(1).kernels.at(0);
  EXPECT_EQ(text(f.backend), "cpu:avx512");
  EXPECT_EQ(f.conditions.size(), 1U);
  EXPECT_EQ(f.priority, -2);
  EXPECT_EQ(text(g.backend), "cpu");
  EXPECT_EQ(g.priority, 1);
}

TEST(Sidecar, HasResidualsAndInputsWithoutAGradient) {
  const ReadSidecar r = read_sidecar_text(
      "nondiff: [eps]\nresiduals:\n  - {name: rstd, shape: [rows], dtype: float32}\n"
      "  - {name: seed, shape: [], dtype: int64}\n");
  EXPECT_EQ(r.messages, "");
  const GradientSpec& spec = r.value.gradients;
  ASSERT_EQ(spec.nondiff.size(), 1U);
  EXPECT_EQ(spec.nondiff[0].input, "eps");
  ASSERT_EQ(spec.residuals.size(), 2U);
  EXPECT_EQ(spec.residuals[0].shape, (std::vector<std::string>{"rows"}));
  EXPECT_EQ(spec.residuals[1].dtype, DType::int64);
}

TEST(Sidecar, SaysWhatIsWrongWithResiduals) {
  EXPECT_EQ(read_sidecar_text("nondiff: eps\n").messages,
            "1:10: must be a list of inputs, not 'eps'\n");
  const ReadSidecar r = read_sidecar_text(
      "residuals:\n  - {name: rstd, shape: [rows], dtype: flaot32}\n  - {name: a, shap: []}\n");
  EXPECT_NE(r.messages.find("did you mean \"float32\""), std::string::npos) << r.messages;
  EXPECT_NE(r.messages.find("unknown key \"shap\" (did you mean \"shape\""), std::string::npos)
      << r.messages;
  EXPECT_NE(r.messages.find("3:5: a residual must have dtype"), std::string::npos) << r.messages;
}

TEST(Sidecar, ItsGradientsFitTheDefinitionOrSayWhere) {
  Definition definition{.name = "norm"};
  definition.axes.items = {{"rows", AxisVar{}}};
  definition.inputs.items = {{"x", {{{"rows"}}, DType::float32}}};
  definition.outputs.items = {{"y", {{{"rows"}}, DType::float32}}};
  const ReadSidecar r = read_sidecar_text(
      "nondiff: [xx]\nresiduals:\n  - {name: y, shape: [rows], dtype: float32}\n"
      "  - {name: kept, shape: [row], dtype: float32}\n");
  Diagnostics out;
  EXPECT_FALSE(fits(r.value.gradients, definition, out));
  ASSERT_EQ(out.items().size(), 3U);
  EXPECT_EQ(out.items()[0].message, "norm has no input \"xx\"");
  EXPECT_EQ(out.items()[0].where.line, 1);
  EXPECT_EQ(out.items()[1].message, "\"y\" is the name of another tensor already");
  EXPECT_EQ(out.items()[2].message, "norm has no axis \"row\"");
  EXPECT_EQ(out.items()[2].where.line, 4);
}

}  // namespace
}  // namespace kbench

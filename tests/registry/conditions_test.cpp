// Conditions on a call: axes, scalars, dtypes, and what runs where.
#include "kernels/registry/conditions.hpp"

#include <gtest/gtest.h>

#include "kernels/registry/sidecar.hpp"

namespace kbench {
namespace {

using Axes = std::vector<std::string>;

Definition definition() {
  Definition one;
  one.axes["n"] = AxisVar{};
  one.axes["k"] = AxisConst{.value = 4};
  one.inputs["x"] = {.shape = Axes{"n", "k"}, .dtype = DType::bfloat16};
  one.inputs["window"] = {.shape = std::nullopt, .dtype = DType::int32};
  one.inputs["cap"] = {.shape = std::nullopt, .dtype = DType::float32};
  one.inputs["causal"] = {.shape = std::nullopt, .dtype = DType::boolean};
  one.inputs["w"] = {.shape = Axes{"k"}, .dtype = DType::float32};
  one.outputs["y"] = {.shape = Axes{"n", "k"}, .dtype = DType::float16};
  return one;
}

CallFacts facts(double cap) {
  Workload workload;
  workload.inputs["window"] = ScalarInput{.value = std::int64_t{-1}};
  workload.inputs["cap"] = ScalarInput{.value = cap};
  workload.inputs["causal"] = ScalarInput{.value = true};
  CallFacts all = with_facts(dtype_facts(definition()), scalar_facts(workload));
  all["n"] = 7;
  return with_facts(std::move(all), implementation_facts("cpp", {"cpu", "avx512"}));
}

std::string broken(const std::string& condition, double cap = 0) {
  return broken_condition({condition}, facts(cap));
}

TEST(Conditions, SeeDtypes) {
  EXPECT_EQ(broken("dtype == bfloat16"), "");
  EXPECT_EQ(broken("x.dtype == bfloat16 and w.dtype != bfloat16 and y.dtype == float16"), "");
  EXPECT_EQ(broken("dtype == float16"), "does not serve this call: dtype == float16");
  EXPECT_EQ(broken("window.dtype == int32"), "");
}

TEST(Conditions, SeeScalarsOfWholeValues) {
  EXPECT_EQ(broken("window == -1 and causal"), "");
  EXPECT_EQ(broken("window >= 0 or n > 7"), "does not serve this call: window >= 0 or n > 7");
  EXPECT_EQ(broken("cap == 0", 0), "");
  EXPECT_EQ(broken("cap == 30", 30), "");
  EXPECT_EQ(broken("cap == 0.5 and cap < 1 and cap > -0.5 and cap != None", 0.5), "");
  EXPECT_EQ(broken("cap == 0", 0.5), "does not serve this call: cap == 0 (cap is 0.5)");
  EXPECT_EQ(broken("cap >= -0.25", -0.5), "does not serve this call: cap >= -0.25 (cap is -0.5)");
  EXPECT_EQ(broken("cap == 1e-300", 1e-300), "");
  EXPECT_EQ(broken("cap != 0", 1e-300), "");
  EXPECT_EQ(broken("window == None"), "does not serve this call: window == None");
}

TEST(Conditions, SeeWhatRunsWhere) {
  EXPECT_EQ(broken("platform == cpp and backend == cpu and backend != gpu"), "");
  EXPECT_EQ(broken("backend == gpu or n < 3"), "does not serve this call: backend == gpu or n < 3");
  const CallFacts anywhere = implementation_facts("python", {"any", ""});
  EXPECT_EQ(broken_condition({"platform == python", "backend == cpu"}, anywhere), "");
}

TEST(Conditions, ShowWordsAsTheyAreWritten) {
  const CallFacts all = facts(0);
  const NumberOf number = numbers_in(all);
  const auto result = check_condition("dtype == float16 and n == 3", number);
  EXPECT_EQ(values_of(result, number), "dtype = bfloat16");
}

// Returns "line:column: message (hint)" of a condition in a sidecar.
std::string problem(const std::string& condition) {
  Diagnostics out;
  read_sidecar({"kbench.yaml", "supports:\n  where:\n    - \"" + condition + "\"\n"}, out);
  std::string text;
  for (const Diagnostic& one : out.items())
    text += std::to_string(one.where.column) + ": " + one.message + " (" + one.hint + ")\n";
  return text;
}

TEST(Conditions, CompareWordsWithTheirKindAlone) {
  EXPECT_EQ(problem("dtype == bfloat16 and x.dtype != y.dtype"), "");
  EXPECT_EQ(problem("dtype == 'bfloat16' and 'gpu' != backend"), "");
  EXPECT_EQ(problem("dtype == 'bfloat' and n % 0 == 1"),
            "18: \"bfloat\" is no dtype (did you mean \"bfloat16\"?)\n");
  EXPECT_EQ(problem("n > 3 and dtype == bf16"),
            "27: \"bf16\" is no dtype (it is called bfloat16 here)\n");
  EXPECT_EQ(problem("x.dtype == cpu"),
            "19: \"cpu\" is no dtype (they are float32, float16, bfloat16, "
            "float8_e4m3fn, float8_e5m2, float4_e2m1, int64, int32, int16, int8, bool, uint8, "
            "float8_e8m0fnu)\n");
  EXPECT_EQ(problem("backend == gpux"), "19: \"gpux\" is no backend (did you mean \"gpu\"?)\n");
  EXPECT_EQ(problem("dtype < float16"),
            "8: dtype is a dtype, and no number (it is compared by == or "
            "!= alone, as in dtype == bfloat16)\n");
  EXPECT_EQ(problem("n * cpu == 3"),
            "12: cpu is a backend, and no number (it is compared by == or "
            "!= alone, as in backend == cpu)\n");
  EXPECT_EQ(problem("n == float16"),
            "13: float16 is a dtype, and no number (it is compared by == or "
            "!= alone, as in dtype == bfloat16)\n");
  EXPECT_EQ(problem("x.shape[0] > 2"),
            "8: conditions see no values of tensors: x.dtype and the axes are there ()\n");
}

TEST(Conditions, AreOfACall) {
  const Definition d = definition();
  for (const char* name : {"n", "k", "window", "x.dtype", "y.dtype", "dtype", "backend"})
    EXPECT_TRUE(is_of_call(name, d)) << name;
  for (const char* name : {"x", "m", "z.dtype", "float16"})
    EXPECT_FALSE(is_of_call(name, d)) << name;
}

}  // namespace
}  // namespace kbench

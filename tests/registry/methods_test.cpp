// Functions of a kernel by what they do: the tables D1 and D2 of the research notes.
#include "kernels/registry/methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kbench {
namespace {

Methods named(std::initializer_list<const char*> names) {
  Methods methods;
  for (const char* name : names) methods[name] = std::string("my_") + name;
  return methods;
}

std::string run_of(const Methods& methods, const MethodQuery& query) {
  const auto found = find_method(methods, "run", query);
  return found ? std::string(found->level) + " " + found->function : "nothing";
}

const Methods some = named({"run", "run_cpu", "run_sharded", "run_sharded_cpu"});

TEST(Methods, CompositeContextPlatformGeneric) {  // D1
  EXPECT_EQ(run_of(named({"run"}), {"sharded", "gpu"}), "generic my_run");
  EXPECT_EQ(run_of(some, {"sharded", "gpu"}), "context my_run_sharded");
  EXPECT_EQ(run_of(some, {"sharded", "cpu"}), "composite my_run_sharded_cpu");
  EXPECT_EQ(run_of(some, {"sharded", "tpu"}), "context my_run_sharded");
  EXPECT_EQ(run_of(some, {"", "cpu"}), "platform my_run_cpu");
  EXPECT_EQ(run_of(some, {"", "gpu"}), "generic my_run");
  EXPECT_EQ(run_of(some, {"sharded", ""}), "context my_run_sharded");
  EXPECT_FALSE(find_method(some, "vjp", {"sharded", "cpu"}));
  EXPECT_EQ(run_of({}, {}), "nothing");
}

std::string gradient_of(std::initializer_list<const char*> names, const MethodQuery& query) {
  const auto found = find_gradient(named(names), query);
  return found ? found->first.name + " " + found->second.name : "none";
}

TEST(Methods, GradientsArePairsOfOneLevel) {  // D2
  EXPECT_EQ(gradient_of({"fwd_with_residuals", "vjp"}, {"", "gpu"}), "fwd_with_residuals vjp");
  EXPECT_EQ(gradient_of({"fwd_with_residuals", "vjp"}, {"sharded", "gpu"}),
            "fwd_with_residuals vjp");
  EXPECT_EQ(gradient_of({"fwd_with_residuals_gpu", "vjp"}, {"", "gpu"}), "none");
  EXPECT_EQ(gradient_of({"fwd_with_residuals"}, {"", "gpu"}), "none");
  EXPECT_EQ(gradient_of({"vjp"}, {"", "gpu"}), "none");
  EXPECT_EQ(
      gradient_of({"fwd_with_residuals_gpu", "fwd_with_residuals", "vjp", "vjp_cpu"}, {"", "gpu"}),
      "fwd_with_residuals vjp");
  EXPECT_EQ(gradient_of({"fwd_with_residuals_gpu", "vjp_gpu", "fwd_with_residuals_sharded",
                         "vjp_sharded", "fwd_with_residuals_sharded_gpu"},
                        {"sharded", "gpu"}),
            "fwd_with_residuals_sharded vjp_sharded");
}

TEST(Methods, WhyThereIsNoGradientIsSaid) {
  const auto why = [](std::initializer_list<const char*> names) {
    return why_no_gradient(named(names), {"", "cpu"});
  };
  EXPECT_EQ(why({"run"}), "has neither fwd_with_residuals nor vjp; it has run");
  EXPECT_EQ(why({"vjp"}), "has no fwd_with_residuals to its vjp; it has vjp");
  EXPECT_EQ(why({"fwd_with_residuals_cpu", "vjp_gpu"}),
            "has no vjp to its fwd_with_residuals; it has fwd_with_residuals_cpu, vjp_gpu");
  EXPECT_EQ(why({"fwd_with_residuals_cpu", "vjp"}),
            "has fwd_with_residuals and vjp, but not as a pair of one level; it has "
            "fwd_with_residuals_cpu, vjp");
}

TEST(Methods, OfASolutionWhatItExportsAndDeclares) {
  Solution solution;
  solution.spec.language = Language::cpp;
  solution.spec.entry_point = "k.cpp::go";
  solution.sources = {{"k.cpp",
                       "KBENCH_EXPORT(go, plain)\nKBENCH_EXPORT(run_gpu, fast)\n"
                       "// KBENCH_EXPORT(vjp, none)\nKBENCH_EXPORT(other, other)\n",
                       {}}};
  EXPECT_EQ(methods_of(solution, {}), (Methods{{"run", "go"}, {"run_gpu", "run_gpu"}}));
  EXPECT_EQ(methods_of(solution, {{"run_gpu", "tuned"}, {"vjp", "backward"}}),
            (Methods{{"run", "go"}, {"run_gpu", "tuned"}, {"vjp", "backward"}}));
  solution.spec.language = Language::python;
  solution.spec.entry_point = "k.py::run";
  solution.sources = {{"k.py", "def run(x):\n    return x\n\ndef vjp(x):\n    return x\n", {}},
                      {"other.py", "def run_cpu(x):\n    return x\n", {}}};
  EXPECT_EQ(methods_of(solution, {}), (Methods{{"run", "run"}, {"vjp", "vjp"}}));
}

TEST(Methods, NamesAreAllThatCanBeSaid) {
  const std::vector<std::string> names = method_names();
  EXPECT_EQ(names.size(), 5U * 2 * 5);
  for (const char* name : {"prepare", "run_sharded_gpu", "fwd_with_residuals_cpu", "vjp_sharded"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

Solution python_solution(const std::string& text) {
  Solution solution;
  solution.spec.language = Language::python;
  solution.spec.entry_point = "main.py::run";
  solution.sources = {{"main.py", text, {}}};
  return solution;
}

TEST(Methods, TheDevicesOwnFunctionIsCalled) {
  const std::string run = "def run(x, y):\n    y[:] = x\n\n";
  EXPECT_EQ(called_function(python_solution(run), {}), "");
  EXPECT_EQ(called_function(python_solution(run + "def run_cpu(x, y):\n    pass\n"), {}),
            "run_cpu");
  EXPECT_EQ(called_function(python_solution(run + "def run_gpu(x, y):\n    pass\n"), {}), "");
  // A helper takes other arguments.
  EXPECT_EQ(called_function(python_solution(run + "def run_cpu(x):\n    pass\n"), {}), "");
  // Declared functions count before exported ones.
  EXPECT_EQ(called_function(python_solution(run + "def run_cpu(x, y):\n    pass\n"),
                            {{"run_cpu", "mine"}}),
            "mine");
}

TEST(Prepare, IsDeclaredOrExported) {
  const auto function_of = [](const Solution& solution, const Methods& declared) {
    const auto found = prepare_function(solution, declared);
    if (const auto* why = std::get_if<std::string>(&found)) return "refused: " + *why;
    const auto& method = std::get<std::optional<FoundMethod>>(found);
    return method ? method->function : "";
  };
  Solution solution;
  solution.name = "one";
  solution.spec.entry_point = "k.cpp::run";
  solution.sources = {{"k.cpp", "KBENCH_EXPORT(run, go)\nKBENCH_EXPORT(prepare, make)\n", {}}};
  EXPECT_EQ(function_of(solution, {}), "prepare");
  EXPECT_EQ(function_of(solution, {{"prepare", "setup"}}), "setup");
  EXPECT_EQ(function_of(solution, {{"prepare_gpu", "fast"}, {"prepare_cpu", "slow"}}), "slow");
  solution.sources = {{"k.cpp", "KBENCH_EXPORT(run, go)\n", {}}};
  EXPECT_EQ(function_of(solution, {}), "");
  solution.spec.binding = Binding::torch;
  EXPECT_NE(function_of(solution, {{"prepare", "go"}}).find("in Python"), std::string::npos);
  // Python exports by no word: a function with other parameters is a helper.
  solution.spec = {.language = Language::python, .entry_point = "k.py::run"};
  solution.sources = {{"k.py", "def run(x):\n    return x\n\ndef prepare(x):\n    pass\n", {}}};
  EXPECT_EQ(function_of(solution, {}), "prepare");
  solution.sources = {{"k.py", "def run(x):\n    return x\n\ndef prepare(a, b):\n    pass\n", {}}};
  EXPECT_EQ(function_of(solution, {}), "");
  EXPECT_EQ(function_of(solution, {{"prepare", "prepare"}}), "prepare");
}

}  // namespace

}  // namespace kbench

#include <gtest/gtest.h>

#include "registry/methods.hpp"

namespace kbench {
namespace {

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
  // A function of Python may be called anything: only what is declared is meant.
  solution.spec.language = Language::python;
  solution.sources = {{"k.py", "def run(x):\n    return x\n\ndef prepare(x):\n    pass\n", {}}};
  EXPECT_EQ(function_of(solution, {}), "");
  EXPECT_NE(function_of(solution, {{"prepare", "prepare"}}).find("in C++"), std::string::npos);
}

}  // namespace
}  // namespace kbench

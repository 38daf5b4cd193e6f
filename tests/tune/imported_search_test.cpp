// Recorded searches as advice for a Solution's own.
#include "tune/imported_search.hpp"

#include <gtest/gtest.h>

#include "registry/sidecar.hpp"
#include "support/said.hpp"
#include "tune/make_space.hpp"

namespace kbench {
namespace {

Tunables tunables(const std::string& yaml) {
  Diagnostics out;
  return read_sidecar({"kbench.yaml", yaml}, out).tunables;
}

const Tunables& gemm() {
  static const Tunables one = tunables(
      "params: {BLOCK: [16, 32, 64], VEC: [1, 2]}\n"
      "where: [\"BLOCK * VEC <= 64\"]\n"
      "heuristic: [{cfg: {BLOCK: 16, VEC: 2}}]\n");
  return one;
}

constexpr const char* cache = R"({"kernel_name": "gemm",
"tune_params_keys": ["BLOCK", "VEC"],
"tune_params": {"BLOCK": [16, 32, 64], "VEC": [1, 2]},
"cache": {
"16,1": {"BLOCK": 16, "VEC": 1, "time": 3.0},
"32,1": {"BLOCK": 32, "VEC": 1, "time": 1.0},
"64,1": {"BLOCK": 64, "VEC": 1, "time": "RuntimeFailedConfig"},
"64,2": {"BLOCK": 64, "VEC": 2, "time": 0.5}
}})";

std::vector<std::string> texts(const Space& space, const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> out;
  for (const std::uint32_t number : numbers)
    out.push_back(configuration_text(space.configuration(number)));
  return out;
}

TEST(ImportedSearch, TheFastestComesFirstAndWhatTheSpaceLacksIsCounted) {
  Diagnostics out;
  const auto imported = import_search({"c.json", cache}, gemm(), out);
  EXPECT_EQ(text_of(out), "");
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->failed, 1u);
  const auto space = make_space(gemm(), {}, out);
  const ImportedFirst first = first_of(*imported, *heuristic_configuration(gemm(), {}), *space);
  EXPECT_EQ(texts(*space, first.numbers),
            (std::vector<std::string>{"BLOCK=32,VEC=1", "BLOCK=16,VEC=1"}));
  EXPECT_EQ(first.missing, 1u);
}

TEST(ImportedSearch, WhatTheFileDoesNotHaveIsTheHeuristics) {
  Diagnostics out;
  const auto imported = import_search({"t4.json",
                                       R"({"schema_version": "1.0.0", "results": [
{"configuration": {"BLOCK": 32}, "invalidity": "correct", "measurements": [{"name": "GFLOP/s", "value": 5, "unit": ""}], "objectives": ["GFLOP/s"]},
{"configuration": {"BLOCK": 16}, "invalidity": "correct", "measurements": [{"name": "GFLOP/s", "value": 7, "unit": ""}], "objectives": ["GFLOP/s"]}]})"},
                                      gemm(), out);
  EXPECT_EQ(text_of(out), "");
  ASSERT_TRUE(imported);
  const auto space = make_space(gemm(), {}, out);
  const ImportedFirst first = first_of(*imported, *heuristic_configuration(gemm(), {}), *space);
  EXPECT_EQ(texts(*space, first.numbers),
            (std::vector<std::string>{"BLOCK=16,VEC=2", "BLOCK=32,VEC=2"}));
}

TEST(ImportedSearch, NamesAndValuesOfAnotherKernelAreErrors) {
  Diagnostics out;
  EXPECT_FALSE(import_search({"c.json", cache},
                             tunables("params: {BLOCKS: [16, 32, 64], VEC: [1, 4]}\n"), out));
  EXPECT_EQ(text_of(out),
            "3:17: \"BLOCK\" is no parameter of the solution (did you mean \"BLOCKS\"?)\n"
            "3:40: VEC is 2 there: it can be 1, 4 (the file is of another kernel, or of other "
            "values of its parameters)\n");
}

}  // namespace
}  // namespace kbench

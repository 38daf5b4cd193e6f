// Recorded searches as advice for a Solution's own.
#include "tune/imported_search.hpp"

#include <gtest/gtest.h>

#include "kernels/registry/sidecar.hpp"
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

struct Read {
  Space space;
  std::optional<ImportedSearch> search;
  std::vector<std::string> first;  // texts of the first ones
  std::string said;
};

Read read(const std::string& text, const Tunables& of = gemm()) {
  Diagnostics out;
  Read read{make_space(of, {}, out).value(), {}, {}, ""};
  const auto heuristic = heuristic_configuration(of, {});
  read.search = import_search({"c.json", text}, {of, read.space, *heuristic}, out);
  if (read.search) read.first = texts(read.space, read.search->first);
  read.said = text_of(out);
  return read;
}

using Texts = std::vector<std::string>;

TEST(ImportedSearch, TheFastestComesFirstAndWhatTheSpaceLacksIsCounted) {
  const Read given = read(cache);
  EXPECT_EQ(given.said, "");
  EXPECT_EQ(given.first, (Texts{"BLOCK=32,VEC=1", "BLOCK=16,VEC=1"}));
  ASSERT_TRUE(given.search);
  EXPECT_EQ(given.search->failed, 1u);
  EXPECT_EQ(given.search->missing, 1u);
}

// Kernel Tuner leaves such a cache while a search runs: a comma behind the last entry.
TEST(ImportedSearch, ACacheMayBeOpen) {
  std::string open = cache;
  open = open.substr(0, open.rfind("}}")) +
         ",\n\"32,2\": {\"BLOCK\": 32, \"VEC\": 2, \"time\": 1e20},\n";
  const Read given = read(open);
  EXPECT_EQ(given.said, "");
  EXPECT_EQ(given.first.size(), 2u);
  ASSERT_TRUE(given.search);
  EXPECT_EQ(given.search->failed, 2u);
  EXPECT_EQ(read(open + "\"64").search, std::nullopt);
}

TEST(ImportedSearch, WhatTheFileDoesNotHaveIsTheHeuristics) {
  const Read given = read(R"({"schema_version": "1.0.0", "results": [
{"configuration": {"BLOCK": 32.0}, "invalidity": "correct", "objectives": ["time"],
 "measurements": [{"name": "GFLOP/s", "value": 5}, {"name": "time", "value": 2, "unit": "ms"}]},
{"configuration": {"BLOCK": 64}, "invalidity": "runtime", "measurements": [{"name": "time", "value": 1}]},
{"configuration": {"BLOCK": 16}, "invalidity": "correct", "measurements": [{"name": "time", "value": 1}]}]})");
  EXPECT_EQ(given.said, "");
  EXPECT_EQ(given.first, (Texts{"BLOCK=16,VEC=2", "BLOCK=32,VEC=2"}));
  ASSERT_TRUE(given.search);
  EXPECT_EQ(given.search->failed, 1u);
}

TEST(ImportedSearch, NamesAndValuesOfAnotherKernelAreErrors) {
  const Read given = read(cache, tunables("params: {BLOCKS: [16, 32, 64], VEC: [1, 4]}\n"));
  EXPECT_FALSE(given.search);
  EXPECT_EQ(given.said, "3:17: \"BLOCK\" is no parameter of the solution\n");
  const Read other = read(cache, tunables("params: {BLOCK: [8], VEC: [4]}\n"));
  EXPECT_NE(other.said.find("is in the solution's space"), std::string::npos) << other.said;
}

TEST(ImportedSearch, WhatIsNoRecordIsRefused) {
  for (const char* text : {"[]", "3", "", "{", "\x1f\x8b\x08", R"({"results": 3})",
                           R"({"results": [3, {"configuration": 3}]})",
                           R"({"tune_params": {"VEC": [null]}, "cache": {}})",
                           R"({"tune_params": 3, "cache": {"a": 3, "b": {"time": "soon"}}})"}) {
    const Read given = read(text);
    EXPECT_FALSE(given.search) << text;
    EXPECT_NE(given.said, "") << text;
  }
}

}  // namespace
}  // namespace kbench

// Order in which implementations are chosen, beyond what registry_test.cpp has of it, and messages
// of a miss.
#include "kernels/registry/lookup.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "registry/tensor_meta.hpp"

namespace kbench {
namespace {

const std::string op = "ns::f.out";

struct Made {
  std::string symbol;
  std::string backend = "cpu";
  std::optional<KernelKey> key = std::nullopt;
  int priority = 0;
  std::string condition = {};
};

Registry registry_of(const std::vector<Made>& all) {
  Registry registry;
  Diagnostics out;
  for (const Made& made : all) {
    Implementation one;
    one.operation = op;
    one.platform = "cpp";
    one.backend = *parse_backend(made.backend);
    one.priority = made.priority;
    one.key = made.key;
    one.outputs = 1;
    if (!made.condition.empty()) one.conditions = {made.condition};
    one.symbol = made.symbol;
    registry.add(one, false, out);
  }
  EXPECT_EQ(out.errors(), 0U);
  return registry;
}

Query asked(std::optional<KernelKey> key = std::nullopt) {
  Query query;
  query.operation = op;
  query.key = std::move(key);
  query.host.cpu_features = {"avx2"};
  return query;
}

// Names the kernels that serve, best first; with "/" and why before those that do not.
std::string order(const Registry& registry, const Query& query) {
  std::vector<std::string> words;
  for (const auto& [one, skipped] : registry.resolve(query).candidates)
    words.push_back(skipped.empty() ? one->symbol : "/" + one->symbol);
  return join(words, " ");
}

const KernelKey rows = {meta(6, {0, 1}), meta(6, {0, 1})};
const KernelKey any_order = {TensorMeta{6, std::nullopt, false},
                             TensorMeta{6, std::nullopt, false}};
const KernelKey half_open = {meta(6, {0, 1}), TensorMeta{}};

TEST(Lookup, WhatLeavesLessOpenGoesFirst) {
  const Registry registry = registry_of(
      {{"default"}, {"any", "cpu", any_order}, {"half", "cpu", half_open}, {"exact", "cpu", rows}});
  EXPECT_EQ(order(registry, asked(rows)), "exact any half default");
  EXPECT_EQ(order(registry, asked(KernelKey{meta(6, {1, 0}), meta(6, {0, 1})})),
            "any default /exact /half");
  EXPECT_EQ(order(registry, asked()), "default /any /half /exact");
  EXPECT_TRUE(registry.resolve(asked(rows)).is_exact);
  EXPECT_FALSE(registry.resolve(asked()).is_exact);
}

TEST(Lookup, PriorityGoesBeforeEverything) {  // R10
  const Registry registry =
      registry_of({{"exact", "cpu", rows}, {"default", "cpu", std::nullopt, 1}});
  EXPECT_EQ(order(registry, asked(rows)), "default exact");
}

TEST(Lookup, TheMoreRefinedGoesFirstWhereItRuns) {
  const Registry registry =
      registry_of({{"plain"}, {"narrow", "cpu:avx2"}, {"wide", "cpu:avx512"}, {"anywhere", "any"}});
  EXPECT_EQ(order(registry, asked()), "narrow plain anywhere /wide");
  Query query = asked();
  query.host.cpu_features = {"avx2", "avx512f"};
  EXPECT_EQ(order(registry, query), "wide narrow plain anywhere");
  query.backend = parse_backend("cpu:avx2");
  EXPECT_EQ(order(registry, query), "narrow plain anywhere /wide");
}

TEST(Lookup, AmongEqualsTheFirstThatWasAdded) {
  const Registry registry =
      registry_of({{"b", "cpu", std::nullopt, 0, "M > 0"}, {"a", "cpu", std::nullopt, 0, "M > 1"}});
  Query query = asked();
  query.axes = {{"M", 8}};
  EXPECT_EQ(order(registry, query), "b a");
}

TEST(Lookup, AModelsKeyNamesTheOutputTwice) {  // K19
  const Registry registry = registry_of({{"exact", "cpu", rows}});
  EXPECT_EQ(order(registry, asked(KernelKey(3, meta(6, {0, 1})))), "exact");
  EXPECT_EQ(order(registry, asked(KernelKey(4, meta(6, {0, 1})))), "/exact");
}

TEST(Lookup, RankZero) {  // K18
  const Registry registry = registry_of({{"zero", "cpu", KernelKey{meta(6, {}), meta(6, {})}}});
  EXPECT_EQ(order(registry, asked(KernelKey{meta(6, {}), meta(6, {})})), "zero");
  EXPECT_EQ(order(registry, asked(KernelKey{meta(6, {0}), meta(6, {0})})), "/zero");
}

TEST(Lookup, AllConditionsThatDoNotHoldAreSaidAsTheyAreDeclared) {  // U2
  Implementation one;
  one.operation = op;
  one.platform = "cpp";
  one.backend = *parse_backend("cpu");
  one.conditions = {"window <= 0", "N > 0", "scale == 1"};
  Registry registry;
  Diagnostics said;
  registry.add(one, false, said);
  Query query = asked();
  query.axes = {{"N", 8}, {"scale", 2}, {"window", 3}};
  EXPECT_EQ(registry.resolve(query).candidates.at(0).skipped,
            "does not serve this call: window <= 0; scale == 1");
  query.axes["scale"] = 1;  // U1
  EXPECT_EQ(registry.resolve(query).candidates.at(0).skipped,
            "does not serve this call: window <= 0");
  query.axes["window"] = 0;
  EXPECT_EQ(registry.resolve(query).candidates.at(0).skipped, "");
}

TEST(Lookup, ReasonsOfASkip) {
  const auto why = [](const Made& made, const Query& query) {
    const Registry registry = registry_of({made});
    return registry.resolve(query).candidates.at(0).skipped;
  };
  Query query = asked(rows);
  EXPECT_EQ(why({"f", "gpu"}, query), "this machine has no gpu");
  EXPECT_EQ(why({"f", "cpu:avx512"}, query), "this machine has no cpu:avx512");
  EXPECT_EQ(why({"f", "cpu", KernelKey(3, meta(6, {0, 1}))}, query),
            "is for 3 tensors, 2 are given");
  EXPECT_EQ(why({"f", "cpu", KernelKey{meta(6, {0, 1}), meta(7, {0, 1})}}, query),
            "tensor 1: Double[0,1] is served, Float[0,1] is given");
  EXPECT_EQ(why({"f", "cpu", std::nullopt, 0, "M <= 4"}, query),
            "M <= 4 cannot be told: M is not given (--axes M=…)");
  query.axes = {{"M", 8}};
  EXPECT_EQ(why({"f", "cpu", std::nullopt, 0, "M <= 4"}, query),
            "does not serve this call: M <= 4");
  query.platform = "Auto";  // asks for nothing
  EXPECT_EQ(why({"f", "gpu"}, query), "this machine has no gpu");
  query.platform = "CUDA";
  EXPECT_EQ(why({"f"}, query), "is written in cpp, cuda is asked for");
  query.platform = "Auto";
  query.backend = parse_backend("gpu");
  EXPECT_EQ(why({"f"}, query), "is for cpu, gpu is asked for");
}

TEST(Lookup, OperatorsAreToldApartByCaseAndDefinitionsNot) {  // K17
  EXPECT_TRUE(same_operation("Gemm_N4096", "gemm_n4096"));
  EXPECT_FALSE(same_operation("ns::F.out", "ns::f.out"));
  EXPECT_FALSE(same_operation("aten::add.out", "add.out"));
}

TEST(Lookup, OfTwoSolutionsForTheSameCallsBothStay) {
  Stored<Solution> one;
  one.record.name = "one";
  one.record.definition = "gemm";
  Stored<Solution> two = one;
  two.record.name = "two";
  Registry registry;
  Diagnostics out;
  registry.add(implementation_of(one, {}), false, out);
  registry.add(implementation_of(two, {}), false, out);
  EXPECT_EQ(out.errors(), 0U);
  EXPECT_EQ(registry.implementations("GEMM").size(), 2U);
}

TEST(Lookup, ASidecarSaysOfASolutionWhatItSays) {
  Stored<Solution> stored;
  stored.record.definition = "gemm";
  stored.record.spec.language = Language::cuda;
  KernelSettings said;
  EXPECT_EQ(text(implementation_of(stored, said).backend), "gpu");
  said.backend = parse_backend("gpu:sm_90");
  said.priority = 3;
  said.conditions = {"M <= 8"};
  const Implementation one = implementation_of(stored, said);
  EXPECT_EQ(one.platform, "cuda");
  EXPECT_EQ(text(one.backend), "gpu:sm_90");
  EXPECT_EQ(one.priority, 3);
  EXPECT_EQ(one.conditions, std::vector<std::string>{"M <= 8"});
}

TEST(Lookup, TextsForPeople) {
  Query query = asked(rows);
  query.op = "aten::f";
  query.axes = {{"M", 8}};
  query.platform = "CPP";
  query.backend = parse_backend("cpu");
  EXPECT_EQ(requested_text(query),
            "ns::f.out (aten::f) for Float[0,1], Float[0,1] M=8, platform cpp, backend cpu");
  const Registry registry = registry_of({{"a::f", "cpu:avx2", rows, 2}});
  EXPECT_EQ(text(registry.implementations()[0]),
            "a::f (cpp, cpu:avx2, Float[0,1], Float[0,1], priority 2)");
}

}  // namespace
}  // namespace kbench

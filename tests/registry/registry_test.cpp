// Choice of the implementation for a call: ejkernel's rules where they are right (rows R1 to R13 of
// the research notes), and an order of kbench's own where they are not.
#include "kernels/registry/registry.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "registry/tensor_meta.hpp"

namespace kbench {
namespace {

Implementation made(const std::string& symbol, const std::string& platform,
                    const std::string& backend, int priority = 0) {
  Implementation one;
  one.operation = "MatMul";
  one.platform = platform;
  one.backend = *parse_backend(backend);
  one.priority = priority;
  one.symbol = symbol;
  one.where = {symbol + ".json", 1, 1, "", ""};
  return one;
}

// Returns "" where nothing serves.
std::string chosen(const Registry& registry, const Query& query) {
  const Resolution found = registry.resolve(query);
  return found.chosen == nullptr ? "" : found.chosen->symbol;
}

std::string ask(const Registry& registry, const std::string& platform, const std::string& backend,
                const std::string& operation = "matmul") {
  Query query;
  query.operation = operation;
  if (!platform.empty()) query.platform = platform;
  if (!backend.empty()) query.backend = parse_backend(backend);
  return chosen(registry, query);
}

Registry registry_of(const std::vector<Implementation>& all) {
  Registry registry;
  Diagnostics out;
  for (const Implementation& one : all) registry.add(one, false, out);
  EXPECT_EQ(out.errors(), 0U);
  return registry;
}

Registry usual_registry() {
  return registry_of({made("tg0", "triton", "gpu"), made("xa0", "xla", "any"),
                      made("ca0", "cpp", "any", -1), made("cg5", "cuda", "gpu", 5)});
}

TEST(Registry, ListsByPriority) {  // R1, R2, R13
  const Registry registry = usual_registry();
  EXPECT_EQ(registry.operations(), std::vector<std::string>{"MatMul"});
  std::vector<std::string> symbols;
  for (const Implementation* one : registry.implementations("mAtMuL"))
    symbols.push_back(one->symbol);
  EXPECT_EQ(join(symbols, " "), "cg5 tg0 xa0 ca0");
  EXPECT_TRUE(registry.implementations("nope").empty());
}

TEST(Registry, WithoutFiltersTheBestThatRunsHere) {  // R3
  Query query;
  query.operation = "matmul";
  EXPECT_EQ(chosen(usual_registry(), query), "ca0");
  query.host.gpus = {"sm_90"};
  EXPECT_EQ(chosen(usual_registry(), query), "cg5");
}

TEST(Registry, FiltersAreBelievedEvenIfNothingRunsThere) {  // R4 to R9
  const Registry registry = usual_registry();
  EXPECT_EQ(ask(registry, "triton", ""), "tg0");
  EXPECT_EQ(ask(registry, "TRITON", "gpu"), "tg0");
  EXPECT_EQ(ask(registry, "", "cpu"), "xa0");
  EXPECT_EQ(ask(registry, "", "any"), "xa0");
  EXPECT_EQ(ask(registry, "auto", "gpu"), "cg5");
  EXPECT_EQ(ask(registry, "cuda", "cpu"), "");
  EXPECT_EQ(ask(registry, "pallas", ""), "");
  EXPECT_EQ(ask(registry, "", "", "nope"), "");
  EXPECT_EQ(ask(registry_of({made("tg0", "triton", "gpu")}), "xla", ""), "");  // R8
}

TEST(Registry, PriorityThenWhatIsMeantForTheBackend) {  // R10, R11
  EXPECT_EQ(ask(registry_of({made("any", "cpp", "any", 1), made("gpu", "cuda", "gpu")}), "", "gpu"),
            "any");
  EXPECT_EQ(ask(registry_of({made("any", "cpp", "any"), made("gpu", "cuda", "gpu")}), "", "gpu"),
            "gpu");
  EXPECT_EQ(ask(registry_of({made("gpu", "cuda", "gpu"), made("h100", "cuda", "gpu:sm_90")}), "",
                "gpu:sm_90"),
            "h100");
  EXPECT_EQ(ask(registry_of({made("a100", "cuda", "gpu:sm_80"), made("gpu", "cuda", "gpu")}), "",
                "gpu:sm_90"),
            "gpu");
}

TEST(Registry, TwoForTheSameCallsAreAMistakeWithBothPlaces) {  // R2
  Registry registry;
  Diagnostics out;
  registry.add(made("one", "cuda", "gpu"), false, out);
  registry.add(made("two", "cuda", "gpu"), false, out);
  ASSERT_EQ(out.errors(), 1U);
  EXPECT_EQ(out.items()[0].where.file, "two.json");
  EXPECT_EQ(out.items()[0].message, "MatMul has one registered already, for the same calls on gpu");
  EXPECT_EQ(out.items()[0].hint,
            "the other one: one.json:1; kbench kernels … --replace takes the later of the two");
  EXPECT_EQ(ask(registry, "", "gpu"), "one");
  registry.add(made("two", "cuda", "gpu"), true, out);
  EXPECT_EQ(out.errors(), 1U);
  EXPECT_EQ(ask(registry, "", "gpu"), "two");
}

TEST(Registry, ConditionsHoldForTheAxes) {
  Implementation small = made("small", "cpp", "cpu", 1);
  small.conditions = {"M <= 64", "N % 8 == 0"};
  const Registry registry = registry_of({made("any", "cpp", "cpu"), small});
  Query query;
  query.operation = "MatMul";
  EXPECT_EQ(chosen(registry, query), "any");  // the axes are not known
  query.axes = {{"M", 64}, {"N", 16}};
  EXPECT_EQ(chosen(registry, query), "small");
  query.axes["N"] = 17;
  EXPECT_EQ(chosen(registry, query), "any");
  EXPECT_EQ(registry.resolve(query).candidates.back().skipped,
            "does not serve this call: N % 8 == 0");
}

Registry with_keys(bool fallback) {
  Implementation special = made("special", "cpp", "cpu");
  special.operation = "foo::f.out";
  special.key = KernelKey{meta(4, {0, 1, 2, 3})};
  Registry registry = registry_of({special});
  Diagnostics out;
  Implementation other = made("fallback", "cpp", "cpu");
  other.operation = "foo::f.out";
  if (fallback) registry.add(other, false, out);
  return registry;
}

std::string call(const Registry& registry, std::optional<KernelKey> key,
                 const std::string& name = "foo::f.out") {
  Query query;
  query.operation = name;
  query.key = std::move(key);
  return chosen(registry, query);
}

TEST(Registry, KeysOfTensors) {  // K9, K11 to K14, K17
  const KernelKey right = {meta(4, {0, 1, 2, 3})};
  EXPECT_EQ(call(with_keys(false), std::nullopt), "");
  EXPECT_EQ(call(with_keys(false), right), "special");
  EXPECT_EQ(call(with_keys(false), KernelKey{meta(4, {0, 3, 1, 2})}), "");
  EXPECT_EQ(call(with_keys(false), KernelKey{meta(6, {0, 1, 2, 3})}), "");
  EXPECT_EQ(call(with_keys(true), std::nullopt), "fallback");
  EXPECT_EQ(call(with_keys(true), right), "special");
  EXPECT_EQ(call(with_keys(true), KernelKey{meta(6, {0, 1, 2, 3})}), "fallback");
  EXPECT_EQ(call(with_keys(true), right, "f.out"), "");
  EXPECT_EQ(call(with_keys(true), right, "foo::F.out"), "");
}

TEST(Registry, AMissNamesTheNearestFirst) {
  std::vector<Implementation> all = {made("far", "cpp", "cpu"), made("gpu", "cuda", "gpu"),
                                     made("near", "cpp", "cpu")};
  all[0].key = KernelKey{meta(4, {0, 1}), meta(4, {1, 0})};
  all[1].key = KernelKey{meta(6, {0, 1}), meta(6, {0, 1})};
  all[2].key = KernelKey{meta(6, {0, 1}), meta(6, {1, 0})};
  const Registry registry = registry_of(all);
  Query query;
  query.operation = "MatMul";
  query.backend = parse_backend("cpu");
  query.key = all[1].key;
  query.platform = "cpp";
  const Miss miss = miss_of(registry, query, registry.resolve(query));
  EXPECT_EQ(miss.difference, "tensor 1: Float[1,0] is served, Float[0,1] is given");
  EXPECT_EQ(join(miss.available, "; "),
            "near (cpp, cpu, Float[0,1], Float[1,0]); far (cpp, cpu, Long[0,1], Long[1,0]); "
            "gpu (cuda, gpu, Float[0,1], Float[0,1])");
}

TEST(Registry, AMissSaysWhatThereIsAndHowItDiffers) {  // K20
  const Registry registry = with_keys(false);
  Query query;
  query.operation = "foo::f.out";
  query.key = KernelKey{meta(6, {0, 1, 2, 3})};
  const Miss miss = miss_of(registry, query, registry.resolve(query));
  EXPECT_EQ(miss.requested, "foo::f.out for Float[0,1,2,3]");
  EXPECT_EQ(join(miss.available, "; "), "special (cpp, cpu, Long[0,1,2,3])");
  EXPECT_EQ(miss.difference, "tensor 0: Long[0,1,2,3] is served, Float[0,1,2,3] is given");
  query.operation = "foo::g.out";
  EXPECT_EQ(miss_of(registry, query, registry.resolve(query)).difference,
            "nothing is registered for foo::g.out; did you mean \"foo::f.out\"?");
}

}  // namespace
}  // namespace kbench

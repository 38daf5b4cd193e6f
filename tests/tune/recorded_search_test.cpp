// The strategies on a space that was measured, which the others do not know.
#include "tune/recorded_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "recorded_space.hpp"
#include "tune/kernel_tuner_cache.hpp"
#include "tune/search.hpp"

namespace kbench {
namespace {

const RecordedSearch& convolution() {
  static const RecordedSearch record = [] {
    Diagnostics diagnostics;
    return read_kernel_tuner({"convolution.json", recorded_cache_text("convolution_a6000")}, {},
                             diagnostics)
        .value();
  }();
  return record;
}

double optimum() {
  double least = INFINITY;
  for (const auto& value : convolution().values) least = std::min(least, value.value_or(least));
  return least;
}

// The optimum's part of what `seeds` searches find, on average.
double found(const char* strategy, std::size_t evaluations, std::size_t batch = 1) {
  constexpr int seeds = 50;
  double sum = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    SearchOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    options.evaluations = evaluations;
    options.batch = batch;
    const SearchResult result =
        run_search(convolution().space, replay(convolution()), *find_strategy(strategy), options);
    sum += result.best_cost ? optimum() / *result.best_cost : 0;
  }
  return sum / seeds;
}

TEST(RecordedSearch, IsReadWhole) {
  EXPECT_EQ(convolution().kernel, "convolution_kernel");
  EXPECT_EQ(convolution().device, "NVIDIA RTX A6000");
  EXPECT_EQ(convolution().space.size(), 2'442U);
  const auto& failures = convolution().failures;
  EXPECT_EQ(std::count(failures.begin(), failures.end(), "CompilationFailedConfig"), 104);
  EXPECT_EQ(std::count(failures.begin(), failures.end(), "RuntimeFailedConfig"), 72);
  for (std::size_t i = 0; i < failures.size(); ++i)
    EXPECT_EQ(failures[i].empty(), convolution().values[i].has_value());
}

TEST(RecordedSearch, ExhaustiveSearchFindsTheOptimum) {
  const SearchResult result =
      run_search(convolution().space, replay(convolution()), *find_strategy("exhaustive"));
  EXPECT_EQ(result.best_cost, optimum());
  EXPECT_EQ(result.steps.size(), 2'442U);
}

TEST(RecordedSearch, LocalSearchBeatsChance) {
  for (const std::size_t evaluations : {25, 50, 100})
    EXPECT_GT(found("local", evaluations), found("random", evaluations) + 0.01) << evaluations;
  EXPECT_GT(found("local", 100), 0.98);
}

// As many at once as are built at once.
TEST(RecordedSearch, LocalSearchBeatsChanceInBatches) {
  EXPECT_GT(found("local", 100, 8), found("random", 100, 8) + 0.01);
}

TEST(Replay, OfWhatIsBetterTheMoreIsTurnedRound) {
  RecordedSearch record;
  record.is_higher_better = true;
  record.values = {3.0, std::nullopt, 5.0};
  const std::vector<std::uint32_t> all{0, 1, 2};
  EXPECT_EQ(replay(record)(all, 1), (std::vector<std::optional<double>>{-3.0, std::nullopt, -5.0}));
}

}  // namespace
}  // namespace kbench

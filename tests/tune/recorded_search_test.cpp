// Strategies on a space that was measured, which the others do not know.
#include <gtest/gtest.h>

#include <algorithm>

#include "recorded_space.hpp"
#include "tune/search.hpp"

namespace kbench {
namespace {

const RecordedSpace& convolution() {
  static const RecordedSpace record = recorded_space(recorded_cache("convolution_a6000"));
  return record;
}

double optimum() {
  double least = INFINITY;
  for (const auto& value : convolution().times) least = std::min(least, value.value_or(least));
  return least;
}

// Returns the optimum's part of what `seeds` searches find, on average.
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

// A batch has as many as are built at once.
TEST(RecordedSearch, LocalSearchBeatsChanceInBatches) {
  EXPECT_GT(found("local", 100, 8), found("random", 100, 8) + 0.01);
}

}  // namespace
}  // namespace kbench

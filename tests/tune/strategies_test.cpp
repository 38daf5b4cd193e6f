#include "tune/strategies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tune/make_space.hpp"
#include "tune/search.hpp"

namespace kbench {
namespace {

// A space of 8 x 8 x 8 x 4 configurations, less a few.
Space space() {
  std::vector<SpaceParameter> parameters;
  for (const char* name : {"A", "B", "C", "D"}) {
    SpaceParameter parameter{name, {}};
    for (std::int64_t i = 0; i < (*name == 'D' ? 4 : 8); ++i) parameter.values.push_back(i);
    parameters.push_back(parameter);
  }
  return std::get<Space>(make_space(parameters, {"A + B != 3"}, {}));
}

// Returns a bowl with ripples; some fail.
std::optional<double> cost(const Space& space, std::uint32_t number) {
  const double a = space.value(number, 0), b = space.value(number, 1), c = space.value(number, 2),
               d = space.value(number, 3);
  if (a + d == 9) return std::nullopt;
  return 10 + (a - 5) * (a - 5) + (b - 2) * (b - 2) + 0.5 * std::abs(c - a) + std::fmod(a * d, 3);
}

// Answers, and remembers what it was asked.
struct World {
  Space space;
  std::vector<std::vector<std::uint32_t>> batches;
  std::vector<int> efforts;

  Objective objective() {
    return [this](std::span<const std::uint32_t> some, int effort) {
      batches.emplace_back(some.begin(), some.end());
      efforts.push_back(effort);
      std::vector<std::optional<double>> costs;
      for (const std::uint32_t one : some) costs.push_back(cost(space, one));
      return costs;
    };
  }
};

double lowest(const Space& space) {
  double least = INFINITY;
  for (std::uint32_t i = 0; i < space.size(); ++i)
    least = std::min(least, cost(space, i).value_or(INFINITY));
  return least;
}

class EachStrategy : public testing::TestWithParam<std::string_view> {
 protected:
  SearchResult run(World& world, const SearchOptions& options) {
    return run_search(world.space, world.objective(), *find_strategy(GetParam()), options);
  }
};

TEST_P(EachStrategy, FindsTheBestWhereNothingEndsIt) {
  World world{space(), {}, {}};
  const SearchResult result = run(world, {});
  EXPECT_EQ(result.end, SearchEnd::complete);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best_cost, lowest(world.space));
  std::set<std::uint32_t> asked;
  for (const SearchStep& step : result.steps) asked.insert(step.configuration);
  EXPECT_EQ(asked.size(), world.space.size());
}

TEST_P(EachStrategy, KeepsToItsBudgetAndItsBatches) {
  for (const std::size_t budget :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
    for (const std::size_t batch : {std::size_t{1}, std::size_t{4}, std::size_t{64}}) {
      World world{space(), {}, {}};
      SearchOptions options;
      options.evaluations = budget;
      options.batch = batch;
      const SearchResult result = run(world, options);
      EXPECT_EQ(result.end, SearchEnd::budget);
      EXPECT_EQ(result.steps.size(), budget);
      for (const auto& some : world.batches) EXPECT_LE(some.size(), batch);
    }
  }
}

TEST_P(EachStrategy, AsksAboutNothingTwiceWithTheSameEffort) {
  World world{space(), {}, {}};
  SearchOptions options;
  options.batch = 5;
  run(world, options);
  std::set<std::pair<std::uint32_t, int>> asked;
  for (std::size_t i = 0; i < world.batches.size(); ++i) {
    for (const std::uint32_t one : world.batches[i])
      EXPECT_TRUE(asked.emplace(one, world.efforts[i]).second) << one;
  }
}

TEST_P(EachStrategy, IsTheSameForTheSameSeed) {
  const auto asked = [&](std::uint64_t seed) {
    World world{space(), {}, {}};
    SearchOptions options;
    options.seed = seed;
    options.evaluations = 200;
    run(world, options);
    return world.batches;
  };
  EXPECT_EQ(asked(1), asked(1));
  if (GetParam() != "exhaustive") {
    EXPECT_NE(asked(1), asked(2));
  }
}

TEST_P(EachStrategy, BeginsWithWhatIsKnownToBeGood) {
  World world{space(), {}, {}};
  SearchOptions options;
  options.first = {900, 17, 900};
  options.evaluations = 30;
  options.batch = 4;
  const SearchResult result = run(world, options);
  EXPECT_EQ(result.steps[0].configuration, 900U);
  EXPECT_EQ(result.steps[1].configuration, 17U);
  std::set<std::uint32_t> asked;
  for (const SearchStep& step : result.steps) asked.insert(step.configuration);
  if (GetParam() != "halving") {
    EXPECT_EQ(asked.size(), 30U);
  }
}

TEST_P(EachStrategy, StopsWhenItIsTold) {
  World world{space(), {}, {}};
  SearchOptions options;
  options.batch = 4;
  options.stop = [&] { return world.batches.size() == 3; };
  const SearchResult result = run(world, options);
  EXPECT_EQ(result.end, SearchEnd::stopped);
  EXPECT_EQ(world.batches.size(), 3U);
}

TEST_P(EachStrategy, TracksTheBestSoFar) {
  World world{space(), {}, {}};
  SearchOptions options;
  options.evaluations = 150;
  const SearchResult result = run(world, options);
  std::optional<double> best;
  for (const SearchStep& step : result.steps) {
    EXPECT_EQ(step.cost, cost(world.space, step.configuration));
    if (step.cost && (!best || *step.cost < *best)) best = step.cost;
    if (GetParam() != "halving") {
      EXPECT_EQ(step.best_cost, best);
    }
  }
  EXPECT_EQ(result.best_cost, result.steps.back().best_cost);
}

// No best is found if everything fails, and no strategy hangs.
TEST_P(EachStrategy, EndsWhereAllFail) {
  const Space all = space();
  const Objective fails = [](std::span<const std::uint32_t> some, int) {
    return std::vector<std::optional<double>>(some.size());
  };
  const SearchResult result = run_search(all, fails, *find_strategy(GetParam()), {});
  EXPECT_EQ(result.end, SearchEnd::complete);
  EXPECT_FALSE(result.best);
}

TEST_P(EachStrategy, WorksOnOneConfiguration) {
  const auto one = std::get<Space>(make_space({}, {}, {}));
  const Objective answer = [](std::span<const std::uint32_t> some, int) {
    return std::vector<std::optional<double>>(some.size(), 3.5);
  };
  const SearchResult result = run_search(one, answer, *find_strategy(GetParam()), {});
  EXPECT_EQ(result.best, 0U);
  EXPECT_EQ(result.best_cost, 3.5);
  EXPECT_EQ(result.end, SearchEnd::complete);
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const Strategy& strategy : strategies()) all.push_back(strategy.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EachStrategy, testing::ValuesIn(names()),
                         [](const auto& info) { return std::string(info.param); });

// Times with 30 % of noise, which effort averages away.
TEST(SuccessiveHalving, FindsTheBestThroughNoise) {
  const Space all = space();
  int right = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.3);
    const Objective noisy = [&](std::span<const std::uint32_t> some, int effort) {
      std::vector<std::optional<double>> costs;
      for (const std::uint32_t one : some) {
        const auto true_cost = cost(all, one);
        costs.push_back(true_cost
                            ? std::optional(*true_cost * (1 + noise(random) / std::sqrt(effort)))
                            : std::nullopt);
      }
      return costs;
    };
    SearchOptions options;
    options.seed = seed;
    const auto best = [&](const char* name) {
      const auto result = run_search(all, noisy, *find_strategy(name), options);
      return *cost(all, *result.best);
    };
    if (best("halving") <= best("exhaustive")) ++right;
  }
  EXPECT_GE(right, 18);
}

// An evaluation with more effort has the last word.
TEST(Search, BelievesWhatWasMeasuredWithMoreEffort) {
  const Space all = space();
  const Objective objective = [&](std::span<const std::uint32_t> some, int effort) {
    std::vector<std::optional<double>> costs;
    for (const std::uint32_t one : some) {
      const bool was_luck = one == 5;
      costs.push_back(was_luck ? (effort == 1 ? std::optional(0.1) : std::nullopt)
                               : std::optional(1.0 + one));
    }
    return costs;
  };
  const SearchResult result = run_search(all, objective, *find_strategy("halving"), {});
  EXPECT_NE(result.best, 5U);
}

}  // namespace
}  // namespace kbench

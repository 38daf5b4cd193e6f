#include "tune/search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kbench {

Search::Search(const Space& space, const Objective& objective, const SearchOptions& options)
    : space_(space),
      objective_(objective),
      options_(options),
      batch_(std::max<std::size_t>(options.batch, 1)),
      random_(options.seed),
      known_(space.size()) {}

bool Search::may_go_on() {
  if (is_over_) return false;
  is_over_ = true;
  if (left() == 0) {
    result_.end = SearchEnd::budget;
  } else if (options_.stop && options_.stop()) {
    result_.end = SearchEnd::stopped;
  } else {
    is_over_ = false;
  }
  return !is_over_;
}

void Search::ask(std::span<const std::uint32_t> configurations, int effort) {
  std::vector<std::uint32_t> batch;
  batch.reserve(std::min(batch_, configurations.size()));
  const auto send = [&] {
    if (!batch.empty() && may_go_on()) {
      ask_batch(std::span(batch).first(std::min(batch.size(), left())), effort);
      // Budgets that end inside a batch end the search at its rest.
      if (left() == 0) may_go_on();
    }
    batch.clear();
  };
  for (const std::uint32_t configuration : configurations) {
    if (is_over_) return;
    if (known_[configuration].effort < effort) batch.push_back(configuration);
    if (batch.size() == batch_) send();
  }
  send();
}

void Search::ask_batch(std::span<const std::uint32_t> configurations, int effort) {
  const auto costs = objective_(configurations, effort);
  if (costs.size() != configurations.size())
    throw std::logic_error("an objective answers about each configuration that it is asked about");
  for (std::size_t i = 0; i < costs.size(); ++i) note(configurations[i], effort, costs[i]);
}

void Search::note(std::uint32_t configuration, int effort, std::optional<double> cost) {
  if (cost && !std::isfinite(*cost)) cost.reset();
  known_[configuration] = {cost.value_or(std::numeric_limits<double>::infinity()), effort};
  result_.steps.push_back({configuration, effort, cost, {}, {}});
  if (cost) {
    compete(configuration);
  } else if (result_.best == configuration) {  // more effort has shown that it fails
    result_.best.reset();
    for (const SearchStep& step : result_.steps) compete(step.configuration);
  }
  result_.steps.back().best = result_.best;
  result_.steps.back().best_cost =
      result_.best ? std::optional(this->cost(*result_.best)) : std::nullopt;
  result_.best_cost = result_.steps.back().best_cost;
}

std::vector<std::uint32_t> Search::asked() const {
  std::vector<std::uint32_t> all;
  for (const SearchStep& step : result_.steps) {
    if (std::find(all.begin(), all.end(), step.configuration) == all.end())
      all.push_back(step.configuration);
  }
  return all;
}

void Search::compete(std::uint32_t configuration) {
  const Known& own = known_[configuration];
  if (std::isinf(own.cost)) return;
  if (result_.best) {
    const Known& other = known_[*result_.best];
    if (own.effort < other.effort || (own.effort == other.effort && own.cost >= other.cost)) return;
  }
  result_.best = configuration;
}

std::size_t Search::draw(std::size_t bound) {
  // Draws of std::uniform_int_distribution differ between libraries.
  return static_cast<std::size_t>(static_cast<unsigned __int128>(random_()) * bound >> 64);
}

SearchResult run_search(const Space& space, const Objective& objective, const Strategy& strategy,
                        const SearchOptions& options) {
  Search search(space, objective, options);
  std::vector<std::uint32_t> first;
  for (const std::uint32_t one : options.first) {
    if (std::find(first.begin(), first.end(), one) == first.end()) first.push_back(one);
  }
  search.ask(first);
  if (!search.is_over()) strategy.run(search);
  return std::move(search).take();
}

}  // namespace kbench

// A search among configurations: what it is given and what comes of it. It asks an Objective, knows
// no clock, and takes its chances from a seed, so that the same answers lead to the same search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "tune/objective.hpp"
#include "tune/space.hpp"
#include "tune/strategies.hpp"

namespace kbench {

struct SearchOptions {
  std::uint64_t seed = 0;
  // How many configurations at most are asked about at once: as many as are built at a time.
  std::size_t batch = 1;
  // Asked about before all others, in this order, whatever the strategy: what is known to be good.
  std::vector<std::uint32_t> first;
  // How many evaluations there are at most. One that asks with more effort about a configuration
  // that is known counts as another; one that asks for what is known does not count.
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();
  // Asked before each batch, where it is there: true ends the search.
  std::function<bool()> stop;
};

// One answer. The first of a search is its evaluation number 1.
struct SearchStep {
  std::uint32_t configuration = 0;
  int effort = 1;
  std::optional<double> cost;         // nothing: it failed
  std::optional<std::uint32_t> best;  // of those up to here
  std::optional<double> best_cost;
};

enum class SearchEnd {
  complete,  // the strategy asked for all it wanted
  budget,    // there were no evaluations left
  stopped,   // `stop` said so
};

struct SearchResult {
  // The cheapest of the configurations asked about with the most effort; of equals the first one
  // asked about. Nothing where all failed.
  std::optional<std::uint32_t> best;
  std::optional<double> best_cost;
  std::vector<SearchStep> steps;
  SearchEnd end = SearchEnd::complete;
};

SearchResult run_search(const Space& space, const Objective& objective, const Strategy& strategy,
                        const SearchOptions& options = {});

}  // namespace kbench

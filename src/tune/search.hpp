// Search among configurations: its options and its result. It asks an Objective, knows no clock,
// and takes its chances from a seed, so that the same answers lead to the same search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "tune/space.hpp"
#include "tune/strategies.hpp"

namespace kbench {

// Question of a search to the world: how long configurations take.

// Costs of configurations, given by their numbers in the space, in any unit: less is better;
// nullopt of one that failed: it was not built, not right or not run. `effort`, from 1 on, says how
// much may be spent on each: measurements take more samples of it, a replay of a recorded search
// does not care. Another question about a configuration is answered with the knowledge of then.
using Objective = std::function<std::vector<std::optional<double>>(
    std::span<const std::uint32_t> configurations, int effort)>;

struct SearchOptions {
  std::uint64_t seed = 0;
  // Most configurations that are asked about at once: as many as are built at a time.
  std::size_t batch = 1;
  // Configurations, known to be good, that any strategy asks about first, in this order.
  std::vector<std::uint32_t> first;
  // Most evaluations. A question with more effort about a known configuration counts as another;
  // one that memory answers does not count.
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();
  // Predicate that is called before each batch, where it is there: true ends the search.
  std::function<bool()> stop;
};

// Answer of the objective. The first of a search is its evaluation number 1.
struct SearchStep {
  std::uint32_t configuration = 0;
  int effort = 1;
  std::optional<double> cost;         // nullopt: it failed
  std::optional<std::uint32_t> best;  // best of those up to here
  std::optional<double> best_cost;
};

enum class SearchEnd {
  complete,  // strategy asked for all it wanted
  budget,    // no evaluations were left
  stopped,   // `stop` returned true
};

struct SearchResult {
  // Cheapest of the configurations asked about with the most effort; of equals the first one asked
  // about; nullopt where all failed.
  std::optional<std::uint32_t> best;
  std::optional<double> best_cost;
  std::vector<SearchStep> steps;
  SearchEnd end = SearchEnd::complete;
};

SearchResult run_search(const Space& space, const Objective& objective, const Strategy& strategy,
                        const SearchOptions& options = {});

// Interface through which a strategy asks: it counts, remembers and draws.
class Search {
 public:
  Search(const Space& space, const Objective& objective, const SearchOptions& options);

  const Space& space() const { return space_; }
  std::size_t batch() const { return batch_; }
  bool is_over() const { return is_over_; }
  // Returns the evaluations that the budget has left.
  std::size_t left() const { return options_.evaluations - result_.steps.size(); }

  // Asks about configurations, all different, a batch at a time; memory answers about those that
  // are known with that effort. The rest stays unknown where the search ends among them: is_over()
  // is true then.
  void ask(std::span<const std::uint32_t> configurations, int effort = 1);

  // Returns the effort with which a configuration was asked about, 0 for not at all.
  int effort(std::uint32_t configuration) const { return known_[configuration].effort; }
  // Returns infinity for one that failed or is unknown.
  double cost(std::uint32_t configuration) const { return known_[configuration].cost; }
  // Returns all that were asked about, in order, each once; for the few before a strategy begins.
  std::vector<std::uint32_t> asked() const;
  // Returns the best of all that are known, as SearchResult has it.
  std::optional<std::uint32_t> best() const { return result_.best; }

  // Draws a number by chance, below `bound`.
  std::size_t draw(std::size_t bound);
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[draw(i)]);
  }

  SearchResult take() && { return std::move(result_); }

 private:
  struct Known {
    double cost = std::numeric_limits<double>::infinity();
    int effort = 0;
  };
  bool may_go_on();
  void ask_batch(std::span<const std::uint32_t> configurations, int effort);
  void note(std::uint32_t configuration, int effort, std::optional<double> cost);
  void compete(std::uint32_t configuration);

  const Space& space_;
  const Objective& objective_;
  const SearchOptions& options_;
  std::size_t batch_;
  std::mt19937_64 random_;
  std::vector<Known> known_;
  bool is_over_ = false;
  SearchResult result_;
};

}  // namespace kbench

// What a strategy asks through: it counts, remembers and draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "tune/search.hpp"

namespace kbench {

class Search {
 public:
  Search(const Space& space, const Objective& objective, const SearchOptions& options);

  const Space& space() const { return space_; }
  std::size_t batch() const { return batch_; }
  bool is_over() const { return is_over_; }
  // Evaluations that the budget has left.
  std::size_t left() const { return options_.evaluations - result_.steps.size(); }

  // Asks about configurations, all different, a batch at a time; about those that are known with
  // that effort memory answers. Where the search ends among them, is_over() is true afterwards and
  // the rest stays unknown.
  void ask(std::span<const std::uint32_t> configurations, int effort = 1);

  // With what effort a configuration was asked about, 0 for not at all.
  int effort(std::uint32_t configuration) const { return known_[configuration].effort; }
  // Infinite of one that failed or is not known.
  double cost(std::uint32_t configuration) const { return known_[configuration].cost; }
  // All that were asked about, in order, each once; for the few before a strategy begins.
  std::vector<std::uint32_t> asked() const;
  // The best of all that are known, as SearchResult has it.
  std::optional<std::uint32_t> best() const { return result_.best; }

  // A number by chance, below `bound`.
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

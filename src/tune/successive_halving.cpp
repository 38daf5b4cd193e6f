#include <algorithm>
#include <numeric>
#include <vector>

#include "tune/search_state.hpp"
#include "tune/strategies.hpp"

namespace kbench {
namespace {

// Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization"
// (2016), with a third kept each time, as Hyperband does (Li and others, 2018).
constexpr std::size_t keep = 3;
constexpr std::size_t most_in_a_bracket = 81;

// How many can start so that the evaluations of all rounds, half as many again, fit what is left.
std::size_t bracket_size(const Search& search, std::size_t unknown) {
  const std::size_t affordable = search.left() - search.left() / keep;
  return std::min({unknown, most_in_a_bracket, std::max<std::size_t>(affordable, 1)});
}

// The better ones first; of equals the one named first.
void sort_by_cost(std::vector<std::uint32_t>& some, const Search& search) {
  std::stable_sort(some.begin(), some.end(), [&](std::uint32_t a, std::uint32_t b) {
    return search.cost(a) < search.cost(b);
  });
}

// One that won before knows its cost better than those that are new: in the last round all are
// asked with its effort.
void run_bracket(Search& search, std::vector<std::uint32_t> some) {
  for (int effort = 1; !search.is_over(); effort *= static_cast<int>(keep)) {
    const bool is_last = some.size() <= keep;
    if (is_last) {
      for (const std::uint32_t one : some) effort = std::max(effort, search.effort(one));
    }
    search.ask(some, effort);
    sort_by_cost(some, search);
    if (is_last) return;
    some.resize((some.size() + keep - 1) / keep);
  }
}

}  // namespace

void successive_halving(Search& search) {
  std::vector<std::uint32_t> order(search.space().size());
  std::iota(order.begin(), order.end(), 0);
  search.shuffle(order);
  for (std::size_t from = 0; from < order.size() && !search.is_over();) {
    const auto champion = search.best();
    const std::size_t size = bracket_size(search, order.size() - from);
    std::vector<std::uint32_t> some;
    for (; from < order.size() && some.size() < size; ++from) {
      if (search.effort(order[from]) == 0) some.push_back(order[from]);
    }
    if (champion) some.push_back(*champion);
    run_bracket(search, std::move(some));
  }
}

}  // namespace kbench

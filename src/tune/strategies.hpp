// Strategies of searches: a new one is added here.
#pragma once

#include <span>
#include <string_view>

namespace kbench {

class Search;

// Function that asks until it has nothing more to ask, or until the search says that it is over.
using StrategyFunction = void (*)(Search& search);

struct Strategy {
  std::string_view name;  // name as --strategy takes it
  StrategyFunction run;
  std::string_view summary;
};

void exhaustive_search(Search& search);
void random_search(Search& search);
void successive_halving(Search& search);
void local_search(Search& search);

inline constexpr Strategy strategy_table[] = {
    {"exhaustive", exhaustive_search, "every configuration, in the order of declaration"},
    {"random", random_search, "every configuration, in an order by chance"},
    {"halving", successive_halving,
     "many with little effort, a third of them with three times as much, and so on"},
    {"local", local_search,
     "those that differ from the best one known in one parameter; one in four from anywhere"},
};

constexpr std::span<const Strategy> strategies() { return strategy_table; }

// Returns nullptr where there is none of that name.
constexpr const Strategy* find_strategy(std::string_view name) {
  for (const Strategy& strategy : strategies()) {
    if (strategy.name == name) return &strategy;
  }
  return nullptr;
}

}  // namespace kbench

// Results → who is ahead: solutions of one definition, authors over all definitions, or how
// each definition stands. Machines of different hardware are never mixed.
//
// fast_p: A. Ouyang et al., "KernelBench: Can LLMs Write Efficient GPU Kernels?", 2025.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/results.hpp"

namespace kbench {

enum class RankBy { solution, author, definition };

struct LeaderboardRule {
  RankBy by = RankBy::solution;
  std::string baseline = "";            // a solution or an author; "": the reference
  std::vector<double> p = {1, 1.5, 2};  // thresholds of fast_p
};

// Figures of one solution, of an author's best solutions, or of a definition's best one. A failure
// is a workload without speed: it counts in all shares.
struct Standing {
  std::string name;      // solution, author or definition
  std::string author;    // "" where it is not known
  std::string solution;  // the best one; an author has one only where there is one definition
  std::size_t rank = 0;  // 1 for the first; those that noise does not tell apart share one
  std::size_t definitions = 1;
  std::size_t definitions_of = 1;  // tried by anybody
  std::size_t tried = 0;           // workloads
  std::size_t workloads = 0;       // tried by anybody
  std::size_t passed = 0;
  std::size_t undecided = 0;  // tried and passed, but without a speed-up that can be told
  // ln of the baseline's time / its own: the mean over the workloads that passed, and of an author
  // the mean over definitions. The interval is the mean of those of the workloads.
  std::optional<Estimate> speedup = {};
  // ln of its own time / the fastest one's, the mean over the workloads that were timed. It orders
  // the solutions of a definition, whether or not there is a speed-up. Authors have none.
  std::optional<double> behind = {};
  // Share of what was tried, and is decided, with a speed-up of p and more: surely, by the low ends
  // of the intervals, and perhaps, by the high ends; NaN of nothing.
  std::vector<Interval> fast = {};
  double wins = 0;  // share of it on which nobody is faster beyond noise
};

struct Board {
  std::string hardware;
  std::string definition;  // "" for all of them
  std::vector<Standing> standings;
};

// "" where the author is not known.
using AuthorOf = std::function<std::string_view(std::string_view solution)>;

// Ranks more passes before more speed. Boards and what they hold are in the order of names where
// nothing else says otherwise.
std::vector<Board> leaderboard(const std::vector<Result>& results, const AuthorOf& author_of,
                               const LeaderboardRule& rule);

}  // namespace kbench

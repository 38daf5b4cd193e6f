#include "tune/podium.hpp"

namespace kbench {
namespace {

// Who is out has been put out before: there is no way round in a circle.
bool beats(const Contest& contest, std::size_t contenders, std::size_t one, std::size_t other) {
  if (contest.compare(other, one).answer == Answer::faster) return true;
  for (std::size_t between = 0; between < contenders; ++between) {
    if (between == one || between == other || !contest.is_out(between)) continue;
    const bool is_behind = contest.compare(between, one).answer == Answer::faster;
    if (is_behind && beats(contest, contenders, between, other)) return true;
  }
  return false;
}

}  // namespace

std::size_t winner_of(const Contest& contest, std::span<const double> shortest_ns,
                      std::optional<std::size_t> heuristic) {
  if (heuristic && !contest.is_out(*heuristic)) return *heuristic;
  std::optional<std::size_t> winner;
  for (std::size_t k = 0; k < shortest_ns.size(); ++k) {
    if (contest.is_out(k)) continue;
    if (heuristic && !beats(contest, shortest_ns.size(), k, *heuristic)) continue;
    if (!winner || shortest_ns[k] < shortest_ns[*winner]) winner = k;
  }
  return *winner;  // whoever has put out the heuristic's, or is ahead of who has
}

}  // namespace kbench

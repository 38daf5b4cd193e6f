#include "cli/run/ranking.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {
namespace {

const JudgedEntrant& judged(const WorkloadContest& contest, std::size_t contender) {
  return contest.entrants[contest.contenders[contender]];
}

double p10_of(const WorkloadContest& contest, std::size_t contender) {
  const auto& timing = judged(contest, contender).evaluation.kbench->timing;
  return timing ? timing->p10_ns : 0;
}

}  // namespace

RankedWorkload rank(const Job& job, const WorkloadContest& contest) {
  RankedWorkload ranked{job.definition->name, job.workload->record.workload, {}};
  if (!contest.contested) return ranked;
  const Contest& found = contest.contested->contest;
  std::vector<std::size_t> order(contest.contenders.size());
  std::iota(order.begin(), order.end(), 0);
  const auto best = *std::min_element(order.begin(), order.end(), [&](auto i, auto j) {
    return std::tuple(found.is_out(i), p10_of(contest, i)) <
           std::tuple(found.is_out(j), p10_of(contest, j));
  });
  const auto place = [&](std::size_t i) {
    const double behind = i == best ? 0 : found.compare(best, i).log_ratio;
    return std::tuple(i != best, found.is_out(i), behind);
  };
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return place(i) < place(j); });
  for (const std::size_t i : order) {
    ranked.solutions.push_back({judged(contest, i).solution->name, p10_of(contest, i),
                                i == best ? Compared{} : found.compare(best, i), found.is_out(i)});
  }
  return ranked;
}

void print_ranking(std::string_view format, const std::vector<RankedWorkload>& ranking) {
  if (format == "table")
    print(write_ranking(ranking, {terminal().colour_out, terminal().width}));
  else
    tell(write_ranking(ranking, {false, terminal().width}));
}

}  // namespace kbench

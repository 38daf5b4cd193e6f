#include "verdict/draw_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "verdict/chi_square.hpp"

namespace kbench {
namespace {

constexpr std::size_t most_groups = 1024, longest_step = 1024;
constexpr double least_together = 20;  // draws that a group expects
constexpr double slack = 0x1p-10;      // of what is expected: honest arithmetic may be off

double part_of_divergence(double seen, double expected) {
  return seen > 0 ? seen * std::log(seen / expected) : 0;
}

std::string text_of(const Grouping& grouping, std::size_t group) {
  if (grouping.step == 1)
    return fmt::format("indices that are {} modulo {}", group, grouping.groups);
  return fmt::format("indices i with i / {} = {} modulo {}", grouping.step, group, grouping.groups);
}

}  // namespace

std::vector<Grouping> groupings_of(std::size_t options) {
  std::vector<Grouping> out;
  for (std::size_t groups = 2; groups <= most_groups; groups *= 2) {
    for (std::size_t step = 1; step <= longest_step; step *= 2) {
      if (step * groups < 2 * options && step < options) out.push_back({step, groups});
    }
    if (groups * 3 / 2 < options) out.push_back({1, groups * 3 / 2});
    const std::size_t piece = (options + groups - 1) / groups;
    if (piece > longest_step || (piece & (piece - 1)) != 0) out.push_back({piece, groups});
  }
  return out;
}

double hits_bound(double seen, double expected, double draws) {
  const double most = std::max(expected * (1 + slack), expected + 1);
  const double wanted = std::clamp(seen, expected * (1 - slack), most);
  if (seen == wanted) return 1;
  if (wanted >= draws) return 0;
  return std::exp(-part_of_divergence(seen, wanted) -
                  part_of_divergence(draws - seen, draws - wanted));
}

GroupFit fit_of(const Grouping& grouping, std::span<const double> seen,
                std::span<const double> expected) {
  std::vector<double> hits(grouping.groups), wanted(grouping.groups);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    hits[grouping.group_of(i)] += seen[i];
    wanted[grouping.group_of(i)] += expected[i];
  }
  const double draws = std::accumulate(hits.begin(), hits.end(), 0.0);
  GroupFit fit;
  std::size_t worst = 0;
  for (std::size_t group = 0; group < grouping.groups; ++group) {
    const double bound = hits_bound(hits[group], wanted[group], draws);
    if (bound >= fit.alone) continue;
    fit.alone = bound;
    worst = group;
  }
  fit.what_alone = fmt::format("{} were drawn {:.0f} times in {:.0f}, expected are {:.0f}",
                               text_of(grouping, worst), hits[worst], draws, wanted[worst]);
  constexpr double sides = 2;
  fit.alone = std::min(1.0, fit.alone * sides * static_cast<double>(grouping.groups));
  if (*std::min_element(wanted.begin(), wanted.end()) < least_together) return fit;
  fit.together = g_test(hits, wanted);
  fit.what_together = fmt::format(
      "{:.0f} draws do not have their probabilities by {}", draws,
      grouping.step == 1 ? fmt::format("index modulo {}", grouping.groups)
                         : fmt::format("index / {} modulo {}", grouping.step, grouping.groups));
  return fit;
}

}  // namespace kbench

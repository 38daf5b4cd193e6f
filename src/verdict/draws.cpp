#include "verdict/draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr double least_expected = 20;

// P(a, x) by its series.
double gamma_below(double a, double x) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < 10'000 && std::fabs(term) > 1e-16 * std::fabs(sum); ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

// Q(a, x) by its continued fraction, evaluated by Lentz's method.
double gamma_above(double a, double x) {
  constexpr double tiny = std::numeric_limits<double>::min();
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
  for (int k = 1; k < 10'000; ++k) {
    const double factor = -k * (k - a);
    b += 2;
    d = factor * d + b;
    c = b + factor / c;
    if (std::fabs(d) < tiny) d = tiny;
    if (std::fabs(c) < tiny) c = tiny;
    d = 1 / d;
    const double change = d * c;
    fraction *= change;
    if (std::fabs(change - 1) < 1e-15) break;
  }
  return fraction * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double chi_square_tail(double x, double freedom) {
  const double a = freedom / 2, half = x / 2;
  if (!(half > 0)) return 1;
  return half < a + 1 ? 1 - gamma_below(a, half) : gamma_above(a, half);
}

double g_test(std::span<const double> observed, std::span<const double> expected) {
  std::vector<double> seen, wanted;
  double o = 0, e = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    o += observed[i];
    e += expected[i];
    if (e < least_expected) continue;
    seen.push_back(o);
    wanted.push_back(e);
    o = e = 0;
  }
  if (wanted.empty()) return 1;
  seen.back() += o;  // the rest belongs to the last group
  wanted.back() += e;
  if (wanted.size() < 2) return 1;
  double g = 0, total = 0, inverses = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] > 0) g += 2 * seen[i] * std::log(seen[i] / wanted[i]);
    total += wanted[i];
    inverses += 1 / wanted[i];
  }
  const double freedom = static_cast<double>(seen.size()) - 1;
  const double correction = 1 + (total * inverses - 1) / (6 * total * freedom);
  return chi_square_tail(g / correction, freedom);
}

namespace {

constexpr std::size_t most_groups = 1024, longest_step = 1024;
constexpr double least_together = 20;  // draws that a group expects
constexpr double slack = 0x1p-10;      // part of an expectation: honest arithmetic may be off

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
    for (std::size_t step = 1; step <= longest_step; step *= 2)
      if (step * groups < 2 * options && step < options) out.push_back({step, groups});
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

namespace {

// A weight whose condition estimate is so much larger is now kept, now dropped, as the inputs are
// rounded.
constexpr double flipping = 300;

bool is_drawn(const ChoiceRowView& row) { return row.row().kind == ChoiceKind::drawn; }

// Larger values are no indices of a vocabulary.
constexpr std::int64_t most_values = 1 << 22;

constexpr DrawBins::Partition partitions[] = {DrawBins::by_rank, DrawBins::by_index};

}  // namespace

DrawBins::DrawBins(const ChoiceRowView& row) {
  const std::span<const double> weights = row.scores();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  outside_.resize(weights.size());
  std::vector<std::size_t> order;  // options that flip share the last bin
  flips_.resize(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    flips_[i] = row.condition()[i] > flipping * weights[i];
    outside_[i] = weights[i] == 0 && !flips_[i];
    order.push_back(i);
    if (!flips_[i]) steady_ += weights[i];
    if (weights[i] > 0) least_ = least_ == 0 ? weights[i] : std::min(least_, weights[i]);
  }
  least_ /= total;
  const auto assign = [&](Partition partition) {
    bins_[partition].assign(weights.size(), fine - 1);
    masses_[partition].assign(fine, 0);
    double before = 0;
    for (const std::size_t i : order) {
      const double mass = weights[i] / total;
      if (!flips_[i]) {
        const double middle = (before + mass / 2) * static_cast<double>(fine);
        bins_[partition][i] =
            static_cast<std::uint16_t>(std::clamp(middle, 0.0, static_cast<double>(fine - 1)));
      }
      before += mass;
      masses_[partition][bins_[partition][i]] += mass;
    }
  };
  assign(by_index);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return flips_[a] != flips_[b] ? !flips_[a] : weights[a] > weights[b];
  });
  assign(by_rank);
  coarse_masses_.assign(coarse, 0);
  for (std::size_t i = 0; i < fine; ++i) coarse_masses_[i * coarse / fine] += masses_[by_rank][i];
}

DrawTally::Rows& DrawTally::rows_of_set(const Choice& choice, std::size_t set) {
  const auto found = sets_.find(set);
  if (found != sets_.end()) return found->second;
  Rows& rows = sets_[set];
  for (ChoiceRowView& view : rows_of(choice.chosen)) {
    if (!is_drawn(view)) continue;
    Row& row = rows.emplace_back(Row{view, DrawBins(view)});
    for (auto& seen : row.seen) seen.assign(DrawBins::fine, 0);
  }
  return rows;
}

void DrawTally::count(Row& row, const Row* above, std::size_t option) {
  const std::size_t bin = row.bins.coarse_bin(option);
  if (row.draws > 0) {
    ++calls_[row.last * DrawBins::coarse + bin];
    ++row.with_last;
  }
  if (above != nullptr && above->draws > 0) {
    ++neighbours_[above->last * DrawBins::coarse + bin];
    ++row.with_above;
  }
  row.last = bin;
  ++row.draws;
  if (row.bins.flips(option)) {
    ++row.flipped;
  } else if (const auto value = row.view.value(option); value >= 0 && value < most_values) {
    const auto place = static_cast<std::size_t>(value);
    if (place >= values_.size()) values_.resize(place + 1);
    ++values_[place];
  }
  for (const auto partition : partitions) ++row.seen[partition][row.bins.bin(partition, option)];
}

void DrawTally::add(const TensorView& output, const Choice& choice, std::size_t set) {
  const Row* above = nullptr;
  for (Row& row : rows_of_set(choice, set)) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(row.view.row().picked); ++i) {
      const Scalar value = element(output.dtype, output.data, row.view.slot(i));
      const auto option = row.view.option(std::get<std::int64_t>(value));
      if (!option) continue;  // choice_misses() has said so
      ++draws_;
      if (row.bins.is_outside(*option)) {
        ++row.outside[*option];
      } else {
        count(row, above, *option);
      }
    }
    above = &row;
  }
}

void DrawTally::Worst::add(double p, const std::string& text) {
  ++tests;
  if (p >= probability) return;
  probability = p;
  what = text;
}

// A test that cannot tell anything would make the others weaker.
constexpr double least_draws = 20;

void DrawTally::test_rows(Worst& worst) const {
  for (const auto& [set, rows] : sets_) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].draws < least_draws) continue;
      for (const auto partition : partitions) {
        std::vector<double> expected = rows[i].bins.masses(partition);
        for (double& mass : expected) mass *= rows[i].draws;
        worst.add(
            g_test(rows[i].seen[partition], expected),
            fmt::format("{} draws in row {} do not have its probabilities", rows[i].draws, i));
      }
    }
  }
}

void DrawTally::test_all(Worst& worst) const {
  for (const auto partition : partitions) {
    std::vector<double> seen(DrawBins::fine), expected(DrawBins::fine);
    for (const auto& [set, rows] : sets_) {
      for (const Row& row : rows) {
        for (std::size_t i = 0; i < DrawBins::fine; ++i) {
          seen[i] += row.seen[partition][i];
          expected[i] += row.draws * row.bins.masses(partition)[i];
        }
      }
    }
    worst.add(g_test(seen, expected),
              fmt::format("{} draws in all rows do not have their probabilities", draws_));
  }
}

// Returns the draws expected of each value over all rows, without what flips.
std::vector<double> DrawTally::expected_values() const {
  std::vector<double> expected(values_.size());
  const auto add = [&](std::int64_t value, double draws) {
    if (value < 0 || value >= most_values || !(draws > 0)) return;
    const auto place = static_cast<std::size_t>(value);
    if (place >= expected.size()) expected.resize(place + 1);
    expected[place] += draws;
  };
  for (const auto& [set, rows] : sets_) {
    for (const Row& row : rows) {
      const double draws = row.draws - row.flipped, total = row.bins.steady();
      for (std::size_t i = 0; i < row.view.scores().size(); ++i)
        if (!row.bins.flips(i)) add(row.view.value(i), draws * row.view.scores()[i] / total);
    }
  }
  return expected;
}

// Tests groups of options over all rows together: whoever loses a lane's options loses them in
// every row.
void DrawTally::test_groups(Worst& worst) const {
  const std::vector<double> expected = expected_values();
  std::vector<double> seen = values_;
  seen.resize(expected.size());
  for (const Grouping& grouping : groupings_of(expected.size())) {
    const GroupFit fit = fit_of(grouping, seen, expected);
    worst.add(fit.alone, fit.what_alone);
    if (fit.together) worst.add(*fit.together, fit.what_together);
  }
}

void DrawTally::test_pairs(Worst& worst) const {
  Pairs calls(calls_.size()), neighbours(calls_.size());
  for (const auto& [set, rows] : sets_) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& masses = rows[i].bins.coarse_masses();
      const auto& above = rows[i == 0 ? 0 : i - 1].bins.coarse_masses();
      for (std::size_t a = 0; a < DrawBins::coarse; ++a) {
        for (std::size_t b = 0; b < DrawBins::coarse; ++b) {
          calls[a * DrawBins::coarse + b] += rows[i].with_last * masses[a] * masses[b];
          neighbours[a * DrawBins::coarse + b] += rows[i].with_above * above[a] * masses[b];
        }
      }
    }
  }
  worst.add(g_test(calls_, calls), "draws depend on those of the call before");
  worst.add(g_test(neighbours_, neighbours), "draws of neighbouring rows depend on each other");
}

// One option beside the others may come from a limit that honest arithmetic meets otherwise (the
// last token of top-p): then it is drawn no more often than the least likely of them.
std::string DrawTally::wrong_outside() const {
  for (const auto& [set, rows] : sets_) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      if (row.outside.empty()) continue;
      const auto& [option, count] = *row.outside.begin();
      const double likely = row.draws * row.bins.least();
      if (row.outside.size() == 1 && count <= likely + 6 * std::sqrt(likely) + 2) continue;
      return fmt::format("row {} drew {}, whose probability is 0, {} times in {}", i,
                         row.view.value(option), count, row.draws + count);
    }
  }
  return "";
}

DrawTally::Worst DrawTally::worst() const {
  Worst worst;
  test_rows(worst);
  test_all(worst);
  const Worst of_probabilities = worst;
  test_groups(worst);
  const Worst of_groups = worst;
  test_pairs(worst);
  // Tests after a simpler one find what it does as well, and say nothing more.
  for (const Worst* simpler : {&of_probabilities, &of_groups}) {
    if (simpler->probability * worst.tests >= draw_error_rate) continue;
    worst.probability = simpler->probability;
    worst.what = simpler->what;
    break;
  }
  return worst;
}

double DrawTally::probability() const {
  const Worst found = worst();
  return std::min(1.0, found.probability * found.tests);
}

std::string DrawTally::wrong() const {
  if (std::string outside = wrong_outside(); !outside.empty()) return outside;
  const Worst found = worst();
  if (found.probability * found.tests >= draw_error_rate) return "";
  constexpr double least_told = 1e-300;
  return fmt::format("{} (probability {}{:.1e})", found.what,
                     found.probability < least_told ? "below " : "",
                     std::max(found.probability, least_told));
}

}  // namespace kbench

#include "verdict/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "problem/element.hpp"
#include "verdict/condition_estimate.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

std::int64_t integer_at(const TensorView& tensor, std::size_t i) {
  return std::get<std::int64_t>(element(tensor.dtype, tensor.data, i));
}

// Scores so that the greatest is the best one; a NaN is the greatest of all, as torch has it.
class Ranking {
 public:
  explicit Ranking(const ChoiceRowView& row)
      : row_(row), sign_(row.row().kind == ChoiceKind::least ? -1 : 1) {}

  double score(std::size_t option) const { return sign_ * row_.scores()[option]; }
  bool is_better(std::size_t a, std::size_t b) const {
    const double x = row_.scores()[a], y = row_.scores()[b];
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y) && sign_ > 0;
    return sign_ * x > sign_ * y;
  }
  std::vector<std::size_t> best() const {
    std::vector<std::size_t> all(row_.scores().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto count = std::min(all.size(), static_cast<std::size_t>(row_.row().picked));
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      [&](std::size_t a, std::size_t b) {
                        return is_better(a, b) || (!is_better(b, a) && a < b);
                      });
    all.resize(count);
    return all;
  }

 private:
  const ChoiceRowView& row_;
  double sign_;
};

class RowJudge {
 public:
  RowJudge(const TensorView& output, const ChoiceRowView& row, const Choice& choice,
           ChoiceMisses& misses)
      : output_(output),
        row_(row),
        choice_(choice),
        misses_(misses),
        condition_(row.condition(), choice.runs, row.scores().size()) {}

  void judge() {
    const std::vector<Pick> picks = read_picks();
    if (picks.empty() || row_.row().kind == ChoiceKind::drawn) return;
    const Ranking ranking(row_);
    const std::vector<std::size_t> best = ranking.best();
    std::vector<std::size_t> order(picks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!is_in_order(picks.size())) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return ranking.is_better(picks[a].option, picks[b].option);
      });
    }
    for (std::size_t i = 0; i < std::min(order.size(), best.size()); ++i)
      compare(picks[order[i]], best[i], ranking, is_in_order(picks.size()));
  }

 private:
  bool is_in_order(std::size_t picks) const {
    const PickOrder order = row_.row().order;
    const bool is_sorted = order == PickOrder::sorted || order == PickOrder::stable;
    if (is_sorted && picks == row_.scores().size()) return true;
    return choice_.in_order && order != PickOrder::none;
  }
  // Tells whether equal scores have an order, too: they do if no arithmetic is in them.
  bool is_stable() const {
    return row_.row().order == PickOrder::stable && row_.row().is_input != 0;
  }

  struct Pick {
    std::size_t slot = 0;
    std::size_t option = 0;
  };

  // Reads the picks that are options, each once.
  std::vector<Pick> read_picks() {
    std::vector<Pick> picks;
    std::vector<bool> taken(row_.scores().size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(row_.row().picked); ++i) {
      const std::size_t slot = row_.slot(i);
      const std::int64_t value = integer_at(output_, slot);
      const auto option = row_.option(value);
      if (!option) {
        miss(slot, fmt::format("{} is none of the {} to choose from", value, taken.size()));
      } else if (taken[*option] && row_.row().kind != ChoiceKind::drawn) {
        miss(slot, fmt::format("{} is chosen twice", value));
      } else {
        taken[*option] = true;
        picks.push_back({slot, *option});
      }
    }
    return picks;
  }

  double sigma(std::size_t option) const {
    if (row_.row().is_input != 0) return 0;
    return k_sigma(row_.scores()[option], condition_.wide(option), choice_.scale);
  }

  void compare(const Pick& pick, std::size_t best, const Ranking& ranking, bool in_order) {
    const double wanted = ranking.score(best), got = ranking.score(pick.option);
    if (wanted == got || (std::isnan(wanted) && std::isnan(got))) {
      if (in_order) compare_equal(pick, best);
      return;
    }
    const double difference = in_order ? std::fabs(wanted - got) : wanted - got;
    if (difference <= 0) return;
    const double allowed = k_largest_z * (sigma(best) + sigma(pick.option));
    if (std::isfinite(difference) && difference <= allowed) {
      misses_.margin = std::max(misses_.margin, difference / allowed);
      misses_.max_difference = std::max(misses_.max_difference, difference);
      return;
    }
    const auto& scores = row_.scores();
    std::string why =
        fmt::format("{} has the score {}, expected is {} with {}", row_.value(pick.option),
                    scores[pick.option], row_.value(best), scores[best]);
    if (allowed > 0 && std::isfinite(allowed)) why += fmt::format(" ± {:.2g}", allowed);
    if (std::isfinite(difference))
      misses_.max_difference = std::max(misses_.max_difference, difference);
    miss(pick.slot, std::move(why));
  }

  void compare_equal(const Pick& pick, std::size_t best) {
    if (!is_stable() || pick.option == best) return;
    miss(pick.slot, fmt::format("{}, expected is {}: the sort is stable, and both are {}",
                                row_.value(pick.option), row_.value(best), row_.scores()[best]));
  }

  void miss(std::size_t slot, std::string why) {
    if (misses_.first.empty())
      misses_.first = place_text(slot, output_.shape) + ": " + std::move(why);
    misses_.missed[slot] = true;
    ++misses_.count;
  }

  const TensorView& output_;
  const ChoiceRowView& row_;
  const Choice& choice_;
  ChoiceMisses& misses_;
  ModeratedCondition condition_;
};

// Elements that nothing chose: padding, mostly.
void compare_others(const TensorView& output, const TensorView& reference, const Chosen& chosen,
                    ChoiceMisses& misses) {
  std::vector<bool> is_chosen(misses.missed.size());
  for (const std::int64_t slot : chosen.slots) is_chosen[static_cast<std::size_t>(slot)] = true;
  for (std::size_t i = 0; i < is_chosen.size(); ++i) {
    if (is_chosen[i]) continue;
    const std::int64_t got = integer_at(output, i), wanted = integer_at(reference, i);
    if (got == wanted) continue;
    if (misses.first.empty())
      misses.first = fmt::format("{}: {}, expected {}", place_text(i, output.shape), got, wanted);
    misses.missed[i] = true;
    ++misses.count;
  }
}

}  // namespace

ChoiceRowView::ChoiceRowView(const Chosen& chosen, const ChoiceRow& row, std::size_t first_slot,
                             std::size_t first_option)
    : row_(&row) {
  const auto picked = static_cast<std::size_t>(row.picked);
  const auto options = static_cast<std::size_t>(row.options);
  slots_ = chosen.slots.subspan(first_slot, picked);
  scores_ = chosen.scores.subspan(first_option, options);
  condition_ = chosen.condition.subspan(first_option, options);
  if (chosen.options.empty()) return;
  options_ = chosen.options.subspan(first_option, options);
  for (std::size_t i = 0; i < options; ++i) option_of_.emplace(options_[i], i);
}

std::int64_t ChoiceRowView::value(std::size_t option) const {
  return options_.empty() ? static_cast<std::int64_t>(option) : options_[option];
}

std::optional<std::size_t> ChoiceRowView::option(std::int64_t value) const {
  if (options_.empty()) {
    if (value < 0 || value >= static_cast<std::int64_t>(scores_.size())) return std::nullopt;
    return static_cast<std::size_t>(value);
  }
  const auto found = option_of_.find(value);
  return found == option_of_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<ChoiceRowView> rows_of(const Chosen& chosen) {
  std::vector<ChoiceRowView> out;
  out.reserve(chosen.rows.size());
  std::size_t slot = 0, option = 0;
  for (const ChoiceRow& row : chosen.rows) {
    out.emplace_back(chosen, row, slot, option);
    slot += static_cast<std::size_t>(row.picked);
    option += static_cast<std::size_t>(row.options);
  }
  return out;
}

bool has_draws(const Choice& choice) {
  return std::any_of(choice.chosen.rows.begin(), choice.chosen.rows.end(),
                     [](const ChoiceRow& row) { return row.kind == ChoiceKind::drawn; });
}

ChoiceMisses choice_misses(const TensorView& output, const TensorView& reference,
                           const Choice& choice) {
  ChoiceMisses misses;
  misses.missed.resize(element_count(output.shape));
  for (const ChoiceRowView& row : rows_of(choice.chosen))
    RowJudge(output, row, choice, misses).judge();
  compare_others(output, reference, choice.chosen, misses);
  return misses;
}

}  // namespace kbench

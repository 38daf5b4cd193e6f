// Several outputs or trials in one verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verdict/rules.hpp"

namespace kbench {
namespace {

std::string python_float(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

double python_max(double first, double second) { return second > first ? second : first; }

double max_or_nan(double first, double second) {
  return std::isnan(second) || second > first ? second : first;
}

void record_extra(Verdict& verdict) {
  if (verdict.matched_ratio) {
    verdict.correctness.extra =
        RawJson{fmt::format("{{\"matched_ratio\":{}}}", python_float(*verdict.matched_ratio))};
  } else if (verdict.margin) {
    verdict.correctness.extra = RawJson{fmt::format("{{\"margin\":{:.3g}}}", *verdict.margin)};
  }
}

Verdict combine(std::span<const Verdict> trials) {
  Verdict all;
  for (const Verdict& trial : trials) {
    if (trial.ends_judging) return trial;
    if (trial.status != Status::passed && all.status == Status::passed) {
      all.status = trial.status;
      all.detail = trial.detail;
      all.error_map = trial.error_map;
    }
    Correctness& correctness = all.correctness;
    const auto larger = trial.margin ? &max_or_nan : &python_max;  // rules of ours have a margin
    correctness.max_absolute_error =
        larger(correctness.max_absolute_error, trial.correctness.max_absolute_error);
    correctness.max_relative_error =
        larger(correctness.max_relative_error, trial.correctness.max_relative_error);
    if (trial.matched_ratio) {
      all.matched_ratio = std::min(all.matched_ratio.value_or(1), *trial.matched_ratio);
    }
    if (trial.margin) all.margin = std::max(all.margin.value_or(0), *trial.margin);
  }
  if (all.status == Status::passed && all.margin) {
    all.detail = wrong_together(trials, *all.margin);
    if (!all.detail.empty()) all.status = Status::incorrect_numerical;
  }
  record_extra(all);
  return all;
}

}  // namespace kbench

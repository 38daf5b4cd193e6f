#include "report/ratio_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr double widest = 0.25;  // half of an interval that is printed as a share of its value

// Half of the interval as a share of its middle, both by their logarithms.
double half_width(const Interval& interval) {
  return std::expm1(std::log(interval.high / interval.low) / 2);
}

std::string share_text(const Interval& interval) {
  const double half = half_width(interval);
  return fmt::format(" ±{:.{}f}%", 100 * half, half < 0.00995 ? 1 : 0);
}

std::string factor(double ratio) {
  if (ratio < 0.0995) return fmt::format("{:.3g}", ratio);
  return fmt::format("{:.{}f}", ratio, ratio < 9.995 ? 2 : ratio < 999.5 ? 1 : 0);
}

bool is_range(const std::optional<Interval>& interval) {
  return interval && interval->low > 0 && half_width(*interval) > widest;
}

bool has_share(const std::optional<Interval>& interval) { return interval && interval->low > 0; }

}  // namespace

std::string value_text(double ratio, const std::optional<Interval>& interval) {
  if (is_range(interval)) return fmt::format("{:.2g} to {:.2g}x", interval->low, interval->high);
  return factor(ratio) + "x" + (has_share(interval) ? share_text(*interval) : "");
}

std::string time_text(double ns, const std::optional<Interval>& interval_ns) {
  if (!is_range(interval_ns))
    return human_time(ns) + (has_share(interval_ns) ? share_text(*interval_ns) : "");
  std::string low = human_time(interval_ns->low);
  const std::string high = human_time(interval_ns->high);
  const std::string unit = high.substr(high.rfind(' '));
  if (low.ends_with(unit)) low.resize(low.size() - unit.size());
  return low + " to " + high;
}

std::string ratio_text(double log_ratio) {
  const double ratio = std::exp(log_ratio);
  return ratio < 0.01 ? fmt::format("{:.2g}", ratio) : fmt::format("{:.4f}", ratio);
}

std::string ratio_text(const std::optional<Interval>& log_ratios, std::string_view none) {
  if (!log_ratios) return std::string(none);
  return ratio_text(log_ratios->low) + " to " + ratio_text(log_ratios->high);
}

std::string factor_text(double log_ratio, const std::optional<Interval>& interval) {
  const double sign = log_ratio < 0 ? -1 : 1;
  const auto factor = [&](double log) { return fmt::format("{:.4g}x", std::exp(sign * log)); };
  std::string out = factor(log_ratio) + (log_ratio < 0 ? " faster" : " slower");
  if (!interval) return out;
  const double first = log_ratio < 0 ? interval->high : interval->low;
  const double last = log_ratio < 0 ? interval->low : interval->high;
  return out + fmt::format(" ({} to {})", factor(first), factor(last));
}

}  // namespace kbench

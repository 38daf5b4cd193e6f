#include "report/ratio_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kbench {

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

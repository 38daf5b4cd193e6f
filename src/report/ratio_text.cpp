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

}  // namespace kbench

#include "report/ratio_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kbench {

std::string ratio_text(double log_ratio) { return fmt::format("{:.4f}", std::exp(log_ratio)); }

std::string ratio_text(const std::optional<Interval>& log_ratios) {
  if (!log_ratios) return "too few pairs";
  return ratio_text(log_ratios->low) + " to " + ratio_text(log_ratios->high);
}

}  // namespace kbench

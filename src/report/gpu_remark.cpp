#include "report/gpu_remark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr double apart = 0.05;
constexpr double apart_ns = 1000;  // launches lie between kernels, and events have a resolution

std::string disagreement(double events_ns, double activity_ns) {
  const double difference = std::abs(events_ns - activity_ns);
  if (difference <= std::max(apart * activity_ns, apart_ns)) return "";
  return fmt::format("events say {} and CUPTI {}", human_time(events_ns), human_time(activity_ns));
}

}  // namespace

std::string gpu_remark(const Timing& timing) {
  if (!timing.gpu) return "";
  const bool is_warm = timing.cache == "warm";
  std::string text = is_warm && timing.gpu->activity_ns
                         ? disagreement(timing.median_ns, *timing.gpu->activity_ns)
                         : "";
  if (timing.gpu->slowed_by.empty()) return text;
  return text + (text.empty() ? "" : "; ") + "clocks held back by " +
         join(timing.gpu->slowed_by, " and ");
}

}  // namespace kbench

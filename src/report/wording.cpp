#include "report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr std::size_t short_id = 6;  // digits

std::pair<std::string, std::string> machine_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return {trace.evaluation->environment.hardware,
          details && details->basis ? details->basis->machine : ""};
}

}  // namespace

Subjects::Subjects(std::span<const Trace> traces) {
  std::map<std::string, int> of_hardware;
  for (const Trace& trace : traces) {
    if (!trace.evaluation) continue;
    const Machine machine = machine_of(trace);
    if (names_.try_emplace(machine, machine.first).second) ++of_hardware[machine.first];
  }
  for (auto& [machine, name] : names_) {
    if (of_hardware[machine.first] > 1 && !machine.second.empty())
      name += " (" + machine.second.substr(0, short_id) + ")";
  }
}

std::string Subjects::of(const Trace& trace) const {
  if (names_.size() < 2 || !trace.evaluation) return trace.definition;
  return trace.definition + " on " + names_.at(machine_of(trace));
}

std::string benchmark_name(const Trace& trace, const Subjects& subjects) {
  std::string workload = workload_text(trace.workload);
  std::replace(workload.begin(), workload.end(), ' ', '/');
  return trace.solution.value_or("") + "/" + subjects.of(trace) + "/" + workload;
}

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

std::string workload_text(const Workload& workload) {
  std::string out;
  for (const auto& [name, value] : workload.axes)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  return out.empty() ? workload.uuid : out;
}

std::optional<double> limit_share(const Evaluation& evaluation) {
  if (!evaluation.correctness || !evaluation.correctness->extra) return std::nullopt;
  const auto extra = nlohmann::json::parse(evaluation.correctness->extra->text, nullptr,
                                           /*allow_exceptions=*/false);
  const auto found = extra.is_object() ? extra.find("margin") : extra.end();
  return found != extra.end() && found->is_number() ? std::optional(found->get<double>())
                                                    : std::nullopt;
}

std::string limit_share_text(double share) {
  if (share > 10) return ">1000%";
  return fmt::format("{:.{}f}%", 100 * share, share > 0 && share < 0.0995 ? 1 : 0);
}

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

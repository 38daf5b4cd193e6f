#include "cluster/nodes.hpp"

#include <algorithm>
#include <cmath>

namespace kbench {
namespace {

double median_of(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void NodeSpeeds::note(const std::string& node, const Evaluation& evaluation) {
  if (!evaluation.kbench || !evaluation.kbench->timing) return;
  const Timing& timing = *evaluation.kbench->timing;
  if (timing.control_ns)
    for (const double time : *timing.control_ns)
      control_ns[node].push_back(static_cast<float>(time));
  if (!timing.gpu) return;
  for (const std::int64_t clock : timing.gpu->clock_mhz)
    clock_mhz[node].push_back(static_cast<float>(clock));
}

std::vector<NodeSpeed> beside_each_other(const NodeValues& values) {
  std::vector<NodeSpeed> speeds;
  std::vector<float> medians;
  for (const auto& [node, own] : values) {
    speeds.push_back({node, median_of(own)});
    medians.push_back(static_cast<float>(speeds.back().median));
  }
  if (speeds.size() < 2) return {};
  const double middle = median_of(medians);
  for (NodeSpeed& speed : speeds) {
    speed.deviation = middle > 0 ? speed.median / middle - 1 : 0;
    speed.is_off = std::abs(speed.deviation) > largest_deviation;
  }
  return speeds;
}

}  // namespace kbench

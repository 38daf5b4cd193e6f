#include "cluster/costs.hpp"

#include <algorithm>
#include <cmath>

#include "cluster/shard_folder.hpp"
#include "schema/record_signature.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

constexpr double unknown_ms = 1000;

}  // namespace

double JudgingCosts::typical(const Means& means, const std::string& definition, double otherwise) {
  auto found = means.find(definition);
  if (found == means.end() || found->second.count == 0) found = means.find("");
  const bool is_known = found != means.end() && found->second.count > 0;
  return is_known ? found->second.sum / found->second.count : otherwise;
}

void JudgingCosts::note(const std::string& definition, const std::string& workload,
                        const std::string& solution, std::pair<double, double> times) {
  pairs_[{definition, workload, solution}] = times.first;
  const bool is_new = references_.emplace(std::pair(definition, workload), times.second).second;
  for (const std::string& key : {definition, std::string()}) {
    Mean& pairs = pair_means_[key];
    pairs = {pairs.sum + times.first, pairs.count + 1};
    Mean& references = reference_means_[key];
    if (is_new) references = {references.sum + times.second, references.count + 1};
  }
}

std::size_t JudgingCosts::note_records(const std::string& path) {
  std::size_t left_out = 0;
  for (const std::string& file : trace_files(path)) {
    for_each_record(file, [this, &file, &left_out](const RecordLine& line) {
      Diagnostics ignored;  // readers of verdicts report them
      const auto trace = read_trace_line({file, std::string(line.text)}, line.number, {}, ignored);
      if (!trace || !trace->solution || !trace->evaluation || !trace->evaluation->kbench) return;
      const Details& details = *trace->evaluation->kbench;
      if (!details.cost_ms) return;
      if (doubt_about(*trace) != Doubt::none) return void(++left_out);
      note(trace->definition, trace->workload.uuid, *trace->solution,
           {*details.cost_ms, details.reference_cost_ms.value_or(0)});
    });
  }
  return left_out;
}

double JudgingCosts::pair_ms(const std::string& definition, const std::string& workload,
                             const std::string& solution) const {
  const auto found = pairs_.find({definition, workload, solution});
  return found != pairs_.end() ? found->second : typical(pair_means_, definition, unknown_ms);
}

double JudgingCosts::reference_ms(const std::string& definition,
                                  const std::string& workload) const {
  const auto found = references_.find({definition, workload});
  return found != references_.end() ? found->second : typical(reference_means_, definition, 0);
}

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

#include "report/flashinfer_best.hpp"

#include <map>

namespace kbench {
namespace {

bool are_same(const OrderedMap<std::int64_t>& a, const OrderedMap<std::int64_t>& b) {
  return std::map(a.begin(), a.end()) == std::map(b.begin(), b.end());
}

}  // namespace

std::vector<const Trace*> filter_traces(const TraceSet& set, std::string_view definition,
                                        const FlashInferLimits& limits) {
  std::vector<const Trace*> found;
  for (const auto& stored : set.traces) {
    const Trace& trace = stored.record;
    if (trace.definition != definition || !trace.evaluation) continue;
    const Evaluation& evaluation = *trace.evaluation;
    if (evaluation.status == Status::passed && evaluation.correctness &&
        evaluation.correctness->max_absolute_error <= limits.absolute &&
        evaluation.correctness->max_relative_error <= limits.relative)
      found.push_back(&trace);
  }
  return found;
}

const Trace* best_trace(const TraceSet& set, std::string_view definition,
                        const FlashInferLimits& limits, const OrderedMap<std::int64_t>* axes) {
  const Trace* best = nullptr;
  const auto speedup = [](const Trace& trace) {
    const auto& performance = trace.evaluation->performance;
    return performance ? performance->speedup_factor : 0;
  };
  for (const Trace* trace : filter_traces(set, definition, limits)) {
    if (axes != nullptr && !are_same(trace->workload.axes, *axes)) continue;
    if (best == nullptr || speedup(*trace) > speedup(*best)) best = trace;
  }
  return best;
}

}  // namespace kbench

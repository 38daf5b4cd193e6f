// FlashInfer-Bench's choice of traces: its TraceSet.filter_traces and get_best_trace, which its
// command `report best` prints.
#pragma once

#include <string_view>
#include <vector>

#include "schema/trace_set.hpp"

namespace kbench {

// The largest errors with which a trace counts. The defaults are FlashInfer-Bench's.
struct FlashInferLimits {
  double absolute = 1e-2;
  double relative = 1e-2;
};

// Returns the traces of a definition that passed within the limits, in the order of the set.
std::vector<const Trace*> filter_traces(const TraceSet& set, std::string_view definition,
                                        const FlashInferLimits& limits);

// Returns of these the one with the largest speedup_factor, the first of equals; with `axes`, only
// of workloads that have just these. Null where there is none.
const Trace* best_trace(const TraceSet& set, std::string_view definition,
                        const FlashInferLimits& limits,
                        const OrderedMap<std::int64_t>* axes = nullptr);

}  // namespace kbench

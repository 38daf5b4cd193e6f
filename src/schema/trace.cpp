#include "schema/trace.hpp"

namespace kbench {

template class Boxed<Details>;

bool is_emulated(const Evaluation& evaluation) {
  return evaluation.kbench && evaluation.kbench->emulation.has_value();
}

std::string status_text(const Evaluation& evaluation) {
  return (is_emulated(evaluation) ? "emulated " : "") + std::string(status_name(evaluation.status));
}

bool is_workload_trace(const Trace& trace) { return !trace.solution && !trace.evaluation; }

bool has_passed(const Trace& trace) {
  return trace.evaluation && trace.evaluation->status == Status::passed;
}

std::string cause_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->cause ? *details->cause : "";
}

bool is_skipped(const Trace& trace) {
  const auto* evaluation = trace.evaluation ? &*trace.evaluation : nullptr;
  return evaluation != nullptr && evaluation->kbench && evaluation->kbench->skipped.value_or(false);
}

}  // namespace kbench

#include "schema/trace.hpp"

namespace kbench {

bool is_workload_trace(const Trace& trace) { return !trace.solution && !trace.evaluation; }

}  // namespace kbench

// Where a run takes place: recorded in every trace.
#pragma once

#include <string>

#include "schema/trace.hpp"

namespace kbench {

// The CPU's model name and kbench's version.
Environment describe_environment();

// Local time, ISO 8601 with microseconds and no zone, as FlashInfer-Bench writes it.
std::string timestamp_now();

std::string_view kbench_version();

}  // namespace kbench

// Where a run takes place: recorded in every trace.
#pragma once

#include <string>

#include "schema/trace.hpp"

namespace kbench {

// The CPU's model name and kbench's version.
Environment describe_environment();

// This machine among others: the CPU's model and the installation, else the host's name. What was
// measured on it holds for no other.
std::string machine_identity();

// Local time, ISO 8601 with microseconds and no zone, as FlashInfer-Bench writes it.
std::string timestamp_now();

}  // namespace kbench

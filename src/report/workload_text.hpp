// How tables name a workload.
#pragma once

#include <string>

#include "schema/trace.hpp"

namespace kbench {

// "batch_size=4 seq_len=128"; of one without axes its uuid.
std::string workload_text(const Workload& workload);

}  // namespace kbench

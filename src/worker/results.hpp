// Results of a value-returning candidate: read once, described for the judge, copied to the
// outputs' memory.
#pragma once

#include <tvm/ffi/c_api.h>

#include <string>
#include <vector>

#include "problem/worker_protocol.hpp"
#include "worker/hardware.hpp"
#include "worker/mapping.hpp"

namespace kbench::worker {

// Returns "" when all is well, else what cannot be taken. A result of another size than declared is
// described, not copied: its shape or dtype says enough.
std::string collect_results(const TVMFFIAny& result, Control& control,
                            const std::vector<MappedTensor>& outputs, Hardware& hardware);

}  // namespace kbench::worker

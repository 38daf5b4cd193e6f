// The GPU of a worker that this process forks.
#pragma once

#include <memory>

#include "problem/host_protocol.hpp"
#include "worker/hardware.hpp"

namespace kbench {

// What the worker's tensors lie on; null where that is the processor's memory, or where kbench was
// built without CUDA's headers.
std::unique_ptr<worker::Hardware> gpu_hardware(const HostGpu& gpu);

}  // namespace kbench

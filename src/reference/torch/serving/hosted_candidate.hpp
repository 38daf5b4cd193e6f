// Candidate that runs in Python, seen through tvm-ffi's C ABI as every other one.
#pragma once

#include <memory>

#include "problem/host_protocol.hpp"
#include "reference/torch/script/program.hpp"
#include "worker/candidate.hpp"

namespace kbench {

// Returns an entry point that lives as long as the process. `returns`: it returns its outputs, else
// it writes to given ones.
worker::EntryPoint hosted_entry_point(std::unique_ptr<ReferenceFunction> function, bool returns,
                                      const HostRequest& request);

}  // namespace kbench

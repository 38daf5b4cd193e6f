// Candidate that runs in Python, seen through tvm-ffi's C ABI as every other one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/torch/script/program.hpp"
#include "worker/candidate.hpp"

namespace kbench {

// Returns an entry point that lives as long as the process. `returns`: it returns its outputs, else
// it writes to given ones. `outputs` are the names by which a dict that it returns is read.
// `device`: torch's name for a GPU that has the tensors' memory, else "".
worker::EntryPoint hosted_entry_point(std::unique_ptr<ReferenceFunction> function, bool returns,
                                      std::vector<std::string> outputs,
                                      const std::string& device = "");

}  // namespace kbench

// A candidate that runs in Python, seen through tvm-ffi's C ABI as every other one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reference/torch/script/program.hpp"
#include "worker/candidate.hpp"

namespace kbench {

// `returns`: what it returns are its outputs, else it writes to those it is given. `outputs` are
// the names by which a dict that it returns is read. `device`: what torch calls the memory of the
// tensors where that is a GPU's, else "". Lives as long as the process.
worker::EntryPoint hosted_entry_point(std::unique_ptr<ReferenceFunction> function, bool returns,
                                      std::vector<std::string> outputs,
                                      const std::string& device = "");

}  // namespace kbench

// Short ways to make what kernels are chosen by.
#pragma once

#include <utility>
#include <vector>

#include "kernels/registry/kernel_key.hpp"

namespace kbench {

inline TensorMeta meta(int type, std::vector<int> dims) { return {type, std::move(dims), false}; }

}  // namespace kbench

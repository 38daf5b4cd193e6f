// What outputs of integers, and of float4, may be as well, where they are no choice.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "problem/origin.hpp"
#include "problem/reference_protocol.hpp"

namespace kbench {

// Alternates with the memory of their own.
struct SeenAlternates {
  std::vector<Alternate> seen;
  double per_run = 0;
};

// The reference's outputs on inputs that are all moved by up to `size` of themselves; another `run`
// has other inputs.
using MovedRun = std::function<std::vector<at::Tensor>(double size, std::uint64_t run)>;

// Whether alternates of this output are of use: integers or float4, not too many.
bool may_have_alternates(const at::Tensor& output);

// For each output, of the wanted ones one for each of effort.moves. As many runs as the effort
// says where one takes `run_seconds`, 8 at least. Empty where a run fails, or where more differs
// than could be kept.
std::vector<std::vector<SeenAlternates>> find_alternates(const std::vector<at::Tensor>& outputs,
                                                         const std::vector<std::size_t>& wanted,
                                                         const ExactEffort& effort,
                                                         double run_seconds, const MovedRun& run);

}  // namespace kbench

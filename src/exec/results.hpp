// What a value-returning candidate returned, as the worker describes it in the control block: read
// with care, since the candidate can write there, too. Pure functions but for the numbers' memory.
#pragma once

#include <optional>
#include <vector>

#include "exec/candidate_process.hpp"
#include "problem/worker_protocol.hpp"

namespace kbench {

// Numbers that were returned become 0-D tensors of the declared dtypes.
void store_numbers(const worker::Control& control, PoisonedOutputs& outputs);

// A tensor of another size or an unknown dtype has no data.
std::vector<TensorView> returned_views(const worker::Control& control,
                                       const PoisonedOutputs& outputs);

// Nothing when all have the declared shapes and dtypes.
std::optional<CandidateFailure> result_mismatch(const worker::Control& control,
                                                const PoisonedOutputs& outputs);

}  // namespace kbench

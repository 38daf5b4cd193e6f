// Description of a candidate's tensors and scalars for its worker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exec/candidate_process.hpp"
#include "exec/poisoned_outputs.hpp"
#include "problem/tensor_view.hpp"
#include "problem/worker_protocol.hpp"
#include "schema/configuration.hpp"

namespace kbench {

// `scratch` names the inputs that the candidate may write to. Throws std::runtime_error where there
// are more tensors or axes than the protocol has room for.
void describe_arguments(worker::Control& control, const Inputs& inputs,
                        const PoisonedOutputs& outputs, const std::vector<std::string>& scratch);

// Adds, after describe_arguments(), values of parameters, passed behind the inputs: integers as
// int64, numbers as double. Throws std::runtime_error where there is no room.
void add_parameters(worker::Control& control, const Configuration& runtime);

// Returns each input's dtype where it is a number, "" where it is a tensor.
std::vector<std::string> scalars_of(const Inputs& inputs);

// Results of a value-returning candidate, as the worker describes them in the control block: read
// with care, since the candidate can write there, too. Pure functions but for the numbers' memory.

// Stores returned numbers as 0-D tensors of the declared dtypes.
void store_numbers(const worker::Control& control, PoisonedOutputs& outputs);

// A tensor of another size or an unknown dtype has no data.
std::vector<TensorView> returned_views(const worker::Control& control,
                                       const PoisonedOutputs& outputs);

// Returns nothing when all have the declared shapes and dtypes.
std::optional<CandidateFailure> result_mismatch(const worker::Control& control,
                                                const PoisonedOutputs& outputs);

}  // namespace kbench

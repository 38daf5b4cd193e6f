// What a worker is told of the tensors and scalars that its candidate is called with.
#pragma once

#include <string>
#include <vector>

#include "exec/poisoned_outputs.hpp"
#include "problem/inputs.hpp"
#include "problem/worker_protocol.hpp"
#include "schema/configuration.hpp"

namespace kbench {

// `scratch` names the inputs that it may write to. Throws std::runtime_error where there are more
// tensors or axes than the protocol has room for.
void describe_arguments(worker::Control& control, const Inputs& inputs,
                        const PoisonedOutputs& outputs, const std::vector<std::string>& scratch);

// Adds, after it, values of parameters, passed behind the inputs: integers as int64, numbers as
// double. Throws std::runtime_error where there is no room.
void add_parameters(worker::Control& control, const Configuration& runtime);

// The dtype of each that is a number, "" of a tensor.
std::vector<std::string> scalars_of(const Inputs& inputs);

}  // namespace kbench

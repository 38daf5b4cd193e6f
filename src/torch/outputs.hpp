// From what run() returned to the outputs that the judge gets.
#pragma once

#include <stdexcept>
#include <vector>

#include "problem/reference_protocol.hpp"
#include "torch/execute.hpp"

// NOLINTNEXTLINE: declared here so that LibTorch's headers stay out of this one
namespace c10 {
struct IValue;
}

namespace kbench {

// What collect_outputs() and split_outputs() cannot take, for the reference's author.
struct WrongOutputs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One value for each declared output. Throws WrongOutputs.
std::vector<c10::IValue> split_outputs(const c10::IValue& value,
                                       const std::vector<ReferenceResult>& declared);

// FlashInfer-Bench's rule (its DefaultEvaluator): a tuple or list has exactly as many entries as
// the Definition has outputs, a single value stands for one output, a Python number becomes a 0-D
// tensor of the declared dtype. Ours: a dict is read by the outputs' names.
ExecuteResult collect_outputs(const c10::IValue& value, const ReferenceRequest& request);

}  // namespace kbench

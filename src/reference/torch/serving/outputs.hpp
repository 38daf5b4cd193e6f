// Results of a reference's functions, made ready for the judge: the outputs of run(), and check()'s
// judgement of a candidate's.
#pragma once

#include <ATen/core/ivalue.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "problem/reference_protocol.hpp"
#include "reference/torch/serving/execute.hpp"

namespace kbench {

// Result of run() that is no output of the Definition, for the reference's author.
struct WrongOutputs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns one value for each declared output. Throws WrongOutputs, with the function's name.
std::vector<c10::IValue> split_outputs(const c10::IValue& value,
                                       const std::vector<ReferenceResult>& declared,
                                       const std::string& function = "run");

// Applies FlashInfer-Bench's rule (its DefaultEvaluator): a tuple or list has exactly as many
// entries as the Definition has outputs, a single value stands for one output, a Python number
// becomes a 0-D tensor of the declared dtype. Ours: a dict is read by the outputs' names. Exact
// arithmetic makes floating tensors float64. Throws WrongOutputs.
std::vector<at::Tensor> output_tensors(const c10::IValue& value, const ReferenceRequest& request);

// Copies tensors of dtypes that a Definition can declare to memory for the judge, in a reply.
// `limit`: how many bytes they may take, 0: any; beyond it throws std::bad_alloc.
ExecuteResult copy_native(const std::vector<at::Tensor>& tensors,
                          const std::vector<std::string>& names, std::uint64_t limit);

ExecuteResult collect_outputs(const c10::IValue& value, const ReferenceRequest& request);

// Takes a bool, or a residual in its tolerances: a floating number or a tensor of them, or a tuple,
// list or dict of such. Outputs are right where each is at most 1 away from 0, which NaN is not.
// Throws RaisedError where it returned anything else.
ReferenceReply judged_by_residuals(const c10::IValue& returned);

// Takes an assertion that failed in check() as its judgement of the outputs; any other failure is
// the check's own, and stays one.
ReferenceReply judged_by_assertion(ReferenceReply failure);

}  // namespace kbench

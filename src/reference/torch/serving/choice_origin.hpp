// Origins of the integer outputs of an exact run.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <functional>
#include <vector>

#include "reference/torch/exact/choice_recorder.hpp"
#include "reference/torch/serving/exact_answer.hpp"

namespace kbench {

// Run with its inputs, its outputs and its events.
struct ObservedRun {
  const std::vector<at::Tensor>& outputs;
  const std::vector<ChoiceEvent>& events;
  const std::vector<c10::IValue> arguments;
};

// Returns each output's origin, where it is known. `rerun` calls the reference once more,
// `recorder` watches it, and in the end keeps only what the origins need.
//
// An output is a choice if it is the picked indices, or a table's entry for each of them
// (pages[index]) with constants in between (-1 for padding). That is not guessed: other picks are
// given to the reference, and the output must follow. It is rounded if an operator made it whole,
// held within a range.
std::vector<OutputOrigin> find_origins(const ObservedRun& run, ChoiceRecorder& recorder,
                                       const std::function<std::vector<at::Tensor>()>& rerun);

}  // namespace kbench

// Task of right and wrong programs as a Definition with a workload, prepared as the judge does.
#pragma once

#include "calibration/mutants/program.hpp"
#include "judge/made.hpp"

namespace kbench::mutants {

inline Definition definition_of(const Task& task) {
  return kbench::definition_of(task, task.reference);
}

inline Given given_of(const Trial& trial) {
  Given given;
  for (const BoundInput& input : trial.inputs.values) {
    const TensorView& view = input.tensor;
    Floats& floats = given.numbers[input.name];
    floats.resize(element_count(view.shape));
    decode(view.dtype, view.data, 0, std::span(floats));
    if (info(view.dtype).kind != DTypeKind::integer) continue;
    std::vector<std::int64_t>& integers = given.integers[input.name];
    for (std::size_t i = 0; i < floats.size(); ++i)
      integers.push_back(std::get<std::int64_t>(element(view.dtype, view.data, i)));
  }
  return given;
}

}  // namespace kbench::mutants

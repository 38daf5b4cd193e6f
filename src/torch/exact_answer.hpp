// An exact run's outputs and their gauges in memory for the judge.
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>
#include <vector>

#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"
#include "torch/execute.hpp"

namespace kbench {

// The gauges (see exact_run.hpp) hold sums of squares until they are finished.
class ExactAnswerMemory {
 public:
  // The outputs of the unperturbed run; floating ones are float64. Throws RaisedError for a tensor
  // of another dtype that no Definition can declare.
  explicit ExactAnswerMemory(const std::vector<at::Tensor>& tensors);

  // The outputs of a perturbed run. Throws RaisedError when their shapes are others.
  void add(const std::vector<at::Tensor>& perturbed);
  // All gauges, from the sums over `runs` runs whose inputs were perturbed by up to `roundoff`.
  void finish(int runs, double roundoff);
  void move_to(ExecuteResult& result);

 private:
  // Values and gauge.
  std::pair<const double*, double*> arrays(const ExactOutput& output);

  std::vector<ExactOutput> outputs_;
  SharedMemory memory_;
};

}  // namespace kbench

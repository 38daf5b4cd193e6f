// Outputs and condition estimates of an exact run in memory for the judge; and alternates of
// integer and float4 outputs that are no choice.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "base/shared_memory.hpp"
#include "problem/origin.hpp"
#include "problem/reference_protocol.hpp"
#include "reference/torch/exact/choice_recorder.hpp"
#include "reference/torch/exact/value_flow.hpp"
#include "reference/torch/serving/execute.hpp"

namespace kbench {

// Alternates with memory of their own.
struct SeenAlternates {
  std::vector<Alternate> seen;
  double per_run = 0;
};

// Returns the reference's outputs on inputs that are all moved by up to `size` of themselves;
// another `run` has other inputs.
using MovedRun = std::function<std::vector<at::Tensor>(double size, std::uint64_t run)>;

// Tells whether alternates of this output are of use: integers or float4, not too many.
bool may_have_alternates(const at::Tensor& output);

// Returns for each wanted output one for each of effort.moves. Runs are as many as the effort says
// where one takes `run_seconds`, 8 at least. The result is empty where a run fails, or where more
// differs than could be kept.
std::vector<std::vector<SeenAlternates>> find_alternates(const std::vector<at::Tensor>& outputs,
                                                         const std::vector<std::size_t>& wanted,
                                                         const ExactEffort& effort,
                                                         double run_seconds, const MovedRun& run);

// Origin of an integer output in the events of a run; nothing is known where it has no rows.
struct OutputOrigin {
  Rounding rounding = Rounding::none;
  std::vector<std::size_t> events;  // numbers of the events whose scores follow each other
  std::vector<ChoiceRow> rows;
  std::vector<std::int64_t> slots, options;  // Chosen's fields of these names
  std::vector<SeenAlternates> moved;         // alternates of a non-choice
  ValueHistory history{true, true, true, true};
  bool is_rounded = false;  // effects of roundings on the way are wanted
};

// Memory whose condition estimates (see execute.hpp) hold sums of squares until they are finished.
class ExactAnswerMemory {
 public:
  // Takes the unperturbed run's outputs, their origins (one each, or none) and its events. Floating
  // outputs are float64. Throws RaisedError for a tensor of another dtype that no Definition can
  // declare.
  ExactAnswerMemory(const std::vector<at::Tensor>& tensors, std::vector<OutputOrigin> origins,
                    const std::vector<ChoiceEvent>& events);

  // Adds a perturbed run's outputs and events. Throws RaisedError when their shapes are others.
  void add(const std::vector<at::Tensor>& perturbed, const std::vector<ChoiceEvent>& events);
  // Makes all condition estimates of the sums over `runs` runs whose inputs were perturbed by up to
  // `roundoff`.
  void finish(int runs, double roundoff);
  // Adds the effect of roundings on the way, from the outputs of runs that have them.
  void add_rounded(const std::vector<at::Tensor>& rounded);
  void finish_rounded(int runs);
  void move_to(ExecuteResult& result);

 private:
  struct Arrays {
    const double* values = nullptr;
    double* condition = nullptr;
    std::size_t count = 0;
  };
  // Returns the memory for an output, or for its origin; none where neither is known.
  Arrays arrays(const ExactOutput& output);
  void place(ExactOutput& output, const OutputOrigin& origin, std::size_t scores);
  void store(const ExactOutput& output, const OutputOrigin& origin,
             const std::vector<ChoiceEvent>& events);
  Arrays roundings(const ExactOutput& output);
  static void add_squares(const Arrays& arrays, std::size_t first, const at::Tensor& perturbed);
  static void finish(const Arrays& arrays, int runs, double scale);

  std::vector<ExactOutput> outputs_;
  std::vector<OutputOrigin> origins_;
  std::size_t total_ = 0;  // bytes
  SharedMemory memory_;
};

}  // namespace kbench

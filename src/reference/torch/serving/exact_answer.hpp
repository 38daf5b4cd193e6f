// An exact run's outputs and their condition estimates in memory for the judge; and what outputs of
// integers, and of float4, may be as well, where they are no choice.
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

// An integer output's origin in the events of a run; nothing is known where it has no rows.
struct OutputOrigin {
  Rounding rounding = Rounding::none;
  std::vector<std::size_t> events;  // whose scores, one after the other
  std::vector<ChoiceRow> rows;
  std::vector<std::int64_t> slots, options;  // as Chosen has them
  std::vector<SeenAlternates> moved;         // where it is no choice
  ValueHistory history{true, true, true, true};
  bool is_rounded = false;  // it is asked what roundings on the way do to it
};

// The condition estimates (see execute.hpp) hold sums of squares until they are finished.
class ExactAnswerMemory {
 public:
  // The outputs of the unperturbed run, where they come from (one each, or none) and its events.
  // Floating outputs are float64. Throws RaisedError for a tensor of another dtype that no
  // Definition can declare.
  ExactAnswerMemory(const std::vector<at::Tensor>& tensors, std::vector<OutputOrigin> origins,
                    const std::vector<ChoiceEvent>& events);

  // The outputs and events of a perturbed run. Throws RaisedError when their shapes are others.
  void add(const std::vector<at::Tensor>& perturbed, const std::vector<ChoiceEvent>& events);
  // All condition estimates, from the sums over `runs` runs whose inputs were perturbed by up to
  // `roundoff`.
  void finish(int runs, double roundoff);
  // What roundings on the way do, from the outputs of runs that have them.
  void add_rounded(const std::vector<at::Tensor>& rounded);
  void finish_rounded(int runs);
  void move_to(ExecuteResult& result);

 private:
  struct Arrays {
    const double* values = nullptr;
    double* condition = nullptr;
    std::size_t count = 0;
  };
  // Returns the memory for an output, or for what it comes from; none where neither is known.
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

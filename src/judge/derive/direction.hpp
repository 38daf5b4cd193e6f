// One direction of a Solution with gradients as a contender, timed beside others or alone: forward,
// backward, or both. Each function is judged on a workload of its own, as a run is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "judge/contender.hpp"
#include "judge/derive/gradient_functions.hpp"
#include "judge/derive/gradient_prepare.hpp"
#include "judge/judgement.hpp"
#include "measure/sampling.hpp"

namespace kbench {

enum class Direction : std::uint8_t { forward, backward, both };  // named by direction_names
std::string_view direction_name(Direction direction);
std::optional<Direction> find_direction(std::string_view name);

// Both functions have a process each. The forward one's outputs and residuals on each set of inputs
// are what the backward one is called with, so they belong to one build (one configuration).
class DirectedRun final : public Contender {
 public:
  // All that is referred to lives as long as it. The reference can be differentiated:
  // reference_problem() of `subject.prepared` is "".
  DirectedRun(const GradientSubject& subject, const EvaluateOptions& options, Direction direction);
  ~DirectedRun() override;

  bool is_finished() const override;
  void load() override {}      // a function is loaded when there is something to call it with
  void judge() override;       // outputs and gradients on every set of inputs
  void judge_last() override;  // those of the first set, by its first cotangent

  bool is_on_gpu() const override { return false; }
  bool was_single_threaded() const override;
  void keep_to(const CoreSplit& cores) override;

  // Timing is on the first set, of random inputs.
  bool begin_timing() override;
  RunEpochs run_in_turn() override;
  bool end_timing() override;
  // Takes samples between the two; nothing where a call failed. One of both adds up one of each.
  std::optional<Timing> sample(Direction direction);

  Places elsewhere() const override;
  void start_again(const Places& places) override;
  bool come_back() override;  // judges by judge_last() what has not been judged yet
  bool prove() override;

  // The least that a gradient has to read, write and calculate is not known.
  bool believe(Timing& timing) override;
  void pass(Timing timing) override;
  void time() override;

  // Its cause, if it failed, begins with the function.
  Evaluation finish() override;

 private:
  struct Part;
  bool is_wanted(Direction part) const {
    return direction_ == Direction::both || part == direction_;
  }
  RunEpochs run(Direction direction);
  void judge_sets();
  bool start(Part& part);
  bool fail(Part& part);
  PreparedWorkload forward_workload();
  PreparedWorkload backward_workload();
  std::vector<Part*> timed() const;  // those that are there

  const PreparedGradient& prepared_;
  const Solution& solution_;
  const EvaluateOptions& options_;
  Direction direction_;
  BuildResult forward_build_, backward_build_;
  std::vector<const GradientCase*> order_;                 // the first set last, which is timed
  std::vector<std::vector<std::vector<std::byte>>> left_;  // outputs and residuals of each set
  std::vector<std::byte> nothing_;                         // stands for a residual's reference
  EvaluateOptions forward_options_, backward_options_;
  std::unique_ptr<Part> forward_, backward_;
  CoreSplit cores_;
  bool is_quick_ = false;             // judge_last()
  std::optional<Evaluation> record_;  // present once it has failed or passed
};

// Starts builds of one Solution, each another configuration, with these of its functions. Each has
// residuals of its own, so inputs of the backward call are nobody else's; all that is referred to
// lives as long as what is started. reference_problem() of `prepared` is "".
StartContender starts_directed(const PreparedGradient& prepared, GradientFunctions functions,
                               const EvaluateOptions& options, Direction direction);

}  // namespace kbench

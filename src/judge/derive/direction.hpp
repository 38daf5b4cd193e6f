// One direction of a Solution with gradients as something that is run, judged and timed: forward,
// backward, or both. What measures candidates (measure/sampling, measure/contest) takes its epochs
// like those of any kernel. For kbench grad and kbench tune --direction.
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

enum class Direction : std::uint8_t { forward, backward, both };  // as in direction_names
std::string_view direction_name(Direction direction);
std::optional<Direction> find_direction(std::string_view name);

// Both functions have a process each. The forward one's outputs and residuals on each set of inputs
// are what the backward one is called with, so they belong to one build (one configuration).
class DirectedRun {
 public:
  // What they refer to lives as long as it. The reference can be differentiated:
  // reference_problem() of `subject.prepared` is "".
  DirectedRun(const GradientSubject& subject, const EvaluateOptions& options, Direction direction);
  ~DirectedRun();

  // The stages, in order, none after one that was false: then failure() says why.
  bool judge();         // starts it, and judges outputs and gradients on every set of inputs
  bool judge_one();     // instead of that: on the first set, by its first cotangent
  bool begin_timing();  // on the first set, of random inputs
  bool end_timing();    // judges what the timed calls have left

  // Between begin_timing() and end_timing(). A sample of both is one of each, added up.
  RunEpochs run(Direction direction);
  RunEpochs run() { return run(direction_); }
  RunEpochs run_in_turn();  // where others are timed meanwhile
  // By the rule of the options; nothing where a call failed.
  std::optional<Timing> time(Direction direction);

  // To meet others again and again (Contender): a new process of each timed function, with inputs
  // and outputs elsewhere, which is called with what it was judged on; what has not been judged
  // yet is judged by judge_one().
  Contender::Places elsewhere() const;
  void start_again(const Contender::Places& places);
  bool come_back();
  bool prove();

  bool was_single_threaded() const;
  void keep_to(const CoreSplit& cores);
  CoreSplit cores() const { return cores_; }

  // Whether a stage was false, or epochs have failed since.
  bool has_failed();
  // The record of what failed first; its cause begins with the function.
  const Evaluation& failure() const { return failure_; }

 private:
  struct Part;
  bool is_wanted(Direction part) const {
    return direction_ == Direction::both || part == direction_;
  }
  bool judge_sets();
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
  std::vector<std::vector<std::vector<std::byte>>> left_;  // by each set: outputs and residuals
  std::vector<std::byte> nothing_;                         // stands for a residual's reference
  EvaluateOptions forward_options_, backward_options_;
  std::unique_ptr<Part> forward_, backward_;
  CoreSplit cores_;
  bool is_quick_ = false;  // judge_one()
  bool failed_ = false;
  Evaluation failure_;
};

}  // namespace kbench

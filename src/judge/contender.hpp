// Interface of what is judged and then timed beside others. A Judgement is one, of a solution's
// run; gradients have one in derive (judge/derive/direction.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/epochs.hpp"
#include "build/builder.hpp"
#include "exec/cores.hpp"
#include "exec/poisoned_outputs.hpp"
#include "measure/sampling.hpp"
#include "schema/trace.hpp"

namespace kbench {

// The stages are called in their order, and none after one that is_finished(): then finish() says
// why.
class Contender {
 public:
  // Memory for the outputs, of each process that it has.
  using Places = std::vector<std::shared_ptr<PoisonedOutputs>>;

  virtual ~Contender() = default;

  virtual bool is_finished() const = 0;
  // Names its calls in profiles; "" where they have no name.
  virtual std::string label() const { return ""; }
  virtual void load() = 0;
  // Calls it on every input set and judges what it leaves; or, of many of which few will be timed
  // for long, on one.
  virtual void judge() = 0;
  virtual void judge_last() = 0;

  virtual bool is_on_gpu() const = 0;
  // Tells whether one core would do; and keeps it to those cores, of which the judge uses none.
  virtual bool was_single_threaded() const = 0;
  virtual void keep_to(const CoreSplit& cores) = 0;

  // Begin and end of timing: between them its epochs are run_in_turn(), resting while others are
  // timed. The end judges what they have left. False: it is finished.
  virtual bool begin_timing() = 0;
  virtual RunEpochs run_in_turn() = 0;
  virtual bool end_timing() = 0;

  // Returns new places, which those of its kind may share that are called in between; starts a new
  // process with its outputs there; and waits until it is loaded and has made one call, as one does
  // that was judged before, in this process or another.
  virtual Places elsewhere() const = 0;
  virtual void start_again(const Places& places) = 0;
  virtual bool come_back() = 0;
  // Time of the last of these calls by the judge's clock, nanoseconds; nothing where it is many.
  virtual std::optional<double> call_ns() const { return std::nullopt; }
  // Makes one more timed call: what it leaves is its own, whoever else had the outputs before.
  virtual bool prove() = 0;

  // Tells whether this machine can be so fast; else it fails.
  virtual bool believe(Timing& timing) = 0;
  virtual void pass(Timing timing) = 0;
  // Times it alone, instead of all that.
  virtual void time() = 0;

  // Returns the record; the contender is not used any more then.
  virtual Evaluation finish() = 0;
};

struct Entrant {
  const Solution* solution = nullptr;
  const BuildResult* build = nullptr;
};

// Starts the process of one that was built.
using StartContender = std::function<std::unique_ptr<Contender>(const Entrant& entrant)>;

}  // namespace kbench

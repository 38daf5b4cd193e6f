// One solution on one workload, from the start of its process to its record.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exec/candidate_process.hpp"
#include "exec/cores.hpp"
#include "exec/poisoned_outputs.hpp"
#include "judge/contender.hpp"
#include "judge/evaluate.hpp"
#include "judge/prepare.hpp"
#include "judge/stage.hpp"
#include "judge/trial_verdict.hpp"
#include "measure/in_turn.hpp"
#include "measure/machine/gpu_state.hpp"
#include "measure/sampling.hpp"

namespace kbench {

// Outputs on one set of inputs that were judged and are right: what is the same bit for bit needs
// no judge again. Few of a kernel's many configurations differ in their sums' order.
class RightOutputs {
 public:
  using Bytes = std::vector<std::byte>;

  // What the judge said of these; nothing where they are not known.
  const Correctness* find(const Bytes& outputs) const;
  // They are right. Not kept where there are too many.
  void add(Bytes outputs, Correctness correctness);

 private:
  std::vector<std::pair<Bytes, Correctness>> known_;
  std::size_t bytes_ = 0;
};

class BesideReference;

// The stages are called in their order, and none after one that is_finished(): then the record says
// why. What is given to it lives as long as it.
class Judgement final : public Contender {
 public:
  // `outputs` may be those of others that are called in between.
  Judgement(const PreparedWorkload& workload, SharedMemory& stage,
            std::shared_ptr<PoisonedOutputs> outputs, CandidatePlan plan,
            const EvaluateOptions& options);

  // Others on this workload, by the same rule, have their outputs judged beside its own.
  void share(std::shared_ptr<RightOutputs> right) { right_ = std::move(right); }

  bool is_finished() const override { return finished_; }

  void load() override;
  // Calls it on every input set and judges what it leaves.
  void judge() override;
  // Instead of that, of many of which few will be timed for long: calls it on the last of them.
  void judge_last() override;
  // Times it, in turn with its reference where there is one, and judges what the timed calls have
  // left.
  void time() override;
  // Instead of the two: every call is timed by the judge and judged.
  void audit();
  // One audited call that nobody judges; nanoseconds.
  std::optional<double> audit_once(const Trial& trial);
  // Under a tool of compute-sanitizer, whatever became of it so far: ends both, and fails by what
  // the tool has found. Throws where that has not checked it.
  void end_tool();
  // Instead of timing it: it passed.
  void pass_untimed();

  std::string label() const override { return plan_.label; }
  bool is_on_gpu() const override { return plan_.gpu.has_value(); }
  // Whether one core would do; and that it has those cores alone, of which the judge uses none.
  bool was_single_threaded() const override { return process_->was_single_threaded(); }
  void keep_to(const CoreSplit& cores) override;
  // It has these cores, which may be all; its threads stay as many.
  void stay_on(const CoreSplit& cores);

  // The parts of time(), for who times several in turn. Between the next two its epochs are run(),
  // the last ones of the candidate. The second judges what they have left. False: it is finished.
  bool begin_timing() override;
  bool end_timing() override;
  RunEpochs run();
  // Runs beside others that are timed in turn, and rests while they are.
  RunEpochs run_in_turn() override;
  // Starts a new process with other memory for its outputs; and waits until it is loaded and has
  // made one call. Others may be started in between.
  void start_again(std::shared_ptr<PoisonedOutputs> outputs);
  void start_again(const Places& places) override { start_again(places.front()); }
  Places elsewhere() const override;
  bool come_back() override;
  std::optional<double> call_ns() const override { return process_->call_ns(); }
  // One more timed call: what it leaves is its own, whoever else had the outputs before.
  bool prove() override;
  // Puts it beside what this machine can do; less is no time of such a call: it fails. All cores
  // may be measured for that: not to be called on the judge's core alone.
  bool believe(Timing& timing) override;
  void pass(Timing timing) override;

  // The record. It is not used any more then.
  Evaluation finish() override;

 private:
  void fail(Status status, const std::string& cause);
  void fail(const CandidateFailure& failure) {
    evaluation_.ended_by = failure.signal;
    fail(failure.status, failure.cause);
  }
  void fail(const Verdict& verdict);

  // What the last call left: by the poison around the outputs and in them, and by the rule.
  Verdict judge_call(const Trial& trial);
  // Judges a call on the last set, where what was right before is known.
  Verdict judge_last_call(bool may_come_again);
  // One that nobody tells from timed ones, into fresh poison; of short ones some more before.
  bool call_unseen(bool is_short);
  // A timed one likewise; false where it is wrong: then it is finished.
  bool judge_timed_call(bool may_come_again);
  void judge_draws(const SamplerTally& timed);
  // Whether all is written where the reference may have no number. Who ends there has another
  // process afterwards, and nothing against him.
  void judge_beyond();

  Stage stage(std::string name) const;
  AuditRecord describe_audit() const;
  void audit_calls(std::vector<double>& samples_ns, BesideReference& beside);
  void audit_structured();
  std::optional<Sampled> sample_start(const SamplingRule& rule, BesideReference& beside);
  std::optional<Timing> sample_starts(BesideReference& beside);
  // What time() does before it believes it; nothing when it is finished. And by the second engine.
  std::optional<Timing> sample();
  bool hides_work();
  bool end_gpu_timing();
  std::optional<Timing> sample_by_google_benchmark();
  void start();

  const PreparedWorkload& workload_;
  SharedMemory& stage_;
  CandidatePlan plan_;
  const EvaluateOptions& options_;
  Evaluation evaluation_;
  Details details_;
  bool finished_ = false;
  int threads_;  // that it uses at most
  std::shared_ptr<PoisonedOutputs> memory_;
  std::unique_ptr<CandidateProcess> process_;
  std::optional<GpuState> gpu_before_;  // its timing
  GpuTiming gpu_;
  double load_ns_ = 0;                   // what the last load took
  int ends_ = 0;                         // how often timing ended
  std::shared_ptr<RightOutputs> right_;  // for the last set; none, until it is worth it
};

// The record of a solution that could not be built.
Evaluation unbuilt(const PreparedWorkload& workload, const BuildResult& build, bool is_audited);

// The record of a solution that is not for this workload, by its own words.
Evaluation unsupported(const PreparedWorkload& workload, const std::string& why, bool is_audited);

// Memory for outputs that lie at random places in their pages.
std::shared_ptr<PoisonedOutputs> outputs_elsewhere(const PreparedWorkload& workload);
// To begin with: on a GPU no page is closed behind them, and what is written there has to be seen.
std::shared_ptr<PoisonedOutputs> outputs_for(const PreparedWorkload& workload,
                                             const CandidatePlan& plan);

SamplingRule sampling_rule(const EvaluateOptions& options);
InTurnRule in_turn_rule(const EvaluateOptions& options);
double judges_clock_ns();
Timing describe_timing(const Sampled& sampled, bool cold);
// Describes the samples of several loads together.
Timing describe_loads(const std::vector<Sampled>& loads, bool cold);
Timing describe_audit_timing(const std::vector<double>& samples_ns);

}  // namespace kbench

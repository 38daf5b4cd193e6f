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

  // Returns what the judge said of these; nothing where they are not known.
  const Correctness* find(const Bytes& outputs) const;
  // Keeps right outputs, unless there are too many.
  void add(Bytes outputs, Correctness correctness);

 private:
  std::vector<std::pair<Bytes, Correctness>> known_;
  std::size_t bytes_ = 0;
};

class BesideReference;

// The stages are called in their order, and none after one that is_finished(): then the record says
// why. All that is given to it lives as long as it.
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
  // Calls it on the last set alone instead: one of many candidates of which few are timed for long.
  void judge_last() override;
  // Times it, in turn with its reference where there is one, and judges what the timed calls have
  // left.
  void time() override;
  // Replaces judge() and time(): the judge times every call and judges it.
  void audit();
  // Makes one audited call that nobody judges; nanoseconds.
  std::optional<double> audit_once(const Trial& trial);
  // Ends it and its tool of compute-sanitizer, whatever became of it so far, and fails by what the
  // tool has found. Throws where that has not checked it.
  void end_tool();
  // Passes it without timing it.
  void pass_untimed();

  std::string label() const override { return plan_.label; }
  bool is_on_gpu() const override { return plan_.gpu.has_value(); }
  // Tells whether one core would do; and keeps it to those cores, of which the judge uses none.
  bool was_single_threaded() const override { return process_->was_single_threaded(); }
  void keep_to(const CoreSplit& cores) override;
  // Gives it these cores, which may be all; its threads stay as many.
  void stay_on(const CoreSplit& cores);

  // Parts of time(), for who times several in turn. Epochs between the next two are run(), the
  // candidate's last ones. The second judges what they have left. False: it is finished.
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
  // Makes one more timed call: what it leaves is its own, whoever else had the outputs before.
  bool prove() override;
  // Puts it beside what this machine can do; less is no time of such a call: it fails. All cores
  // may be measured for that: not to be called on the judge's core alone.
  bool believe(Timing& timing) override;
  void pass(Timing timing) override;

  // Returns the record; it is not used any more then.
  Evaluation finish() override;

 private:
  void fail(Status status, const std::string& cause);
  void fail(const CandidateFailure& failure) {
    evaluation_.ended_by = failure.signal;
    fail(failure.status, failure.cause);
  }
  void fail(const Verdict& verdict);

  // Judges what the last call left: by the poison around the outputs and in them, and by the rule.
  Verdict judge_call(const Trial& trial);
  // Judges a call on the last set, where what was right before is known.
  Verdict judge_last_call(bool may_come_again);
  // Makes a call that nobody tells from timed ones, into fresh poison; more before short ones.
  bool call_unseen(bool is_short);
  // Judges a timed one likewise; false where it is wrong: then it is finished.
  bool judge_timed_call(bool may_come_again);
  void judge_draws(const SamplerTally& timed);
  // Checks that all is written where the reference may have no number. A process that ends there is
  // replaced, and nothing is held against its solution.
  void judge_beyond();

  Stage stage(std::string name) const;
  AuditRecord describe_audit() const;
  void audit_calls(std::vector<double>& samples_ns, BesideReference& beside);
  void audit_structured();
  std::optional<Sampled> sample_start(const SamplingRule& rule, BesideReference& beside);
  std::optional<Timing> sample_starts(BesideReference& beside);
  // Samples of time() before it believes them; nothing when it is finished.
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
  int threads_;  // threads that it uses at most
  std::shared_ptr<PoisonedOutputs> memory_;
  std::unique_ptr<CandidateProcess> process_;
  std::optional<GpuState> gpu_before_;  // state before its timing
  GpuTiming gpu_;
  double load_ns_ = 0;                   // duration of the last load
  int ends_ = 0;                         // number of times that timing ended
  std::shared_ptr<RightOutputs> right_;  // answers of the last set; none, until worth it
};

// The record of a solution that could not be built.
Evaluation unbuilt(const PreparedWorkload& workload, const BuildResult& build, bool is_audited);

// The record of a solution that is not for this workload, by its own words.
Evaluation unsupported(const PreparedWorkload& workload, const std::string& why, bool is_audited);

// Memory for outputs that lie at random places in their pages.
std::shared_ptr<PoisonedOutputs> outputs_elsewhere(const PreparedWorkload& workload);
// Memory to begin with: on a GPU no page is closed behind it, and writes there have to be seen.
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

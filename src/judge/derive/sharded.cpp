#include "judge/derive/sharded.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/text.hpp"
#include "judge/beside_reference.hpp"
#include "judge/equipment.hpp"
#include "judge/judgement.hpp"
#include "judge/trial_verdict.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

using Failure = std::optional<CandidateFailure>;

class Sharded {
 public:
  Sharded(const ShardSubject& subject, const ShardPlan& plan, ShardResult& result)
      : workload_(subject.workload),
        options_(subject.options),
        plan_(plan),
        result_(result),
        lines_(plan.lines()),
        local_(mesh_problem(workload_.problem, lines_)),
        whole_plan_(candidate_plan(workload_, subject.solution, subject.build, options_)) {
    result_.has = mesh_text(local_, lines_);
    evaluation_.timestamp = timestamp_now();
    evaluation_.kbench.emplace();
    evaluation_.kbench->trust = "plain";
    evaluation_.kbench->seed = std::to_string(workload_.seed);
  }

  Evaluation run() {
    const Trial& first = workload_.trials.front();
    Ranks ranks(plan_of_function(whole_plan_, plan_.function, plan_), local_, cut(first),
                axes_text(lines_), *plan_.transport);
    judge_all(ranks);
    evaluation_.log += ranks.log();
    return std::move(evaluation_);
  }

 private:
  std::vector<Inputs> cut(const Trial& trial) const {
    return mesh_inputs(trial.inputs, workload_.problem, lines_);
  }

  void fail(Status status, const std::string& cause) {
    evaluation_.status = status;
    evaluation_.kbench->cause = printable(cause);
    evaluation_.log = *evaluation_.kbench->cause + "\n";
    if (status != Status::incorrect_numerical) evaluation_.correctness.reset();
  }

  void judge_all(Ranks& ranks) {
    if (const auto failure = ranks.load()) return fail(failure->status, failure->cause);
    std::vector<Verdict> verdicts;
    for (const Trial* trial : judged_sets(workload_)) {
      const std::vector<Inputs> inputs = cut(*trial);
      if (const auto failure = ranks.call(inputs)) return fail(failure->status, failure->cause);
      if (!judge(ranks, *trial, verdicts)) return;
    }
    const Verdict together = kbench::combine(verdicts);
    evaluation_.correctness = together.correctness;
    if (together.status != Status::passed) return fail(together.status, together.detail);
    if (rank_count(lines_) == 1 && !agrees_with_local()) return;
    if (plan_.timed && !time(ranks)) return;
    evaluation_.status = Status::passed;
  }

  // False where this trial decides.
  bool judge(const Ranks& ranks, const Trial& trial, std::vector<Verdict>& verdicts) {
    Failure failure;
    combined_ = put_together(ranks.outputs(), failure);
    if (failure) return fail(failure->status, failure->cause), false;
    // Ranks that have not written leave their poison, which differs from rank to rank.
    std::string unwritten = ranks.unwritten(false);
    if (!combined_.wrong.empty()) {
      const bool is_written = unwritten.empty();
      return fail(Status::incorrect_numerical, is_written ? combined_.wrong : unwritten), false;
    }
    Verdict verdict =
        trial_verdict(*options_.rule, workload_.problem, options_.config, trial, combined_.outputs);
    if (verdict.status != Status::passed) {
      evaluation_.correctness = verdict.correctness;
      fail(verdict.status, unwritten.empty() ? verdict.detail : unwritten);
      return false;
    }
    unwritten = ranks.unwritten(true, trial.standards);
    if (!unwritten.empty()) return fail(Status::incorrect_numerical, unwritten), false;
    verdicts.push_back(std::move(verdict));
    return true;
  }

  Combined put_together(const RankOutputs& outputs, Failure& failure) const {
    if (!plan_.combine->is_by_entry || plan_.layout.ranks == 1)
      return combine_mesh(lines_, workload_.problem, outputs);
    Combined out = make_combined(workload_.problem);
    failure = combine_by_entry(plan_of_function(whole_plan_, plan_.combine_function, plan_),
                               workload_.problem, local_, outputs, out);
    return out;
  }

  // One rank does what the whole does, bit for bit.
  bool agrees_with_local() {
    if (plan_.function == plan_.local_function) return true;
    const Trial& last = workload_.trials.back();
    FunctionProcess process(plan_of_function(whole_plan_, plan_.local_function, plan_),
                            workload_.problem, last.inputs);
    if (const auto failure = process.call(last.inputs))
      return fail(failure->status, plan_.local_function + ": " + failure->cause), false;
    const RankOutputs both = {process.outputs(), combined_.outputs};
    for (std::size_t i = 0; i < combined_.outputs.size(); ++i) {
      const Difference found = first_difference(both, i);
      if (found.ranks.empty()) continue;
      fail(Status::incorrect_numerical,
           fmt::format("ONE_RANK: output \"{}\" of {} with one rank is not what {} gives: at {} "
                       "{}, not {}",
                       workload_.problem.outputs[i].name, plan_.function, plan_.local_function,
                       found.place, found.other, found.first));
      return false;
    }
    return true;
  }

  bool time(Ranks& ranks) {
    RankTimes times;
    SamplingRule rule = sampling_rule(options_);
    if (const auto failure = ranks.time(rule, times))
      return fail(failure->status, failure->cause), false;
    const Trial& last = workload_.trials.back();
    // The timed calls must have computed their answer. Inputs that are changed in place are only
    // right in a single call.
    std::vector<Verdict> verdicts;
    if (last.reference.written.empty() && !judge(ranks, last, verdicts)) {
      const std::string cause = *evaluation_.kbench->cause;
      fail(evaluation_.status, "after the timed calls: " + cause);
      return false;
    }
    evaluation_.performance = Performance{};
    evaluation_.performance->latency_ms = times.total_ns * 1e-6;
    BesideReference beside(workload_, options_, whole_plan_);
    beside.take_alone();
    evaluation_.performance->reference_latency_ms = beside.reference_median_ns() * 1e-6;
    result_.times = std::move(times);
    return true;
  }

  const PreparedWorkload& workload_;
  const EvaluateOptions& options_;
  const ShardPlan& plan_;
  ShardResult& result_;
  const std::vector<ShardLine> lines_;
  const Problem local_;
  const CandidatePlan whole_plan_;
  Evaluation evaluation_;
  Combined combined_;  // the last call's
};

// Problem that the function is called with: every rank's output i, one after the other.
Problem stacked_problem(const Problem& whole, const Problem& local, std::size_t ranks) {
  Problem problem = whole;
  problem.inputs.clear();
  for (const TensorPlan& output : local.outputs) {
    InputPlan input{output, RandomInput{}};
    input.tensor.is_scalar = false;
    input.tensor.shape.insert(input.tensor.shape.begin(), static_cast<std::int64_t>(ranks));
    problem.inputs.push_back(std::move(input));
  }
  return problem;
}

Inputs stack(const Problem& stacked, const RankOutputs& ranks) {
  Inputs inputs;
  std::size_t end = 0;
  for (std::size_t i = 0; i < stacked.inputs.size(); ++i) {
    const TensorPlan& tensor = stacked.inputs[i].tensor;
    const std::size_t bytes = ranks.front()[i].bytes * ranks.size();
    const Placement placed = among_pages(bytes, page_bytes);
    inputs.values.push_back(
        {tensor.name, {}, {tensor.dtype, tensor.shape, nullptr, bytes}, end + placed.data, ""});
    end += placed.size;
  }
  inputs.memory = SharedMemory("kbench-stacked", end);
  for (std::size_t i = 0; i < inputs.values.size(); ++i) {
    BoundInput& input = inputs.values[i];
    std::byte* const data = inputs.memory.data() + input.offset;
    input.tensor.data = data;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      std::memcpy(data + rank * ranks[rank][i].bytes, ranks[rank][i].data, ranks[rank][i].bytes);
  }
  inputs.memory.seal_for_others();
  return inputs;
}

}  // namespace

std::vector<ShardLine> ShardPlan::lines() const {
  std::vector<ShardLine> all = outer;
  all.push_back({name, layout, combine});
  return all;
}

CandidatePlan plan_of_function(const CandidatePlan& whole, const std::string& function,
                               const ShardPlan& plan) {
  CandidatePlan out = whole;
  const std::size_t colons = whole.symbol.find("::");
  out.symbol =
      colons == std::string::npos ? function : whole.symbol.substr(0, colons + 2) + function;
  if (out.symbol != whole.symbol) out.prepare.clear();  // prepare has the entry point's arguments
  if (!plan.transport->at_once) return out;
  const int ranks = static_cast<int>(rank_count(plan.lines()));
  out.limits.threads = std::max(1, whole.limits.threads / ranks);
  out.cores = {};
  return out;
}

Evaluation evaluate_sharded(const ShardSubject& subject, const ShardPlan& plan,
                            ShardResult& result) {
  if (!subject.build.built) return unbuilt(subject.workload, subject.build, false);
  return Sharded(subject, plan, result).run();
}

std::optional<CandidateFailure> combine_by_entry(CandidatePlan plan, const Problem& whole,
                                                 const Problem& local, const RankOutputs& ranks,
                                                 Combined& out) {
  plan.scratch_inputs.clear();
  plan.configuration.runtime = {};  // these are of calls of the kernel
  const Problem stacked = stacked_problem(whole, local, ranks.size());
  const Inputs inputs = stack(stacked, ranks);
  FunctionProcess process(std::move(plan), stacked, inputs);
  if (auto failure = process.call(inputs)) {
    failure->cause = "combine: " + failure->cause;
    return failure;
  }
  const auto left = process.outputs();
  for (std::size_t i = 0; i < left.size(); ++i)
    std::memcpy(out.memory[i].data(), left[i].data, left[i].bytes);
  return std::nullopt;
}

}  // namespace kbench

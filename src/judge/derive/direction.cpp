#include "judge/derive/direction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "judge/equipment.hpp"
#include "judge/output_standards.hpp"
#include "problem/problem.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {
namespace {

// Adds up sample by sample: one that is called both ways is called once in each.
RunEpochs added_up(RunEpochs a, RunEpochs b) {
  return [a = std::move(a),
          b = std::move(b)](const Epochs& epochs) -> std::optional<std::vector<double>> {
    auto first = a(epochs);
    if (!first) return std::nullopt;
    const auto second = b(epochs);
    if (!second) return std::nullopt;
    first->resize(std::min(first->size(), second->size()));
    for (std::size_t i = 0; i < first->size(); ++i) (*first)[i] += (*second)[i];
    return first;
  };
}

const std::string& entry_of(const BuildResult& build) {
  return build.hosted.empty() ? build.symbol : build.hosted;
}

std::vector<std::vector<std::byte>> bytes_of(const std::vector<TensorView>& views) {
  std::vector<std::vector<std::byte>> out;
  for (const TensorView& view : views) out.emplace_back(view.data, view.data + view.bytes);
  return out;
}

}  // namespace

std::string_view direction_name(Direction direction) {
  return direction_names[static_cast<std::size_t>(direction)];
}

std::optional<Direction> find_direction(std::string_view name) {
  const auto found = std::find(direction_names.begin(), direction_names.end(), name);
  if (found == direction_names.end()) return std::nullopt;
  return static_cast<Direction>(found - direction_names.begin());
}

// One of the two functions.
struct DirectedRun::Part {
  std::string function;
  PreparedWorkload workload;
  SharedMemory stage;
  std::unique_ptr<Judgement> judgement;

  Part(std::string name, PreparedWorkload prepared, const Solution& solution,
       const BuildResult& build, const EvaluateOptions& options)
      : function(std::move(name)), workload(std::move(prepared)), stage(make_stage(workload)) {
    const CandidatePlan plan = candidate_plan(workload, solution, build, options);
    judgement =
        std::make_unique<Judgement>(workload, stage, outputs_for(workload, plan), plan, options);
  }
};

DirectedRun::DirectedRun(const GradientSubject& subject, const EvaluateOptions& options,
                         Direction direction)
    : prepared_(subject.prepared),
      solution_(subject.solution),
      options_(options),
      direction_(direction),
      forward_build_(entered_at(subject.build, subject.functions.forward.function)),
      backward_build_(entered_at(subject.build, subject.functions.backward.function)),
      cores_(split_cores(options.limits.threads)) {
  for (const GradientCase& one : prepared_.cases) order_.push_back(&one);
  std::rotate(order_.begin(), order_.begin() + 1, order_.end());
  std::size_t most = 1;
  for (const TensorPlan& output : prepared_.problem.forward.outputs)
    most = std::max(most, storage_bytes(output.dtype, element_count(output.shape)));
  nothing_.resize(most);
  for (EvaluateOptions* own : {&forward_options_, &backward_options_}) {
    *own = options_;
    own->rule = find_rule("kbench");
    own->judged = {};
    own->peaks = nullptr;  // the definition's work is not that of a gradient
  }
  left_.resize(order_.size());
  forward_options_.judged = [this](std::size_t set, const std::vector<TensorView>& outputs,
                                   const Verdict&) { left_[set] = bytes_of(outputs); };
}

DirectedRun::~DirectedRun() = default;

bool DirectedRun::fail(Part& part) {
  if (record_) return false;
  record_ = part.judgement->finish();
  if (record_->kbench && record_->kbench->cause)
    record_->kbench->cause = fmt::format("{}: {}", part.function, *record_->kbench->cause);
  return false;
}

bool DirectedRun::is_finished() const {
  const auto parts = timed();
  return record_ || std::any_of(parts.begin(), parts.end(),
                                [](const Part* part) { return part->judgement->is_finished(); });
}

bool DirectedRun::start(Part& part) {
  part.judgement->load();
  if (!part.judgement->is_finished()) part.judgement->judge();
  return part.judgement->is_finished() ? fail(part) : true;
}

// The outputs are held against the workload's standards; residuals may hold anything.
PreparedWorkload DirectedRun::forward_workload() {
  PreparedWorkload out;
  out.problem = prepared_.problem.forward;
  out.seed = prepared_.workload->seed;
  for (const GradientCase* one : order_) {
    Trial& trial = out.trials.emplace_back();
    trial.inputs = copied(one->trial->inputs);
    trial.reference.outputs = one->trial->reference.outputs;
    trial.reference.evaluator = one->trial->reference.evaluator;
    trial.standards =
        error_tolerances_of(*prepared_.definition, prepared_.workload->problem, one->trial->inputs,
                            one->trial->reference, one->trial->set)
            .outputs;
    for (std::size_t i = trial.reference.outputs.size(); i < out.problem.outputs.size(); ++i) {
      const TensorPlan& plan = out.problem.outputs[i];
      trial.reference.outputs.push_back({plan.dtype, plan.shape, nothing_.data(),
                                         storage_bytes(plan.dtype, element_count(plan.shape))});
      trial.standards.emplace_back(Anything{});
    }
  }
  out.work.bytes = static_cast<std::int64_t>(tensor_bytes(out.problem));
  return out;
}

PreparedWorkload DirectedRun::backward_workload() {
  PreparedWorkload out;
  const GradientProblem& problem = prepared_.problem;
  out.problem = problem.backward;
  out.seed = prepared_.workload->seed;
  for (std::size_t set = 0; set < order_.size(); ++set) {
    const GradientCase& one = *order_[set];
    std::vector<TensorView> views;
    for (std::size_t i = 0; i < left_[set].size(); ++i) {
      const TensorPlan& plan = problem.forward.outputs[i];
      views.push_back({plan.dtype, plan.shape, left_[set][i].data(), left_[set][i].size()});
    }
    // The first cotangent is of random numbers: that is timed, so it comes last.
    for (std::size_t c = is_quick_ ? 1 : one.cotangents.size(); c-- > 0;) {
      Trial& trial = out.trials.emplace_back();
      trial.inputs = backward_inputs(problem, one.trial->inputs, views, one.cotangents[c]);
      const ReferenceAnswer& answer = one.gradients[c].answer;
      trial.reference.outputs = answer.outputs;
      trial.reference.evaluator = answer.evaluator;
      trial.standards = gradient_standards(prepared_, one, c);
    }
  }
  out.work.bytes = static_cast<std::int64_t>(output_bytes(out.problem));
  return out;
}

void DirectedRun::judge() { judge_sets(); }

void DirectedRun::judge_last() {
  is_quick_ = true;
  order_.erase(order_.begin(), order_.end() - 1);
  judge_sets();
}

void DirectedRun::judge_sets() {
  forward_ = std::make_unique<Part>(entry_of(forward_build_), forward_workload(), solution_,
                                    forward_build_, forward_options_);
  if (!start(*forward_)) return;
  if (direction_ != Direction::forward) {
    backward_ = std::make_unique<Part>(entry_of(backward_build_), backward_workload(), solution_,
                                       backward_build_, backward_options_);
    if (!start(*backward_)) return;
  }
  if (direction_ == Direction::backward) forward_.reset();  // the run has left what was wanted
  keep_to(was_single_threaded() ? split_cores(1) : cores_);
}

bool DirectedRun::was_single_threaded() const {
  const auto parts = timed();
  return std::all_of(parts.begin(), parts.end(),
                     [](const Part* part) { return part->judgement->was_single_threaded(); });
}

void DirectedRun::keep_to(const CoreSplit& cores) {
  cores_ = cores;
  for (Part* part : timed()) part->judgement->keep_to(cores_);
}

std::vector<DirectedRun::Part*> DirectedRun::timed() const {
  std::vector<Part*> parts;
  if (is_wanted(Direction::forward) && forward_) parts.push_back(forward_.get());
  if (is_wanted(Direction::backward) && backward_) parts.push_back(backward_.get());
  return parts;
}

Contender::Places DirectedRun::elsewhere() const {
  Contender::Places places;
  for (const Part* part : timed()) places.push_back(outputs_elsewhere(part->workload));
  return places;
}

// Inputs come to lie elsewhere, too: those who meet do not share them, so what a place is worth is
// not to stay with one of them.
void DirectedRun::start_again(const Contender::Places& places) {
  const auto parts = timed();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i]->stage = make_stage(parts[i]->workload);
    parts[i]->judgement->start_again(places[i]);
  }
}

bool DirectedRun::come_back() {
  const auto parts = timed();
  if (parts.empty()) {
    judge_last();
    return !is_finished();
  }
  for (Part* part : parts)
    if (!part->judgement->come_back()) return fail(*part);
  return true;
}

bool DirectedRun::prove() {
  for (Part* part : timed())
    if (part->judgement->is_finished() || !part->judgement->prove()) return fail(*part);
  return true;
}

bool DirectedRun::begin_timing() {
  for (Part* part : timed())
    if (!part->judgement->begin_timing()) return fail(*part);
  return true;
}

bool DirectedRun::end_timing() {
  for (Part* part : timed())
    if (part->judgement->is_finished() || !part->judgement->end_timing()) return fail(*part);
  return true;
}

RunEpochs DirectedRun::run(Direction direction) {
  if (direction == Direction::forward) return forward_->judgement->run();
  if (direction == Direction::backward) return backward_->judgement->run();
  return added_up(forward_->judgement->run_in_turn(), backward_->judgement->run_in_turn());
}

RunEpochs DirectedRun::run_in_turn() {
  if (direction_ == Direction::both) return run(direction_);
  return timed().front()->judgement->run_in_turn();
}

std::optional<Timing> DirectedRun::sample(Direction direction) {
  const OnJudgesCore here(cores_);
  const auto sampled = take_samples(run(direction), sampling_rule(options_), &judges_clock_ns);
  if (!sampled) return std::nullopt;
  Timing timing = describe_timing(*sampled, options_.judge.cold);
  believe(timing);
  return timing;
}

bool DirectedRun::believe(Timing& timing) {
  timing.threads = static_cast<std::int64_t>(cores_.worker.size());
  timing.pinned = cores_.is_pinned();
  return true;
}

void DirectedRun::pass(Timing timing) {
  record_.emplace();
  record_->timestamp = timestamp_now();
  record_->status = Status::passed;
  record_->kbench.emplace().timing = std::move(timing);
}

void DirectedRun::time() {
  if (was_single_threaded()) keep_to(split_cores(1));
  if (!begin_timing()) return;
  auto timing = sample(direction_);
  if (timing && prove() && end_timing()) pass(std::move(*timing));
}

Evaluation DirectedRun::finish() {
  for (Part* part : timed())
    if (part->judgement->is_finished()) fail(*part);
  return std::move(record_).value_or(Evaluation{});
}

StartContender starts_directed(const PreparedGradient& prepared, GradientFunctions functions,
                               const EvaluateOptions& options, Direction direction) {
  return [&prepared, functions = std::move(functions), &options, direction](const Entrant& one) {
    const GradientSubject subject{prepared, *one.solution, *one.build, functions};
    return std::make_unique<DirectedRun>(subject, options, direction);
  };
}

}  // namespace kbench

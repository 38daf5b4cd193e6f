#include "judge/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/epochs.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "judge/output_check.hpp"
#include "judge/weak_workload.hpp"
#include "problem/bind.hpp"
#include "problem/data/generate.hpp"
#include "problem/element.hpp"
#include "problem/problem.hpp"

namespace kbench {
namespace {

// Limits beyond which more than one input set costs more than it tells.
constexpr double long_reference_ns = 0.1e9;

// An element of an integer input that means something: from a file or by a rule of the plan.
std::optional<std::int64_t> element(const Problem& problem, const ValuePlan& plan,
                                    const Inputs& inputs, std::string_view name,
                                    std::int64_t index) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    if (problem.inputs[i].tensor.name != name) continue;
    const TensorView& tensor = inputs.values[i].tensor;
    const bool meant =
        plan[i] || std::holds_alternative<SafetensorsInput>(problem.inputs[i].source);
    if (!meant || info(tensor.dtype).kind != DTypeKind::integer || tensor.shape.size() != 1)
      return std::nullopt;
    if (index < 0) index += tensor.shape[0];
    if (index < 0 || index >= tensor.shape[0]) return std::nullopt;
    double value = 0;  // exact to 2^53: no count of anything is larger
    decode(tensor.dtype, tensor.data, static_cast<std::size_t>(index), std::span(&value, 1));
    return static_cast<std::int64_t>(value);
  }
  return std::nullopt;
}

}  // namespace

bool open_constraints_hold(const Problem& problem, const ValuePlan& plan, const Inputs& inputs,
                           const Place& line, Diagnostics& out) {
  ConstraintScope scope = scope_of(problem);
  scope.element = [&](std::string_view name, std::span<const std::int64_t> index) {
    return element(problem, plan, inputs, name, index[0]);
  };
  const std::size_t before = out.errors();
  for (const std::string& constraint : problem.open_constraints) {
    if (!report_constraint(problem, constraint, scope, line, out)) continue;
    out.add(of_workload(Level::info, line.value("/workload/inputs"), problem.workload,
                        fmt::format("constraint \"{}\" is not checked: it speaks of values that "
                                    "are no integers from a file, and of no known kind",
                                    constraint)));
  }
  return out.errors() == before;
}

namespace {

Work work_of(const Problem& problem, const ReferenceAnswer& answer) {
  Work work;
  work.flops = answer.watched.flops;
  work.bytes = static_cast<std::int64_t>(tensor_bytes(problem));
  if (answer.watched.bytes_read) {
    work.bytes_touched = static_cast<std::int64_t>(*answer.watched.bytes_read) +
                         static_cast<std::int64_t>(output_bytes(problem));
  }
  return work;
}

// The inputs twice (ours and what the workers see), the outputs twice (the reference's and a
// candidate's), and once more for each further input set of an audit: a tensor that does not fit
// would end the run, not this workload.
bool fits_in_memory(const Problem& problem, const std::optional<AuditPool>& audit,
                    const Place& line, Diagnostics& out) {
  double bytes = 0;
  const double copies =
      audit ? 1.0 + static_cast<double>(audit->sets > 0 ? audit->sets : AuditPool::least) : 2.0;
  const auto add = [&bytes, copies](const TensorPlan& tensor) {
    bytes += copies * static_cast<double>(storage_bytes(tensor.dtype, element_count(tensor.shape)));
  };
  for (const InputPlan& input : problem.inputs) add(input.tensor);
  for (const TensorPlan& output : problem.outputs) add(output);
  const auto available = static_cast<double>(available_memory());
  if (bytes < 0.9 * available) return true;
  out.add(of_workload(Level::error, line.value("/workload/axes"), problem.workload,
                      fmt::format("its tensors need {}, this machine has {} left",
                                  human_bytes(bytes), human_bytes(available))));
  return false;
}

// One trial for what is long or large, unless the user said how many.
std::int64_t trial_count(const ResolvedConfig& config, const Trial& first) {
  return config.trials_given || !is_costly(first) ? config.num_trials : 1;
}

// Tells whether another seed gives other inputs.
bool is_fresh(const Problem& problem) {
  return std::any_of(problem.inputs.begin(), problem.inputs.end(), [](const InputPlan& input) {
    return std::holds_alternative<RandomInput>(input.source);
  });
}

// Bytes that a set of inputs and its answer keep.
std::size_t bytes_of(const Trial& trial) {
  std::size_t bytes = trial.inputs.memory.size() + trial.reference.memory.size();
  if (trial.reference.exact) {
    for (const ExactTensor& tensor : trial.reference.exact->outputs)
      bytes += (tensor.values.size() + tensor.condition.size()) * sizeof(double);
  }
  return bytes;
}

// Pool of input sets: tells whether one more is answered.
class Pool {
 public:
  Pool(const PrepareOptions& options, bool fresh) : options_(options), fresh_(fresh) {}

  bool wants_more(const std::vector<Trial>& trials) const {
    const auto count = static_cast<std::int64_t>(trials.size());
    if (count == 0) return true;
    if (!options_.audit) return count < trial_count(options_.config, trials.front());
    if (!fresh_) return false;
    const AuditPool& pool = *options_.audit;
    if (pool.sets > 0) return count < pool.sets;
    if (count < AuditPool::least) return true;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    return count < AuditPool::most && spent.count() < pool.seconds &&
           trials.size() * bytes_of(trials.front()) < pool.bytes;
  }

 private:
  const PrepareOptions& options_;
  bool fresh_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Place line_of(const Stored<Trace>& workload) { return Place(workload.path, workload.line); }

// False where the configuration asks for what cannot be, or the Definition's check() refuses the
// reference's own answer; which is reported.
bool add_error_tolerances(const BoundWorkload& bound, ReferenceEvaluator& evaluator,
                          PreparedWorkload& out, Diagnostics& diagnostics) {
  const auto& judge_by = bound.options.config.judge_by;
  const auto check = OutputCheck::of(*bound.definition, judge_by, evaluator);
  for (Trial& trial : out.trials) {
    trial.check = check;
    ErrorTolerances made =
        error_tolerances_of(*bound.definition, out.problem, trial.inputs, trial.reference,
                            {trial.set, checked_outputs(check)});
    const std::string wrong = demand(made, out.problem, judge_by);
    if (!wrong.empty()) {
      diagnostics.error(line_of(*bound.workload).value("/workload"),
                        fmt::format("{} cannot be judged as the configuration says: {}",
                                    out.problem.definition, wrong),
                        "judge_by names outputs: docs/verdict.md");
      return false;
    }
    trial.standards = std::move(made.outputs);
    if (!out.exact) out.exact = std::move(made.record);
    if (check && !accepts_reference(*bound.definition, out.problem, trial, diagnostics))
      return false;
  }
  return true;
}

std::optional<Inputs> inputs_beyond(const BoundWorkload& bound, const PreparedWorkload& out) {
  if (is_costly(out.trials.front())) return std::nullopt;
  ValuePlan values = bound.values;
  for (std::optional<ValueRule>& rule : values) {
    if (rule && rule->kind == ValueKind::positive && rule->sign == by_reference) rule.reset();
  }
  const auto count = [](const ValuePlan& plan) {
    return std::count_if(plan.begin(), plan.end(),
                         [](const auto& rule) { return rule.has_value(); });
  };
  if (count(values) == count(bound.values)) return std::nullopt;
  Diagnostics problems;
  Inputs inputs = generate_inputs(
      out.problem, values, drawing_of(*bound.workload, bound.options, out.problem, 0), problems);
  if (problems.errors() > 0 ||
      !open_constraints_hold(out.problem, values, inputs, line_of(*bound.workload), problems))
    return std::nullopt;
  adapt(out.problem, bound.values, bound.seen, {.seed = bound.options.seed}, inputs);
  return inputs;
}

}  // namespace

std::optional<BoundWorkload> bind_workload(const Definition& definition,
                                           const Stored<Trace>& workload,
                                           const PrepareOptions& options,
                                           Diagnostics& diagnostics) {
  const Place line = line_of(workload);
  auto problem = bind(definition, workload.record.workload, line, diagnostics);
  if (!problem || !fits_in_memory(*problem, options.audit, line, diagnostics)) return std::nullopt;
  const std::size_t before = diagnostics.errors();
  ValuePlan values = plan_values(definition, *problem, line, diagnostics);
  if (diagnostics.errors() != before) return std::nullopt;
  Inputs inputs =
      generate_inputs(*problem, values, drawing_of(workload, options, *problem, 0), diagnostics);
  if (diagnostics.errors() != before) return std::nullopt;
  if (!open_constraints_hold(*problem, values, inputs, line, diagnostics)) return std::nullopt;
  const double steps = decay_steps(definition, *problem);
  return BoundWorkload{&definition,       &workload,         options, std::move(*problem),
                       std::move(values), std::move(inputs), steps};
}

bool is_answered(const BoundWorkload& bound, ReferenceEvaluator& evaluator) {
  return evaluator.keeps(*bound.definition, bound.problem, bound.inputs, {.watch = true},
                         exact_effort(bound, bound.problem));
}

std::optional<PreparedWorkload> prepare(BoundWorkload bound, ReferenceEvaluator& evaluator,
                                        Diagnostics& diagnostics) {
  const Definition& definition = *bound.definition;
  const PrepareOptions& options = bound.options;
  const Stopwatch watch;
  PreparedWorkload out;
  out.problem = std::move(bound.problem);
  out.seed = options.seed;
  out.fresh = is_fresh(out.problem);
  out.secret_seed = options.audit && options.audit->secret_seed;
  const Pool pool(options, out.fresh);
  for (std::int64_t t = 0; pool.wants_more(out.trials); ++t) {
    const std::size_t before = diagnostics.errors();
    Trial trial;
    trial.inputs = t == 0 ? std::move(bound.inputs)
                          : draw(bound, out.problem, static_cast<std::uint32_t>(t), diagnostics);
    if (diagnostics.errors() != before) return std::nullopt;
    if (t == 0) {
      answer_first(bound, out.problem, evaluator, trial, diagnostics);
    } else {
      trial.reference = evaluator.evaluate(definition, out.problem, trial.inputs, {},
                                           exact_effort(bound, out.problem));
    }
    if (!is_usable(bound, out.problem, trial.reference, diagnostics)) return std::nullopt;
    out.trials.push_back(std::move(trial));
  }
  const ReferenceAnswer& first = out.trials.front().reference;
  out.work = work_of(out.problem, first);
  if (options.needs_exact()) {
    if (!add_error_tolerances(bound, evaluator, out, diagnostics)) return std::nullopt;
    tell_lost_answer(bound, out, diagnostics);
    add_structured(bound, evaluator, out);
    out.beyond = inputs_beyond(bound, out);
    find_trivial_answers(bound, out, diagnostics);
  }
  if (options.rule != nullptr) tell_unasked_check(definition, *options.rule, diagnostics);
  find_reference_nan(bound, out, diagnostics);
  out.cost_ms = watch.elapsed_ms();
  return out;
}

VerdictContext verdict_context(const Problem& problem, std::span<const std::string> names,
                               const ResolvedConfig& config) {
  Tolerance tolerance;
  if (config.atol_given) tolerance.atol = config.atol;
  if (config.rtol_given) tolerance.rtol = config.rtol;
  tolerance.required_matched_ratio = config.required_matched_ratio;
  return {problem.definition, problem.op_type, tolerance, names};
}

std::vector<std::string> output_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const TensorPlan& output : problem.outputs) names.push_back(output.name);
  return names;
}

std::string summary_of(const PreparedWorkload& workload) {
  const auto bytes = static_cast<double>(workload.trials.front().inputs.memory.size());
  return fmt::format("{} {}: {} input sets of {}", workload.problem.definition,
                     workload.problem.workload, workload.trials.size(), human_bytes(bytes));
}

bool is_costly(const Trial& trial) {
  return trial.reference.call_ns > long_reference_ns || trial.inputs.memory.size() > large_inputs;
}

std::vector<const Trial*> judged_sets(const PreparedWorkload& workload) {
  std::vector<const Trial*> sets;
  for (const auto* some : {&workload.structured, &workload.trials}) {
    for (const Trial& trial : *some) sets.push_back(&trial);
  }
  return sets;
}

SharedMemory make_stage(const PreparedWorkload& workload) {
  SharedMemory stage("kbench stage", workload.trials.front().inputs.memory.size());
  stage.seal_for_others();
  return stage;
}

}  // namespace kbench

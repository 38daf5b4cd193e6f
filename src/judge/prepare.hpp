// One workload made ready: bound, its inputs generated, the reference's answers there. All
// solutions are judged on the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/output_standards.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/seen_values.hpp"
#include "problem/data/structure.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "reference/evaluator.hpp"
#include "schema/config.hpp"
#include "schema/trace_set.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

class OutputCheck;

struct Trial {
  InputSet set = InputSet::random;
  Inputs inputs;
  ReferenceAnswer reference;
  std::vector<Standard> standards;                // one an output; none: no rule asks for them
  std::shared_ptr<const OutputCheck> check = {};  // the check, where one of these is Checked
};

// Number of an audit's input sets: as many as can be answered meanwhile, within these bounds.
struct AuditPool {
  std::int64_t sets = 0;  // exact number; 0: by the bounds
  double seconds = 2;
  std::size_t bytes = std::size_t{2} << 30;
  bool secret_seed = true;

  static constexpr std::int64_t least = 8;
  static constexpr std::int64_t most = 64;
};

struct PreparedWorkload {
  Problem problem;
  std::uint64_t seed = 0;
  bool secret_seed = false;
  bool fresh = true;              // another seed gives other inputs
  std::vector<Trial> trials;      // random inputs; at least one
  std::vector<Trial> structured;  // further trials, where the rule asks for the double answer
  // Other inputs, where the usual ones are positive only since the reference takes their root or
  // logarithm: nobody says what is right then, but that all is written.
  std::optional<Inputs> beyond;
  Work work;                                  // work of a call
  std::optional<ExactRecord> exact;           // present where the rule asks for the double answer
  std::optional<InputSetsRecord> input_sets;  // present where the rule asks for the double answer
  // Findings of verdict/trivial, there, too: those of each output, and those of some alone.
  std::vector<std::string> non_discriminating, trivial_outputs;
  std::vector<ReferenceNan> reference_nan;  // outputs that have NaN
  double cost_ms = 0;                       // wall time until it was ready
};

struct PrepareOptions {
  ResolvedConfig config;
  std::filesystem::path root;  // blobs are below it
  std::uint64_t seed = 0;
  int threads = 1;
  const VerdictRule* rule = nullptr;  // nothing: nobody judges
  std::optional<AuditPool> audit = {};

  bool needs_exact() const { return rule != nullptr && rule->needs_exact; }
};

// A workload bound, and the first of its input sets.
struct BoundWorkload {
  const Definition* definition = nullptr;
  const Stored<Trace>* workload = nullptr;
  PrepareOptions options;
  Problem problem;
  ValuePlan values;
  Inputs inputs;
  double decay_steps = 0;  // ExactEffort::decay_steps of its reference
  SeenUses seen = {};      // uses of the inputs that the reference was seen to make
};

// Nothing when something of the input is wrong, which is reported: the workload or its blobs.
std::optional<BoundWorkload> bind_workload(const Definition& definition,
                                           const Stored<Trace>& workload,
                                           const PrepareOptions& options, Diagnostics& diagnostics);

// Tells whether the reference's first answer is kept from an earlier run.
bool is_answered(const BoundWorkload& bound, ReferenceEvaluator& evaluator);

// Nothing when something of the input is wrong, which is reported: the blobs, or the reference,
// whose failure is never a solution's.
std::optional<PreparedWorkload> prepare(BoundWorkload bound, ReferenceEvaluator& evaluator,
                                        Diagnostics& diagnostics);

// Summary for the log: what it is, how many input sets it has, and how large they are.
std::string summary_of(const PreparedWorkload& workload);

// Tells whether judging by further input sets costs more than it tells: its reference is slow, or
// its inputs are large.
bool is_costly(const Trial& trial);

// Tells whether the constraints hold that speak of the values of inputs. One that does not is an
// error, one that cannot be checked is said.
bool open_constraints_hold(const Problem& problem, const ValuePlan& plan, const Inputs& inputs,
                           const Place& line, Diagnostics& out);

// Context of a trial's outputs that a rule may look at, by their names.
VerdictContext verdict_context(const Problem& problem, std::span<const std::string> names,
                               const ResolvedConfig& config);
std::vector<std::string> output_names(const Problem& problem);

// Trials in the order in which they are judged: the random ones come last, for what is timed has
// their inputs.
std::vector<const Trial*> judged_sets(const PreparedWorkload& workload);

// Memory that one worker after the other sees as inputs: the judge copies each trial's there.
// Workers can only read it.
SharedMemory make_stage(const PreparedWorkload& workload);

// ---- reference_answer.cpp ----

// Inputs whose bytes make more than one set cost more than it tells.
constexpr std::size_t large_inputs = std::size_t{64} << 20;

// A line of a Definition's reference, for messages; 0: unknown.
Where line_of_reference(const Definition& definition, int line);

// Reports an answer that no solution can be judged by: the reference failed, returned what the
// Definition does not declare, or does not answer the same inputs alike.
bool is_usable(const BoundWorkload& bound, const Problem& problem, const ReferenceAnswer& answer,
               Diagnostics& out);

// Few sets are drawn of large inputs: the first and the last of what there is come in each.
GenerateOptions drawing_of(const Stored<Trace>& workload, const PrepareOptions& options,
                           const Problem& problem, std::uint32_t trial);

// Inputs of a random trial, as the reference was seen to want them.
Inputs draw(const BoundWorkload& bound, const Problem& problem, std::uint32_t trial,
            Diagnostics& diagnostics);

// ExactEffort::decay_steps of a reference. Chunks of scans have 16 to 256 steps.
double decay_steps(const Definition& definition, const Problem& problem);

// Effort of an answer to random inputs. Many answers have less effort each than a few.
ExactEffort exact_effort(const BoundWorkload& bound, const Problem& problem);

// Evaluates the reference on random inputs, and on others as long as a call shows what it does with
// them, or refuses them.
void answer_first(BoundWorkload& bound, const Problem& problem, ReferenceEvaluator& evaluator,
                  Trial& trial, Diagnostics& diagnostics);

// ---- structured.cpp ----

// Adds to `out`, whose random trials are made, those input sets that are fair: nobody is asked for
// more than the reference gives. The others are recorded with the reason. Their condition estimates
// come from few perturbed runs. Throws as ReferenceEvaluator::evaluate.
void add_structured(const BoundWorkload& bound, ReferenceEvaluator& evaluator,
                    PreparedWorkload& out);

}  // namespace kbench

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
  std::vector<Standard> standards;                // of its outputs; none: no rule asks for them
  std::shared_ptr<const OutputCheck> check = {};  // where one of these is Checked
};

// How many input sets an audit has: as many as can be answered meanwhile, within these bounds.
struct AuditPool {
  std::int64_t sets = 0;  // exactly; 0: by the bounds
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
  std::vector<Trial> trials;      // with random inputs; at least one
  std::vector<Trial> structured;  // further ones, where the rule asks for the double answer
  // Where inputs are positive only since the reference takes their root or logarithm: others, of
  // which nobody says what is right, but that all is written.
  std::optional<Inputs> beyond;
  Work work;                                  // of a call
  std::optional<ExactRecord> exact;           // where the rule asks for the double answer
  std::optional<InputSetsRecord> input_sets;  // where the rule asks for the double answer
  // There, too: what verdict/trivial says where it is of each output, and where of some alone.
  std::vector<std::string> non_discriminating, trivial_outputs;
  std::vector<ReferenceNan> reference_nan;  // for outputs that have NaN
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
};

// Nothing when something of the input is wrong, which is reported: the workload or its blobs.
std::optional<BoundWorkload> bind_workload(const Definition& definition,
                                           const Stored<Trace>& workload,
                                           const PrepareOptions& options, Diagnostics& diagnostics);

// Whether the reference's first answer is kept from an earlier run.
bool is_answered(const BoundWorkload& bound, ReferenceEvaluator& evaluator);

// Nothing when something of the input is wrong, which is reported: the blobs, or the reference,
// whose failure is never a solution's.
std::optional<PreparedWorkload> prepare(BoundWorkload bound, ReferenceEvaluator& evaluator,
                                        Diagnostics& diagnostics);

// A line of a Definition's reference, for messages; 0: unknown.
Where line_of_reference(const Definition& definition, int line);

// For the log: what it is, how many input sets it has, and how large they are.
std::string summary_of(const PreparedWorkload& workload);

// Whether it costs more than it tells to judge by further input sets: its reference is slow, or its
// inputs are large.
bool is_costly(const Trial& trial);

// Whether the constraints hold that speak of the values of inputs. One that does not is an error,
// one that cannot be checked is said.
bool open_constraints_hold(const Problem& problem, const ValuePlan& plan, const Inputs& inputs,
                           const Place& line, Diagnostics& out);

// What a rule may look at: of a trial's outputs, by their names.
VerdictContext verdict_context(const Problem& problem, std::span<const std::string> names,
                               const ResolvedConfig& config);
std::vector<std::string> output_names(const Problem& problem);

// In the order in which they are judged: the random ones come last, for what is timed has their
// inputs.
std::vector<const Trial*> judged_sets(const PreparedWorkload& workload);

// What one worker after the other sees as inputs: the judge copies each trial's there. They can
// only read it.
SharedMemory make_stage(const PreparedWorkload& workload);

// ---- structured.cpp ----

// Adds to `out`, whose random trials are made, those input sets that are fair: nobody is asked for
// more than the reference gives. The others are recorded with the reason. Their condition estimates
// come from few perturbed runs. Throws as ReferenceEvaluator::evaluate.
void add_structured(const BoundWorkload& bound, ReferenceEvaluator& evaluator,
                    PreparedWorkload& out);

}  // namespace kbench

#include "cli/new/new_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>
#include <utility>

#include "base/digest.hpp"
#include "base/installation.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "judge/prepare.hpp"
#include "problem/bind.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/safetensors.hpp"
#include "problem/data/sample_workload.hpp"
#include "problem/data/value_reach.hpp"
#include "problem/element.hpp"
#include "schema/names.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

constexpr double most_seconds = 120;  // limit of trying a reference

// Makes a uuid of RFC 9562's version 8, a digest of our own choice.
std::string uuid_of(const Definition& definition, const Workload& workload,
                    const NewWorkloadOptions& options) {
  const std::string digest =
      sha256_hex(fmt::format("kbench workload 1\n{}\n{}\n{} {}", definition.name,
                             to_json(workload, Dump::full), options.seed, options.fix));
  return fmt::format("{}-{}-8{}-a{}-{}", digest.substr(0, 8), digest.substr(8, 4),
                     digest.substr(12, 3), digest.substr(15, 3), digest.substr(18, 12));
}

// Returns the problem with the planned tensors alone: the others, which may be large, get no
// elements.
Problem planned_only(Problem problem, const ValuePlan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (!plan[i]) problem.inputs[i].tensor.shape = {0};
  return problem;
}

void point_to_blob(NewWorkload& out, const Definition& definition, const ValuePlan& plan) {
  out.blob = fmt::format("blob/workloads/{}/{}/{}.safetensors", definition.op_type, definition.name,
                         out.trace.workload.uuid);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    SafetensorsInput file;
    file.path = out.blob;
    file.tensor_key = definition.inputs.items[i].first;
    out.trace.workload.inputs[file.tensor_key] = file;
  }
}

void name_kinds(NewWorkload& out, const Definition& definition, const ValuePlan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    RandomInput random;
    random.kind = plan[i]->kind;
    out.trace.workload.inputs[definition.inputs.items[i].first] = random;
  }
}

// Nobody has the new line before them: a problem of it stands where the definition speaks of it.
void move_to_definition(const Definition& definition, const Place& place, Diagnostic& problem) {
  problem.message.erase(0, std::exchange(problem.subject, 0));
  const auto& texts = definition.constraints;
  const auto named = std::find(texts.begin(), texts.end(), problem.constraint);
  const std::string& pointer = problem.where.pointer;
  if (named != texts.end()) {
    problem.where = place.value(fmt::format("/constraints/{}", named - texts.begin()));
  } else if (pointer.starts_with("/workload/")) {
    problem.where = place.value(pointer.substr(std::string_view("/workload").size()));
  } else if (pointer != "/reference") {
    problem.where = place.value("");
  }
}

// Sets scalars to the largest length that was drawn.
void set_longest(NewWorkload& out, const Definition& definition, const Problem& problem,
                 const ValuePlan& plan) {
  for (const LongestScalar& longest : longest_scalars(problem, plan, reference_facts(definition))) {
    if (definition.axes.contains(longest.scalar)) continue;
    const TensorView& tensor = out.fixed.values[longest.input].tensor;
    std::vector<double> values(element_count(tensor.shape));
    decode(tensor.dtype, tensor.data, 0, std::span(values));
    ScalarInput literal;
    literal.value = longest_of(*plan[longest.input], values);
    out.trace.workload.inputs[longest.scalar] = literal;
  }
}

// Counts the tensors once, and the index inputs as drawn: no machine like this can run more.
bool fits_in_machine(const Problem& problem, const Place& line, Diagnostics& out) {
  double bytes = 0;
  const auto add = [&bytes](const TensorPlan& tensor, double drawn) {
    double size = drawn + info(tensor.dtype).bits / 8.0;
    for (const std::int64_t length : tensor.shape) size *= static_cast<double>(length);
    bytes += size;
  };
  for (const InputPlan& input : problem.inputs)
    add(input.tensor, info(input.tensor.dtype).kind == DTypeKind::integer ? 16 : 0);
  for (const TensorPlan& output : problem.outputs) add(output, 0);
  const auto total = static_cast<double>(total_memory());
  if (bytes <= total) return true;
  out.error(line.value("/workload/axes"),
            fmt::format("inputs and outputs of these axes need {}, this machine has {}",
                        human_bytes(bytes), human_bytes(total)),
            "smaller axes: --axes NAME=N");
  return false;
}

std::optional<NewWorkload> make(const Definition& definition, const OrderedMap<std::int64_t>& axes,
                                const NewWorkloadOptions& options, Diagnostics& diagnostics) {
  NewWorkload out;
  out.trace.definition = definition.name;
  Workload& workload = out.trace.workload;
  workload = sample_workload(definition, axes);
  workload.uuid = uuid_of(definition, workload, options);
  const Source text{"<new workload>", to_json(out.trace, Dump::full)};
  const Place line(text, 1);
  const auto problem = bind(definition, workload, line, diagnostics);
  if (!problem || !fits_in_machine(*problem, line, diagnostics)) return std::nullopt;
  const ValuePlan plan = plan_values(definition, *problem, line, diagnostics);
  if (diagnostics.errors() > 0) return std::nullopt;
  bool any = false;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    any = true;
    out.signs.emplace_back(definition.inputs.items[i].first,
                           fmt::format("{}, by {}", name_of(plan[i]->kind), plan[i]->sign));
  }
  if (!options.fix) {
    name_kinds(out, definition, plan);
    return out;
  }
  if (!any) return out;
  GenerateOptions generate;
  generate.seed = options.seed;
  generate.line = line;
  out.fixed = generate_inputs(planned_only(*problem, plan), plan, generate, diagnostics);
  if (diagnostics.errors() > 0) return std::nullopt;
  set_longest(out, definition, *problem, plan);
  point_to_blob(out, definition, plan);
  return out;
}

}  // namespace

std::optional<NewWorkload> make_workload(const Definition& definition,
                                         const OrderedMap<std::int64_t>& axes,
                                         const NewWorkloadOptions& options,
                                         Diagnostics& diagnostics) {
  Diagnostics found;
  auto out = make(definition, axes, options, found);
  for (Diagnostic problem : found.items()) {
    move_to_definition(definition, options.definition, problem);
    diagnostics.add(std::move(problem));
  }
  return out;
}

Tried try_reference(const Definition& definition, const Place& place, const Trace& trace,
                    const std::filesystem::path& root, std::uint64_t seed) {
  Tried out;
  Stored<Trace> stored{trace, "", 0};
  PrepareOptions options;
  options.config.num_trials = 1;
  options.config.trials_given = true;
  options.config.profile_baseline = false;
  options.root = root;
  options.seed = seed;
  options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Diagnostics found;
  try {
    const std::atomic<bool> never{false};
    ReferenceLimits limits;
    limits.seconds = most_seconds;
    ReferenceEvaluator evaluator(installation().programs / "kbench-torch", limits, options.threads,
                                 never);
    auto bound = bind_workload(definition, stored, options, found);
    if (bound) prepare(std::move(*bound), evaluator, found);
  } catch (const ServiceFailure& failure) {
    out.note = failure.what();
  }
  for (Diagnostic problem : found.items()) {
    if (problem.level == Level::info) continue;
    problem.level = Level::warning;
    move_to_definition(definition, place, problem);
    out.problems.add(std::move(problem));
  }
  return out;
}

void write_blob(const NewWorkload& workload, const std::filesystem::path& root) {
  if (workload.blob.empty()) return;
  std::vector<NamedTensor> tensors;
  for (const auto& [name, source] : workload.trace.workload.inputs) {
    if (!std::holds_alternative<SafetensorsInput>(source)) continue;
    for (const BoundInput& input : workload.fixed.values)
      if (input.name == name) tensors.push_back({name, input.tensor});
  }
  const std::filesystem::path file = root / workload.blob;
  std::filesystem::create_directories(file.parent_path());
  write_safetensors(file, tensors);
}

}  // namespace kbench

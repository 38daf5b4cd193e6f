#include "cli/new_workload.hpp"

#include <fmt/format.h>

#include "base/digest.hpp"
#include "data/generate.hpp"
#include "data/safetensors.hpp"
#include "data/sample_workload.hpp"
#include "problem/bind.hpp"
#include "schema/names.hpp"
#include "schema/write.hpp"

namespace kbench {
namespace {

// RFC 9562's version 8: a digest of our own choice.
std::string uuid_of(const Definition& definition, const Workload& workload,
                    const NewWorkloadOptions& options) {
  const std::string digest =
      sha256_hex(fmt::format("kbench workload 1\n{}\n{}\n{} {}", definition.name,
                             to_json(workload, Dump::full), options.seed, options.fix));
  return fmt::format("{}-{}-8{}-a{}-{}", digest.substr(0, 8), digest.substr(8, 4),
                     digest.substr(12, 3), digest.substr(15, 3), digest.substr(18, 12));
}

// The problem with the planned tensors alone: the others, which may be large, get no elements.
Problem planned_only(Problem problem, const ValuePlan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) problem.inputs[i].tensor.shape = {0};
  }
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

}  // namespace

std::optional<NewWorkload> make_workload(const Definition& definition,
                                         const OrderedMap<std::int64_t>& axes,
                                         const NewWorkloadOptions& options,
                                         Diagnostics& diagnostics) {
  NewWorkload out;
  out.trace.definition = definition.name;
  Workload& workload = out.trace.workload;
  workload = sample_workload(definition, axes);
  workload.uuid = uuid_of(definition, workload, options);
  const Source text{"<new workload>", to_json(out.trace, Dump::full)};
  const Place line(text, 1);
  const auto problem = bind(definition, workload, line, diagnostics);
  if (!problem) return std::nullopt;
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
  point_to_blob(out, definition, plan);
  return out;
}

void write_blob(const NewWorkload& workload, const std::filesystem::path& root) {
  if (workload.blob.empty()) return;
  std::vector<NamedTensor> tensors;
  for (const auto& [name, source] : workload.trace.workload.inputs) {
    if (!std::holds_alternative<SafetensorsInput>(source)) continue;
    for (const BoundInput& input : workload.fixed.values) {
      if (input.name == name) tensors.push_back({name, input.tensor});
    }
  }
  const std::filesystem::path file = root / workload.blob;
  std::filesystem::create_directories(file.parent_path());
  write_safetensors(file, tensors);
}

}  // namespace kbench

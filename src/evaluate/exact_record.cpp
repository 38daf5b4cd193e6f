#include "evaluate/exact_record.hpp"

#include <span>
#include <vector>

#include "problem/work.hpp"
#include "verdict/criterion_k.hpp"

namespace kbench {
namespace {

KProblem k_problem(const Definition& definition, const Problem& problem) {
  KProblem out;
  for (const InputPlan& input : problem.inputs) {
    if (!input.tensor.is_scalar) out.inputs.push_back(input.tensor.dtype);
  }
  for (const TensorPlan& output : problem.outputs) out.outputs.push_back(output.dtype);
  out.terms = reduction_length(definition, problem);
  return out;
}

bool quantises(const Definition& definition, const Problem& problem,
               const ReferenceAnswer& reference) {
  std::vector<TensorView> native;
  std::vector<std::span<const double>> answers, gauges;
  for (std::size_t i = 0; i < reference.outputs.size(); ++i) {
    const ExactTensor& exact = reference.exact->outputs[i];
    const TensorView& output = reference.outputs[i];
    const bool is_floating = exact.is_floating && info(output.dtype).kind == DTypeKind::floating;
    if (!is_floating) continue;
    if (exact.shape != output.shape) return true;
    native.push_back(output);
    answers.push_back(exact.values);
    gauges.push_back(exact.gauge);
  }
  return quantises_inside(k_problem(definition, problem), native, answers, gauges);
}

}  // namespace

ExactRecord exact_record(const Definition& definition, const Problem& problem,
                         const ReferenceAnswer& reference) {
  ExactRecord record;
  if (!reference.exact) {
    record.absent = reference.exact_absent;
    record.judged_against = "native";
    return record;
  }
  record.runs = reference.exact->perturbed_runs;
  const bool is_native = reference.exact->makes_codes || quantises(definition, problem, reference);
  record.judged_against = is_native ? "native" : "exact";
  return record;
}

}  // namespace kbench

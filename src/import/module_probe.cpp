#include "import/module_probe.hpp"

#include <algorithm>
#include <thread>

#include "base/installation.hpp"
#include "problem/bind.hpp"

namespace kbench {
namespace {

ReferenceLimits probe_limits() {
  ReferenceLimits limits;
  limits.evaluator = EvaluatorChoice::python;
  limits.seconds = 60;
  return limits;
}

// A Definition has an input at least: run() is given a zero.
Definition probe_definition(const std::string& text, const std::vector<std::string>& outputs) {
  Definition definition{.name = "probe", .op_type = "probe"};
  definition.inputs["zero"] = {std::nullopt, DType::int64, {}};
  for (const std::string& name : outputs)
    definition.outputs[name] = {std::vector<std::string>(), DType::float32, {}};
  definition.reference = text;
  return definition;
}

}  // namespace

ModuleProbe::ModuleProbe()
    : evaluator_(installation().programs / "kbench-torch", probe_limits(),
                 static_cast<int>(std::max(1U, std::thread::hardware_concurrency())), never_) {}

ReferenceAnswer ModuleProbe::run(const std::string& text, const std::vector<std::string>& outputs) {
  const Definition definition = probe_definition(text, outputs);
  Workload workload;
  workload.inputs["zero"] = ScalarInput{.value = std::int64_t{0}};
  const Source nothing{"probe", "{}"};
  Diagnostics problems;
  const auto problem = bind(definition, workload, Place(nothing), problems);
  Inputs inputs;
  inputs.values.push_back({"zero", Scalar(std::int64_t{0}), {DType::int64, {}, nullptr, 0}, 0, ""});
  ReferenceAnswer answer;
  try {
    return evaluator_.evaluate(definition, *problem, inputs, {});
  } catch (const ServiceFailure& failure) {
    answer.outcome = ReferenceOutcome::unsupported;
    answer.message = failure.what();
  }
  return answer;
}

}  // namespace kbench

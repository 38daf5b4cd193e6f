#include "import/module_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/installation.hpp"
#include "data/safetensors.hpp"
#include "problem/bind.hpp"

namespace kbench {
namespace {

ReferenceLimits limits_of_modules() {
  ReferenceLimits limits;
  limits.evaluator = EvaluatorChoice::python;
  limits.seconds = 60;
  return limits;
}

// A Definition has an input at least: run() is given a zero.
Definition definition_to_run(const std::string& text, const std::vector<std::string>& outputs) {
  Definition definition{.name = "module", .op_type = "module"};
  definition.inputs["zero"] = {std::nullopt, DType::int64, {}};
  for (const std::string& name : outputs)
    definition.outputs[name] = {std::vector<std::string>(), DType::float32, {}};
  definition.reference = text;
  return definition;
}

std::string failure_of(const ReferenceAnswer& answer) {
  if (answer.outcome == ReferenceOutcome::ok || !answer.message.empty()) return answer.message;
  return answer.outcome == ReferenceOutcome::out_of_memory ? "it needs too much memory"
                                                           : "its process died";
}

std::string bytes_of(const TensorView& tensor) {
  return {reinterpret_cast<const char*>(tensor.data), tensor.bytes};
}

}  // namespace

ModuleRunner::ModuleRunner()
    : evaluator_(installation().programs / "kbench-torch", limits_of_modules(),
                 static_cast<int>(std::max(1U, std::thread::hardware_concurrency())), never_) {}

ReferenceAnswer ModuleRunner::run(const std::string& text,
                                  const std::vector<std::string>& outputs) {
  const Definition definition = definition_to_run(text, outputs);
  Workload workload;
  workload.inputs["zero"] = ScalarInput{.value = std::int64_t{0}};
  const Source nothing{"module", "{}"};
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

std::string ModuleRunner::store(const ReferenceAnswer& answer,
                                const std::vector<std::string>& names) {
  if (!made_) made_ = std::make_shared<WorkFolder>(temporary_folder(), "kbench-import-");
  const std::string path = made_->path() / fmt::format("{}.safetensors", files_++);
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < names.size(); ++i)
    tensors.push_back({names[i], answer.outputs.at(i)});
  write_safetensors(path, tensors);
  return path;
}

std::string ModuleRunner::answer(const json::Value& question) {
  std::vector<std::string> names;
  if (const json::Value* const outputs = question.find("outputs"))
    for (const json::Value& one : outputs->items) names.emplace_back(one.text);
  const json::Value* const text = question.find("text");
  const json::Value* const is_stored = question.find("is_stored");
  const ReferenceAnswer found = run(std::string(text == nullptr ? "" : text->text), names);
  nlohmann::json said{{"why", failure_of(found)},
                      {"line", found.line},
                      {"is_slow", found.outcome == ReferenceOutcome::timeout}};
  if (found.outcome == ReferenceOutcome::ok && is_stored != nullptr && is_stored->truth) {
    said["path"] = store(found, names);
  } else if (found.outcome == ReferenceOutcome::ok && !found.outputs.empty()) {
    said["text"] = bytes_of(found.outputs.front());
  }
  return said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kbench

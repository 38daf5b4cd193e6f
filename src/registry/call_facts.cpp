#include "registry/call_facts.hpp"

#include <cmath>
#include <string>
#include <variant>

#include "base/words.hpp"
#include "registry/condition_words.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

void add_dtype(std::string_view tensor, DType dtype, CallFacts& facts) {
  facts[std::string(tensor) + ".dtype"] = *word_value(name_of(dtype));
}

void add_dtypes(const OrderedMap<TensorSpec>& tensors, CallFacts& facts) {
  for (const auto& [name, spec] : tensors) {
    add_dtype(name, spec.dtype, facts);
    if (spec.shape && !facts.contains("dtype")) facts["dtype"] = *word_value(name_of(spec.dtype));
  }
}

void add_scalar(std::string_view name, const InputSpec& source, CallFacts& facts) {
  const auto* const literal = std::get_if<ScalarInput>(&source);
  if (literal == nullptr) return;
  if (const auto* truth = std::get_if<bool>(&literal->value)) facts[name] = *truth ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&literal->value)) facts[name] = *whole;
  constexpr double most = 9007199254740992;  // 2^53: larger ones have no fractions to lose
  const auto* const number = std::get_if<double>(&literal->value);
  if (number != nullptr && std::abs(*number) <= most && std::trunc(*number) == *number)
    facts[name] = static_cast<std::int64_t>(*number);
}

}  // namespace

CallFacts dtype_facts(const Definition& definition) {
  CallFacts facts;
  add_dtypes(definition.inputs, facts);
  add_dtypes(definition.outputs, facts);
  return facts;
}

CallFacts scalar_facts(const Workload& workload) {
  CallFacts facts;
  for (const auto& [name, source] : workload.inputs) add_scalar(name, source, facts);
  return facts;
}

CallFacts implementation_facts(std::string_view platform, const Backend& backend) {
  CallFacts facts;
  if (const auto word = word_value(platform)) facts["platform"] = *word;
  facts["backend"] = *word_value(backend.is_any() ? "cpu" : backend.device);
  return facts;
}

bool is_of_call(std::string_view name, const Definition& definition) {
  const TensorSpec* const input = definition.inputs.find(name);
  if (definition.axes.contains(name) || (input != nullptr && !input->shape)) return true;
  return dtype_facts(definition).contains(name) || is_one_of(name, {"platform", "backend"});
}

CallFacts with_facts(CallFacts facts, const CallFacts& more) {
  for (const auto& [name, value] : more) facts[name] = value;
  return facts;
}

CallFacts call_facts(const Problem& problem, const CallFacts& constants) {
  CallFacts facts = with_facts(problem.axes, constants);
  for (const InputPlan& input : problem.inputs) {
    add_dtype(input.tensor.name, input.tensor.dtype, facts);
    if (input.tensor.is_scalar)
      add_scalar(input.tensor.name, input.source, facts);
    else if (!facts.contains("dtype"))
      facts["dtype"] = *word_value(name_of(input.tensor.dtype));
  }
  for (const TensorPlan& output : problem.outputs) add_dtype(output.name, output.dtype, facts);
  return facts;
}

}  // namespace kbench

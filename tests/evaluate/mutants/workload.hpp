// A task of right and wrong programs as a Definition with a workload, prepared as the judge does.
#pragma once

#include <stdexcept>

#include "evaluate/mutants/program.hpp"
#include "evaluate/prepare.hpp"
#include "schema/read.hpp"

namespace kbench::mutants {

template <class Record>
Record record(const nlohmann::ordered_json& value) {
  Diagnostics problems;
  auto out = read_text<Record>({"test", value.dump()}, {}, problems);
  if (!out) throw std::runtime_error(problems.items().front().message);
  return std::move(*out);
}

inline Definition definition_of(const Task& task) {
  nlohmann::ordered_json axes;
  for (const auto& [name, length] : task.axes) axes[name] = {{"type", "var"}};
  return record<Definition>({{"name", "task"},
                             {"op_type", task.op_type},
                             {"axes", axes},
                             {"inputs", task.inputs},
                             {"outputs", task.outputs},
                             {"reference", "import torch\n" + task.reference}});
}

inline Stored<Trace> workload_of(const Task& task) {
  nlohmann::ordered_json inputs;
  for (const auto& [name, spec] : task.inputs.items()) inputs[name] = {{"type", "random"}};
  return {record<Trace>({{"definition", "task"},
                         {"workload", {{"axes", task.axes}, {"inputs", inputs}, {"uuid", "w"}}},
                         {"solution", nullptr},
                         {"evaluation", nullptr}}),
          "test", 1};
}

inline Given given_of(const Trial& trial) {
  Given given;
  for (const BoundInput& input : trial.inputs.values) {
    const TensorView& view = input.tensor;
    Floats& floats = given.numbers[input.name];
    floats.resize(element_count(view.shape));
    decode(view.dtype, view.data, 0, std::span(floats));
    if (info(view.dtype).kind != DTypeKind::integer) continue;
    std::vector<std::int64_t>& integers = given.integers[input.name];
    for (std::size_t i = 0; i < floats.size(); ++i)
      integers.push_back(std::get<std::int64_t>(element(view.dtype, view.data, i)));
  }
  return given;
}

// With the double answers and structured inputs that kbench's rule asks for.
inline PreparedWorkload prepared(const Definition& definition, const Stored<Trace>& line,
                                 std::uint64_t seed, ReferenceEvaluator& evaluator) {
  PrepareOptions options;
  options.seed = seed;
  options.rule = find_rule("kbench");
  options.config.num_trials = 1;
  options.config.trials_given = true;
  options.config.profile_baseline = false;
  Diagnostics problems;
  auto bound = bind_workload(definition, line, options, problems);
  auto out = bound ? prepare(std::move(*bound), evaluator, problems) : std::nullopt;
  std::string text;
  for (const Diagnostic& problem : problems.items()) text += problem.message + "\n";
  if (!out) throw std::runtime_error(definition.reference + text);
  return std::move(*out);
}

}  // namespace kbench::mutants

// Definitions and workloads made in tests, and prepared as `kbench run` does it.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "judge/prepare.hpp"
#include "schema/read.hpp"

namespace kbench {

template <class Record>
Record record(const nlohmann::ordered_json& value) {
  Diagnostics problems;
  auto out = read_text<Record>({"test", value.dump()}, {}, problems);
  if (!out) throw std::runtime_error(problems.items().front().message);
  return std::move(*out);
}

// Makes a Definition: `task` has op_type, axes (lengths by name), inputs, outputs and reference.
template <class Task>
Definition definition_of(const Task& task, const std::string& reference) {
  nlohmann::ordered_json axes;
  for (const auto& [name, length] : task.axes) axes[name] = {{"type", "var"}};
  return record<Definition>({{"name", "task"},
                             {"op_type", task.op_type},
                             {"axes", axes},
                             {"inputs", task.inputs},
                             {"outputs", task.outputs},
                             {"reference", "import torch\n" + reference}});
}

template <class Task>
Stored<Trace> workload_of(const Task& task) {
  nlohmann::ordered_json inputs;
  for (const auto& [name, spec] : task.inputs.items()) inputs[name] = {{"type", "random"}};
  return {record<Trace>({{"definition", "task"},
                         {"workload", {{"axes", task.axes}, {"inputs", inputs}, {"uuid", "w"}}},
                         {"solution", nullptr},
                         {"evaluation", nullptr}}),
          "test", 1};
}

struct Preparing {
  bool structured = true;
  std::optional<bool> special;  // the configuration's, unless set
  int trials = 1;               // number of random input sets
};

// Returns a workload that refers to `definition` and `line`.
inline PreparedWorkload prepared(const Definition& definition, const Stored<Trace>& line,
                                 std::uint64_t seed, ReferenceEvaluator& evaluator,
                                 const Preparing& how = {}) {
  PrepareOptions options;
  options.seed = seed;
  options.rule = find_rule("kbench");
  options.config.num_trials = how.trials;
  options.config.trials_given = true;
  options.config.profile_baseline = false;
  options.config.structured_inputs = how.structured;
  options.config.special_inputs = how.special;
  Diagnostics problems;
  auto bound = bind_workload(definition, line, options, problems);
  auto out = bound ? prepare(std::move(*bound), evaluator, problems) : std::nullopt;
  std::string text;
  for (const Diagnostic& problem : problems.items()) text += problem.message + "\n";
  if (!out) throw std::runtime_error(definition.reference + text);
  return std::move(*out);
}

}  // namespace kbench

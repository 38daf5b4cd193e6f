// Small records for tests of a candidate's outcome: functions of one x[N].
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "judge/judge.hpp"
#include "schema/read.hpp"

namespace kbench {

template <class Record>
Stored<Record> stored(const nlohmann::json& record) {
  Diagnostics problems;
  auto out = read_text<Record>({"test", record.dump()}, {}, problems);
  if (!out) throw std::runtime_error(problems.items().front().message);
  return {std::move(*out), "test", 1};
}

// Outputs of a definition that has one, of the shape of x.
inline const nlohmann::json tensor_y = {{"y", {{"shape", {"N"}}, {"dtype", "float32"}}}};

// Makes a definition over x[N] in float32 with `outputs`; its reference returns `expression`.
inline Stored<Definition> definition(const std::string& name, const nlohmann::json& outputs,
                                     const std::string& expression) {
  return stored<Definition>(
      {{"name", name},
       {"op_type", "test"},
       {"axes", {{"N", {{"type", "var"}}}}},
       {"inputs", {{"x", {{"shape", {"N"}}, {"dtype", "float32"}}}}},
       {"outputs", outputs},
       {"reference", "import torch\n\ndef run(x):\n    return " + expression + "\n"}});
}

inline Stored<Trace> workload(const std::string& definition, std::int64_t n = 100) {
  return stored<Trace>(
      {{"definition", definition},
       {"workload",
        {{"axes", {{"N", n}}}, {"inputs", {{"x", {{"type", "random"}}}}}, {"uuid", definition}}},
       {"solution", nullptr},
       {"evaluation", nullptr}});
}

inline Stored<Solution> solution(const std::string& name, const std::string& definition,
                                 bool destination_passing, const std::string& source) {
  return stored<Solution>({{"name", name},
                           {"definition", definition},
                           {"author", "test"},
                           {"spec",
                            {{"language", "cpp"},
                             {"target_hardware", {"cpu"}},
                             {"entry_point", "kernel.cpp::run"},
                             {"dependencies", nlohmann::json::array()},
                             {"destination_passing_style", destination_passing},
                             {"binding", "tvm-ffi"}}},
                           {"sources", {{{"path", "kernel.cpp"}, {"content", source}}}}});
}

inline Evaluation judge_one(Stored<Definition> definition, Stored<Solution> solution,
                            const JudgeOptions& how) {
  TraceSet set;
  const std::string name = solution.record.name;
  const auto line = workload(definition.record.name);
  set.definitions.push_back(std::move(definition));
  set.solutions.push_back(std::move(solution));
  set.workloads.push_back(line);
  const auto traces = judge(set, {line}, how);
  return traces.at(name).evaluation.value();
}

}  // namespace kbench

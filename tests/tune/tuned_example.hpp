// A kernel with configurations, small enough to be written down: x * BLOCK of ejkernel's table S.
#pragma once

#include <string>

#include "kernels/registry/tunables.hpp"
#include "schema/tuned_entry.hpp"
#include "tune/key.hpp"

namespace kbench {

struct TunedExample {
  Definition definition;
  Solution solution;
  Tunables tunables;
  Methods methods;
  Problem problem;
  TuningPurpose purpose;
  TuningPlace place;

  TunedExample() {
    definition.name = "scale";
    definition.op_type = "scale";
    definition.axes["M"] = AxisVar{};
    definition.axes["N"] = AxisConst{"const", 4};
    const std::vector<std::string> shape = {"M", "N"};
    definition.inputs["x"] = TensorSpec{shape, DType::float32};
    definition.inputs["s"] = TensorSpec{std::nullopt, DType::float32};
    definition.outputs["y"] = TensorSpec{shape, DType::float32};
    definition.reference = "def run(x, s):\n    return x * s\n";
    solution.name = "blocked";
    solution.definition = "scale";
    solution.author = "somebody";
    solution.spec.entry_point = "k.cpp::run";
    solution.sources.push_back({"k.cpp", "void run();", {}});
    tunables.parameters.push_back(
        {"BLOCK", ParameterKind::define, {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}, {}});
    for (const std::int64_t more : {7, 8, 9, 50}) tunables.parameters[0].values.emplace_back(more);
    tunables.heuristic.push_back({std::nullopt, block(1), {}});
    set_length(64);
    problem.inputs = {{{"x", DType::float32, false, {64, 4}}, RandomInput{}},
                      {{"s", DType::float32, true, {}}, ScalarInput{"scalar", 2.0}}};
    problem.outputs = {{"y", DType::float32, false, {64, 4}}};
    place.machine["cpu"] = "one of a kind";
    place.compiled["compiler"] = "c++ 12";
  }

  static Configuration block(std::int64_t value) {
    Configuration out;
    out["BLOCK"] = value;
    return out;
  }

  void set_length(std::int64_t m) {
    problem.axes["M"] = m;
    problem.axes["N"] = 4;
  }

  TuningKey key() const {
    return tuning_key({definition, solution, tunables, problem, methods}, purpose, place);
  }

  TunedEntry entry(std::int64_t value) const {
    TunedEntry out;
    out.parts = key();
    out.configuration = block(value);
    out.measured_at = problem.axes;
    out.workload = "w1";
    out.decided = Decision::beaten;
    out.heuristic = TunedCandidate{block(1), "PASSED", {}, 2000.0, 1950.5, 64, 1.0};
    out.candidates = {*out.heuristic,
                      {block(2), "INCORRECT_NUMERICAL", "NaN at [0, 1]"},
                      {block(value), "PASSED", {}, 1000.0, 990.0, 64, 0.5}};
    out.strategy = "exhaustive";
    out.seed = "7";
    out.date = "2026-11-24T12:00:00.000000";
    out.kbench = "0.1.0";
    return out;
  }
};

}  // namespace kbench

// A reference as kbench reads it for its inputs, and the values that it plans by that.
#include "base/diagnostic.hpp"
#include "problem/bind.hpp"
#include "problem/data/reference_facts.hpp"
#include "problem/data/value_plan.hpp"
#include "support.hpp"

using namespace kbench;

namespace {

using AxisNames = std::vector<std::string>;

Definition definition_with(std::string reference) {
  Definition definition;
  definition.name = "fuzz";
  for (const char* name : {"B", "N", "P"}) definition.axes[name] = AxisVar{};
  definition.axes["K"] = AxisConst{"const", 7};
  definition.inputs["x"] = TensorSpec{AxisNames{"N", "K"}, DType::float32};
  definition.inputs["indptr"] = TensorSpec{AxisNames{"P"}, DType::int32};
  definition.inputs["ids"] = TensorSpec{AxisNames{"B"}, DType::int64};
  definition.inputs["n"] = TensorSpec{std::nullopt, DType::int32};
  definition.outputs["y"] = TensorSpec{AxisNames{"B", "K"}, DType::float32};
  definition.reference = std::move(reference);
  return definition;
}

Workload workload() {
  Workload out;
  out.uuid = "u";
  for (const char* name : {"B", "N", "P"}) out.axes[name] = std::int64_t{5};
  for (const char* name : {"x", "indptr", "ids"}) out.inputs[name] = RandomInput{};
  out.inputs["n"] = ScalarInput{.value = std::int64_t{3}};
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Definition definition = definition_with(fuzz::Input(data, size).rest());
  reference_facts(definition);
  Diagnostics problems;
  const auto problem = bind(definition, workload(), {}, problems);
  FUZZ_CHECK(problem.has_value());
  plan_values(definition, *problem, {}, problems);
  return 0;
}

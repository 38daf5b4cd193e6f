// A constraint's text: never evaluated but by kbench's own small arithmetic, with the same outcome
// each time.
#include "problem/constraint.hpp"

#include "support.hpp"

using namespace kbench;

namespace {

using AxisNames = std::vector<std::string>;

std::optional<std::int64_t> integer(std::string_view name) {
  constexpr std::int64_t lengths[] = {0, 1, -1, 7, INT64_MAX, INT64_MIN, 4096, 1LL << 40};
  if (name.size() != 1 || name[0] < 'A' || name[0] > 'H') return std::nullopt;
  return lengths[name[0] - 'A'];
}

ConstraintScope scope() {
  return {integer,
          [](std::string_view tensor) -> std::optional<std::vector<std::int64_t>> {
            if (tensor != "x") return std::nullopt;
            return std::vector<std::int64_t>{3, INT64_MAX};
          },
          [](std::string_view tensor,
             std::span<const std::int64_t> index) -> std::optional<std::int64_t> {
            if (tensor != "x" || index.empty()) return std::nullopt;
            return index[0];
          }};
}

Definition definition_with(const std::string& constraint) {
  Definition definition;
  for (const char* name : {"A", "B", "C"}) definition.axes[name] = AxisVar{};
  definition.axes["D"] = AxisConst{"const", 7};
  definition.inputs["x"] = TensorSpec{AxisNames{"A", "D"}, DType::int32};
  definition.constraints = {constraint};
  return definition;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).rest();
  const ConstraintResult result = check_constraint(text, scope());
  FUZZ_CHECK(check_constraint(text, scope()).outcome == result.outcome);
  for (const ConstraintProblem& problem : constraint_problems(definition_with(text))) {
    FUZZ_CHECK(problem.constraint == 0 && problem.index <= text.size());
    FUZZ_CHECK(!problem.message.empty());
  }
  return 0;
}

#include "problem/bind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "problem/worker_protocol.hpp"

namespace kbench {
namespace {

double as_double(const ScalarValue& literal) {
  if (const auto* big = std::get_if<BigInteger>(&literal)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double value = 0;
    const char* end = big->digits.data() + big->digits.size();
    const bool fits = std::from_chars(big->digits.data(), end, value).ec == std::errc();
    return fits ? value : big->digits.starts_with('-') ? -infinity : infinity;
  }
  if (const auto* value = std::get_if<double>(&literal)) return *value;
  if (const auto* value = std::get_if<bool>(&literal)) return *value ? 1 : 0;
  return static_cast<double>(std::get<std::int64_t>(literal));
}

std::int64_t highest_integer(int bits) {
  return std::numeric_limits<std::int64_t>::max() >> (64 - bits);
}

// Returns an integer literal, or a whole number, that the dtype can hold.
std::optional<std::int64_t> as_integer(const ScalarValue& literal, int bits) {
  std::int64_t value = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&literal)) {
    value = *integer;
  } else {
    const double number = as_double(literal);
    if (number != std::trunc(number) || std::abs(number) >= 0x1p63) return std::nullopt;
    value = static_cast<std::int64_t>(number);
  }
  const std::int64_t highest = highest_integer(bits);
  if (value > highest || value < -highest - 1) return std::nullopt;
  return value;
}

// A number that is rounded may be up to half a unit in the last place above the largest.
std::optional<double> as_floating(const ScalarValue& literal, DType dtype) {
  const double value = as_double(literal);
  const bool is_written_so = std::holds_alternative<double>(literal) && !std::isfinite(value);
  const double largest = info(dtype).largest * (1 + unit_roundoff(dtype) / 2);
  if (!is_written_so && !(std::abs(value) <= largest)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Scalar> bind_scalar(DType dtype, const ScalarValue& literal) {
  switch (info(dtype).kind) {
    case DTypeKind::floating:
      return as_floating(literal, dtype);
    case DTypeKind::integer:
      return as_integer(literal, info(dtype).bits);
    case DTypeKind::boolean:
      break;
  }
  const double value = as_double(literal);
  if (value != 0 && value != 1) return std::nullopt;
  return value == 1;
}

std::string text_of(const ScalarValue& literal) {
  if (const auto* big = std::get_if<BigInteger>(&literal)) return big->digits;
  if (const auto* value = std::get_if<double>(&literal)) return fmt::format("{}", *value);
  if (const auto* value = std::get_if<bool>(&literal)) return *value ? "true" : "false";
  return fmt::format("{}", std::get<std::int64_t>(literal));
}

std::string range_text(DType dtype) {
  const DTypeInfo& about = info(dtype);
  if (about.kind == DTypeKind::boolean) return "bool holds true and false";
  if (about.kind == DTypeKind::floating)
    return fmt::format("{} holds numbers up to {:.5g}", about.name, about.largest);
  const std::int64_t highest = highest_integer(about.bits);
  return fmt::format("{} holds whole numbers from {} to {}", about.name, -highest - 1, highest);
}

namespace {

// A tensor larger than this is a mistake in an axis, not a workload.
constexpr std::int64_t max_elements = std::int64_t{1} << 40;

// Returns the reason that a tensor cannot be; "" when `plan` is filled.
std::string plan_tensor(const std::string& name, const TensorSpec& spec, const Problem& problem,
                        TensorPlan& plan) {
  plan.name = name;
  plan.dtype = spec.dtype;
  plan.is_scalar = !spec.shape;
  for (std::size_t i = 0; spec.shape && i < spec.shape->size(); ++i)
    plan.shape.push_back(*problem.axes.find((*spec.shape)[i]));
  std::int64_t elements = 1;
  for (const std::int64_t length : plan.shape) {
    if (__builtin_mul_overflow(elements, std::max<std::int64_t>(length, 1), &elements) ||
        elements > max_elements) {
      return fmt::format("tensor {} {} has more than 2^40 elements", name, shape_text(plan.shape));
    }
  }
  return "";
}

// The workload's kind of an input must fit the definition's.
std::string kind_mismatch(const TensorPlan& tensor, const InputSpec& source) {
  if (!tensor.is_scalar && std::holds_alternative<ScalarInput>(source))
    return fmt::format("{} is scalar but definition expects tensor", tensor.name);
  if (tensor.is_scalar && std::holds_alternative<SafetensorsInput>(source))
    return fmt::format("{} is safetensors but definition expects scalar", tensor.name);
  return "";
}

// Binds one workload to its Definition. Messages begin with the uuid, by which the line is known
// elsewhere.
class Binder {
 public:
  Binder(const Definition& definition, const Workload& workload, const Place& line,
         Diagnostics& out)
      : definition_(definition), workload_(workload), line_(line), out_(out) {}

  // Checks the names of axes and inputs; true if each is the Definition's, and none is missing.
  bool check_names() {
    const std::size_t before = out_.errors();
    for (const auto& [name, value] : workload_.axes) {
      const Axis* axis = definition_.axes.find(name);
      const auto constant = axis == nullptr ? std::nullopt : const_value(*axis);
      if (constant) restated(name, *constant, value);
    }
    compare_names("axis", "axes", definition_.axes, workload_.axes);
    compare_names("input", "inputs", definition_.inputs, workload_.inputs);
    return out_.errors() == before;
  }

  void bind_axes(Problem& problem) {
    for (const auto& [name, axis] : definition_.axes) {
      const auto constant = const_value(axis);
      problem.axes[name] = constant ? *constant : *workload_.axes.find(name);
    }
  }

  void bind_tensors(Problem& problem) {
    for (const auto& [name, spec] : definition_.inputs) {
      InputPlan input;
      input.source = *workload_.inputs.find(name);
      plan(name, spec, problem, input.tensor);
      const std::string mismatch = kind_mismatch(input.tensor, input.source);
      if (!mismatch.empty())
        error(line_.value(pointer("inputs", name)), mismatch, how_to_give(name, spec));
      check_literal(input);
      problem.inputs.push_back(std::move(input));
    }
    for (const auto& [name, spec] : definition_.outputs)
      plan(name, spec, problem, problem.outputs.emplace_back());
    for (const InputPlan& input : problem.inputs) check_rank(input.tensor);
    for (const TensorPlan& output : problem.outputs) check_rank(output);
  }

 private:
  void error(Where where, std::string_view message, std::string hint = "") {
    out_.add(of_workload(Level::error, std::move(where), workload_.uuid, message, std::move(hint)));
  }

  void check_rank(const TensorPlan& tensor) {
    if (tensor.shape.size() <= worker::max_rank) return;
    error(line_.value(), fmt::format("\"{}\" has {} axes", tensor.name, tensor.shape.size()),
          fmt::format("kbench hands tensors of at most {} axes to solutions", worker::max_rank));
  }

  void check_literal(const InputPlan& input) {
    const auto* literal = std::get_if<ScalarInput>(&input.source);
    const auto& [name, dtype, is_scalar, shape] = input.tensor;
    if (literal == nullptr || !is_scalar || bind_scalar(dtype, literal->value)) return;
    error(line_.value(pointer("inputs", name) + "/value"),
          fmt::format("'{}' expected {}, got {}", name, info(dtype).name, text_of(literal->value)),
          range_text(dtype));
  }

  static std::string pointer(std::string_view section, std::string_view name) {
    return fmt::format("/workload/{}/{}", section, pointer_step(name));
  }

  void restated(const std::string& name, std::int64_t constant, std::int64_t given) {
    error(line_.key(pointer("axes", name)),
          constant == given
              ? fmt::format("axis \"{}\" is const and must not be given", name)
              : fmt::format("axis \"{}\" is const {}, the workload says {}", name, constant, given),
          "a workload gives the lengths of var axes alone");
  }

  // Reports names that the Definition does not have, and those that the workload lacks. `noun` is
  // what messages call one of them, `section` the key they stand under.
  template <class Wanted, class Given>
  void compare_names(std::string_view noun, std::string_view section, const Wanted& wanted,
                     const Given& given) {
    std::set<std::string> meant;
    for (const auto& [name, value] : given) {
      if (wanted.contains(name)) continue;
      std::vector<std::string> known;
      for (const auto& [other, what] : wanted) known.push_back(other);
      const std::string guess = nearest(name, known);
      const bool misspelt = !guess.empty() && !given.contains(guess);
      if (misspelt) meant.insert(guess);
      error(line_.key(pointer(section, name)),
            fmt::format("{} has no {} \"{}\"", definition_.name, noun, name),
            misspelt        ? fmt::format("did you mean \"{}\"?", guess)
            : known.empty() ? "remove it"
                            : fmt::format("{} are {}", section, join(known, ", ")));
    }
    for (const auto& [name, value] : wanted) {
      if (given.contains(name) || meant.contains(name) || !is_asked_for(value)) continue;
      error(line_.value(fmt::format("/workload/{}", section)),
            fmt::format("{} \"{}\" is missing", noun, name), how_to_give(name, value));
    }
  }

  static bool is_asked_for(const Axis& axis) { return !const_value(axis); }
  static bool is_asked_for(const TensorSpec&) { return true; }

  static std::string how_to_give(const std::string& name, const Axis&) {
    return fmt::format("give its length: \"{}\": 1", name);
  }
  static std::string how_to_give(const std::string& name, const TensorSpec& spec) {
    return spec.shape ? fmt::format(R"(random values: "{}": {{"type": "random"}})", name)
                      : fmt::format(R"(a number: "{}": {{"type": "scalar", "value": 1}})", name);
  }

  void plan(const std::string& name, const TensorSpec& spec, const Problem& problem,
            TensorPlan& tensor) {
    const std::string too_large = plan_tensor(name, spec, problem, tensor);
    if (!too_large.empty()) error(line_.value("/workload/axes"), too_large);
  }

  const Definition& definition_;
  const Workload& workload_;
  const Place& line_;
  Diagnostics& out_;
};

std::string values_text(const std::vector<std::string>& names, const ConstraintScope& scope) {
  std::string out;
  for (const std::string& name : names)
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name,
                       number_text(scope.number(name).value_or(0)));
  return out;
}

}  // namespace

Diagnostic of_workload(Level level, Where where, std::string_view uuid, std::string_view message,
                       std::string hint) {
  const std::string subject = fmt::format("workload {}: ", uuid);
  return {level, std::move(where), subject + std::string(message), std::move(hint), subject.size()};
}

ConstraintScope scope_of(const Problem& problem) {
  const auto integer = [&problem](std::string_view name) -> std::optional<std::int64_t> {
    if (const auto* value = problem.axes.find(name)) return *value;
    for (const InputPlan& input : problem.inputs) {
      const auto* scalar = std::get_if<ScalarInput>(&input.source);
      if (input.tensor.name != name || scalar == nullptr) continue;
      if (const auto* value = std::get_if<std::int64_t>(&scalar->value)) return *value;
    }
    return std::nullopt;
  };
  const auto shape = [&problem](std::string_view name) -> std::optional<Shape> {
    for (const InputPlan& input : problem.inputs)
      if (input.tensor.name == name) return input.tensor.shape;
    for (const TensorPlan& output : problem.outputs)
      if (output.name == name) return output.shape;
    return std::nullopt;
  };
  return {integer, shape,
          [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }};
}

bool report_constraint(const Problem& problem, const std::string& constraint,
                       const ConstraintScope& scope, const Place& line, Diagnostics& out) {
  using Outcome = ConstraintResult::Outcome;
  const ConstraintResult result = check_constraint(constraint, scope);
  const auto say = [&](Level level, const std::string& what) {
    const std::string values = values_text(result.used_names, scope);
    const std::string text =
        fmt::format("constraint \"{}\" of {} {}{}{}", constraint, problem.definition, what,
                    values.empty() ? "" : ": ", values);
    out.add(of_workload(level, line.value("/workload/axes"), problem.workload, text)).constraint =
        constraint;
  };
  if (result.outcome == Outcome::violated) {
    say(Level::error, "is violated");
  } else if (result.outcome == Outcome::undefined) {
    say(Level::error, fmt::format("has no value, {}", result.message));
  } else if (result.outcome == Outcome::unchecked) {
    say(Level::warning, fmt::format("is not checked, {}", result.message));
  }
  return result.outcome == Outcome::open;
}

std::optional<Problem> bind(const Definition& definition, const Workload& workload,
                            const Place& line, Diagnostics& diagnostics) {
  Problem problem;
  problem.definition = definition.name;
  problem.op_type = definition.op_type;
  problem.workload = workload.uuid;
  const std::size_t before = diagnostics.errors();
  Binder binder(definition, workload, line, diagnostics);
  if (!binder.check_names()) return std::nullopt;
  binder.bind_axes(problem);
  binder.bind_tensors(problem);
  const ConstraintScope scope = scope_of(problem);
  for (const std::string& constraint : definition.constraints) {
    if (report_constraint(problem, constraint, scope, line, diagnostics))
      problem.open_constraints.push_back(constraint);
  }
  if (diagnostics.errors() != before) return std::nullopt;
  return problem;
}

Shapes shapes_of(const Definition& definition, const OrderedMap<TensorSpec>& tensors,
                 const OrderedMap<std::int64_t>& axes) {
  Shapes out;
  for (const auto& [name, spec] : tensors) {
    if (!spec.shape) {
      out.shapes.emplace_back();
      continue;
    }
    Shape& shape = out.shapes.emplace_back().emplace();
    for (const std::string& axis : *spec.shape) {
      const auto constant = const_value(*definition.axes.find(axis));
      const auto* value = axes.find(axis);
      if (!constant && value == nullptr) {
        out.error = fmt::format("Missing value for variable axis '{}'", axis);
        return out;
      }
      shape.push_back(constant ? *constant : *value);
    }
  }
  return out;
}

}  // namespace kbench

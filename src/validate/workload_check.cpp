// The check of a definition's workloads.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "problem/bind.hpp"
#include "schema/place.hpp"
#include "validate/blobs.hpp"
#include "validate/checks.hpp"

namespace kbench {
namespace {

using NameViews = std::set<std::string_view>;

// A fault of a workload, said without its uuid.
struct WorkloadError {
  std::string message;
  std::string pointer;
  std::string hint{};
};
using Errors = std::vector<WorkloadError>;

template <class Map>
NameViews keys(const Map& map) {
  NameViews names;
  for (const auto& [name, value] : map) names.insert(name);
  return names;
}

NameViews without(const NameViews& names, const NameViews& others) {
  NameViews left;
  for (const std::string_view name : names) {
    if (!others.contains(name)) left.insert(name);
  }
  return left;
}

// What the definition asks of every workload.
struct Wanted {
  const Definition& definition;
  NameViews axes;
  NameViews inputs;

  explicit Wanted(const Definition& of) : definition(of), inputs(keys(of.inputs)) {
    for (const auto& [name, axis] : of.axes) {
      if (std::holds_alternative<AxisVar>(axis)) axes.insert(name);
    }
  }
};

// Checks one line; every problem found is handed to `error` without the uuid.
class LineCheck {
 public:
  LineCheck(const CheckInput& input, const Wanted& wanted, const TraceLine& line, Errors& errors)
      : input_(input),
        wanted_(wanted),
        line_(line),
        workload_(line.trace.workload),
        errors_(errors) {}

  void run() {
    if (!is_workload_trace(line_.trace) && !line_.misplaced)  // else the reader says it
      error("workload entry should not have solution or evaluation", "");
    compare_names("axes", wanted_.axes, keys(workload_.axes));
    for (const auto& [name, value] : workload_.axes) {
      if (value > 0) continue;
      error(fmt::format("axis {} has non-positive value {}", name, value), pointer("axes", name));
    }
    compare_names("inputs", wanted_.inputs, keys(workload_.inputs));
    if (errors_.empty() && is_workload_trace(line_.trace)) {
      check_inputs();
    } else {
      check_blobs_are_there();
    }
  }

 private:
  void error(std::string message, std::string pointer, std::string hint = "") {
    errors_.push_back({std::move(message), std::move(pointer), std::move(hint)});
  }

  static std::string pointer(std::string_view section, std::string_view name) {
    return fmt::format("/workload/{}/{}", section, pointer_step(name));
  }

  void compare_names(std::string_view noun, const NameViews& wanted, const NameViews& given) {
    const NameViews missing = without(wanted, given);
    if (!missing.empty()) {
      error(fmt::format("missing {} {}", noun, python_list(missing)),
            fmt::format("/workload/{}", noun));
    }
    if (const NameViews extra = without(given, wanted); !extra.empty()) {
      const std::vector<std::string> lacking(missing.begin(), missing.end());
      error(fmt::format("extra {} {}", noun, python_list(extra)), pointer(noun, *extra.begin()),
            did_you_mean(*extra.begin(), lacking));
    }
  }

  void check_inputs() {
    const auto& inputs = wanted_.definition.inputs;
    const Shapes shapes = shapes_of(wanted_.definition, inputs, workload_.axes);
    if (!shapes.error.empty()) {
      error("shape inference failed: " + shapes.error, "/workload/axes");
      return check_blobs_are_there();
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
      check_input(inputs.items[i].first, shapes.shapes[i]);
  }

  // Looks at no more of the inputs, where their shapes are not known.
  void check_blobs_are_there() {
    for (const auto& [name, source] : workload_.inputs) {
      const auto* blob = std::get_if<SafetensorsInput>(&source);
      std::error_code failed;
      if (blob != nullptr && !std::filesystem::exists(input_.root / blob->path, failed))
        error(fmt::format("blob missing at {}", blob->path), pointer("inputs", name));
    }
  }

  void check_input(const std::string& name, const MaybeShape& shape) {
    const InputSpec& source = *workload_.inputs.find(name);
    const bool scalar = std::holds_alternative<ScalarInput>(source);
    const auto* blob = std::get_if<SafetensorsInput>(&source);
    const std::string place = pointer("inputs", name);
    if (scalar && shape)
      error(fmt::format("{} is scalar but definition expects tensor", name), place);
    if (!scalar && !shape) {
      error(fmt::format("{} is {} but definition expects scalar", name,
                        blob != nullptr ? "safetensors" : "random"),
            place);
    } else if (blob != nullptr) {
      BlobProblem problem = blob_problem(input_.root, name, *blob, shape);
      if (!problem.message.empty())
        error(std::move(problem.message), place, std::move(problem.hint));
    }
  }

  const CheckInput& input_;
  const Wanted& wanted_;
  const TraceLine& line_;
  const Workload& workload_;
  Errors& errors_;
};

}  // namespace

void check_workloads(const CheckInput& input, std::vector<const TraceLine*>& good) {
  if (input.entry.workloads.empty())
    return input.warning(input.entry.file, "no workload file found");
  const Entry& entry = input.entry.workloads.front();
  const auto* lines = input.lines(entry);
  if (lines == nullptr || input.definition() == nullptr) return;
  const Wanted wanted(*input.definition());
  for (const TraceLine& line : *lines) {
    Errors errors;
    LineCheck(input, wanted, line, errors).run();
    for (WorkloadError& error : errors) {
      input.out.push_back({Level::error,
                           fmt::format("{}: {}", line.trace.workload.uuid, error.message),
                           entry.file, line.line, std::move(error.pointer), std::move(error.hint)});
    }
    if (errors.empty() && is_workload_trace(line.trace)) good.push_back(&line);
  }
}

}  // namespace kbench

#include "kernels/registry/checked_sidecar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "kernels/registry/ignored_parameters.hpp"
#include "kernels/registry/methods.hpp"
#include "kernels/registry/signature.hpp"

namespace kbench {

void check_entry(const Sidecar& sidecar, const Solution& solution, Diagnostics& out) {
  const std::vector<std::string> known = exported_functions(solution);
  for (const NamedPlace& one : sidecar.entry_functions) {
    if (std::find(known.begin(), known.end(), one.name) != known.end()) continue;
    const std::string message = fmt::format("{} has no function {}", solution.name, one.name);
    std::string hint = did_you_mean(one.name, known);
    if (hint.empty() && !known.empty()) hint = "it has " + join(known, ", ");
    if (is_python(solution)) {
      out.error(one.where, message, hint);
    } else if (!is_mentioned(one.name, solution)) {  // macros may paste names together
      out.warning(one.where, message, hint);
    }
  }
}

Sidecar checked_sidecar(const Stored<Solution>& solution, const Definition& definition,
                        Diagnostics& diagnostics) {
  Sidecar sidecar = sidecar_of(solution, diagnostics);
  check_entry(sidecar, solution.record, diagnostics);
  check_tunables(sidecar.tunables, solution.record, definition, diagnostics);
  check_batch(sidecar, solution.record, definition, diagnostics);
  add_ignored(solution.record, definition, sidecar);
  return sidecar;
}

bool is_called_otherwise(const Solution& solution, const Sidecar& sidecar) {
  return !sidecar.batch_axes.empty() || !called_function(solution, sidecar.methods).empty();
}

Solution called_solution(const Solution& solution, const Sidecar& sidecar,
                         const Definition& definition) {
  return with_batch(with_function(solution, called_function(solution, sidecar.methods)), sidecar,
                    definition);
}

std::string conditions_digest(const Sidecar& sidecar) {
  std::string text;
  for (const std::string& condition : sidecar.all.conditions) text += condition + "\n";
  for (const auto* conditions : {&sidecar.tunables.supports, &sidecar.tunables.where})
    for (const Condition& condition : *conditions) text += condition.text + "\n";
  return text.empty() ? "" : sha256_hex(text).substr(0, 16);
}

std::tuple<Solution, std::string, bool, std::string> solution_as_run(const Stored<Solution>& stored,
                                                                     const Definition* definition,
                                                                     const Configuration* values) {
  Diagnostics ignored;
  Sidecar sidecar = sidecar_of(stored, ignored);
  if (definition == nullptr) sidecar.batch_axes.clear();
  if (definition != nullptr) add_ignored(stored.record, *definition, sidecar);
  Solution run =
      called_solution(stored.record, sidecar, definition == nullptr ? Definition{} : *definition);
  if (values != nullptr) run = with_configuration(std::move(run), sidecar.tunables, *values);
  const auto found = prepare_function(stored.record, sidecar.methods);
  const auto* const prepare = std::get_if<std::optional<FoundMethod>>(&found);
  const bool is_one = values == nullptr || unfit_values(*values, sidecar.tunables).empty();
  return {std::move(run), prepare != nullptr && *prepare ? (*prepare)->function : "",
          !sidecar.tunables.empty(),
          is_one ? conditions_digest(sidecar) : "no configuration of it"};
}

namespace {

constexpr const char* batch_function = "kbench_batched";

using Axes = std::vector<NamedPlace>;

std::size_t index_of(const Axes& axes, const std::string& name) {
  return static_cast<std::size_t>(
      std::find_if(axes.begin(), axes.end(),
                   [&](const NamedPlace& one) { return one.name == name; }) -
      axes.begin());
}

// Returns the axes that a tensor has, as bits; they are its first ones, in the order in which they
// are declared: nullopt where they are not.
std::optional<unsigned> mask_of(const TensorSpec& spec, const Axes& axes) {
  unsigned mask = 0;
  std::size_t last = 0;
  bool is_over = false;
  for (const std::string& name : spec.shape.value_or(std::vector<std::string>{})) {
    const std::size_t index = index_of(axes, name);
    if (index == axes.size()) {
      is_over = true;
      continue;
    }
    if (is_over || (mask != 0 && index < last)) return std::nullopt;
    mask |= 1U << index;
    last = index;
  }
  return mask;
}

bool can_be_batched(const Solution& solution) {
  const bool is_cpp = solution.spec.language == Language::cpp &&
                      solution.spec.binding.value_or(Binding::tvm_ffi) == Binding::tvm_ffi &&
                      solution.spec.destination_passing_style;
  return is_cpp || solution.spec.language == Language::python;
}

void check_tensors(const OrderedMap<TensorSpec>& tensors, bool are_outputs, const Axes& axes,
                   Diagnostics& out) {
  for (const auto& [name, spec] : tensors) {
    const auto mask = mask_of(spec, axes);
    if (!mask)
      out.error(axes.front().where,
                fmt::format("batch_axes: they are not the first axes of {} [{}], in their order",
                            name, join(*spec.shape, ", ")),
                "only slices along the first axes have no gaps");
    else if (are_outputs && *mask != (1U << axes.size()) - 1)
      out.error(axes.front().where,
                fmt::format("batch_axes: the output {} has not all of them: every call would write "
                            "the same part of it",
                            name));
  }
}

std::string masks_text(const Solution& solution, const Sidecar& sidecar,
                       const Definition& definition) {
  std::vector<std::string> masks;
  const auto add = [&](const OrderedMap<TensorSpec>& tensors) {
    for (const auto& [name, spec] : tensors)
      masks.push_back(std::to_string(mask_of(spec, sidecar.batch_axes).value_or(0)));
  };
  add(definition.inputs);
  for (const Parameter& parameter : sidecar.tunables.parameters)
    if (parameter.kind == ParameterKind::runtime) masks.emplace_back("0");
  if (solution.spec.destination_passing_style) add(definition.outputs);
  return join(masks, ", ");
}

std::string batch_in_cpp(const std::string& function, const std::string& masks, std::size_t axes) {
  return fmt::format(
      "#include \"kbench_batch.h\"\n\n"
      "extern \"C\" int __tvm_ffi_{0}(void*, const kbench::Any*, int32_t, kbench::Any*);\n\n"
      "KBENCH_BATCH({1}, __tvm_ffi_{0}, {2}, {3})\n",
      function, batch_function, axes, masks);
}

constexpr const char* batch_in_python = R"(
import itertools

import torch

ONE = MODULE.{function}

def __getattr__(name):
    return getattr(MODULE, name)

MASKS = ({masks},)  # which of the axes each argument has

def lengths(arguments):
    found = {{}}
    for mask, argument in zip(MASKS, arguments):
        own = [axis for axis in range({axes}) if mask >> axis & 1]
        found.update((axis, argument.shape[place]) for place, axis in enumerate(own))
    return [found[axis] for axis in range({axes})]

def stacked(results, shape):
    first = results[0]
    if isinstance(first, (tuple, list)):
        return tuple(stacked([one[i] for one in results], shape) for i in range(len(first)))
    if isinstance(first, dict):
        return {{name: stacked([one[name] for one in results], shape) for name in first}}
    return torch.stack(results).reshape(*shape, *first.shape)

def {name}(*arguments):
    shape = lengths(arguments)
    results = []
    for index in itertools.product(*map(range, shape)):
        slices = [argument[tuple(i for axis, i in enumerate(index) if mask >> axis & 1)] if mask else argument
                  for mask, argument in zip(MASKS, arguments)]
        results.append(ONE(*slices))
    return stacked(results, shape) if results and results[0] is not None else None
)";

}  // namespace

void check_batch(const Sidecar& sidecar, const Solution& solution, const Definition& definition,
                 Diagnostics& out) {
  const Axes& axes = sidecar.batch_axes;
  if (axes.empty()) return;
  const std::size_t before = out.errors();
  for (const NamedPlace& axis : axes) {
    if (definition.axes.contains(axis.name)) continue;
    std::vector<std::string> known;
    for (const auto& [name, value] : definition.axes) known.push_back(name);
    out.error(axis.where,
              fmt::format("batch_axes: \"{}\" is no axis of {}", axis.name, definition.name),
              did_you_mean(axis.name, known));
  }
  if (!can_be_batched(solution))
    out.error(
        axes.front().where,
        fmt::format("batch_axes: {} is called once: they are for C++ with the binding tvm-ffi "
                    "and outputs that are passed, and for Python",
                    solution.name));
  if (axes.size() > 8) out.error(axes.front().where, "batch_axes: there are more than 8");
  if (out.errors() != before) return;
  check_tensors(definition.inputs, false, axes, out);
  check_tensors(definition.outputs, true, axes, out);
}

Solution with_batch(Solution solution, const Sidecar& sidecar, const Definition& definition) {
  if (sidecar.batch_axes.empty()) return solution;
  const std::string masks = masks_text(solution, sidecar, definition);
  const std::string function = entry_symbol(solution);
  const bool is_cpp = solution.spec.language == Language::cpp;
  const std::string file = fmt::format("{}.{}", batch_function, is_cpp ? "cpp" : "py");
  const std::size_t axes = sidecar.batch_axes.size();
  std::string text =
      is_cpp ? batch_in_cpp(function, masks, axes)
             : python_that_loads(solution) +
                   fmt::format(fmt::runtime(batch_in_python), fmt::arg("function", function),
                               fmt::arg("masks", masks), fmt::arg("axes", axes),
                               fmt::arg("name", batch_function));
  solution.sources.push_back({file, std::move(text)});
  solution.spec.entry_point = fmt::format("{}::{}", file, batch_function);
  return solution;
}

}  // namespace kbench

#include "kernels/contract/kernel_workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/registry/conditions.hpp"

namespace kbench {
namespace {

constexpr double most_elements = 1 << 18;  // limit of a larger workload

std::size_t long_axes(const TensorSpec& spec, const AxisLengths& lengths) {
  if (!spec.shape) return 0;
  return static_cast<std::size_t>(std::count_if(
      spec.shape->begin(), spec.shape->end(),
      [&](const std::string& axis) { return lengths.contains(axis) && lengths.at(axis) > 1; }));
}

double elements(const Definition& definition, const Workload& workload) {
  const AxisLengths lengths = axis_lengths(definition, workload);
  double sum = 0;
  for (const auto* map : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *map) {
      double count = 1;
      for (const std::string& axis : spec.shape.value_or(std::vector<std::string>{}))
        count *= lengths.contains(axis) ? static_cast<double>(lengths.at(axis)) : 1;
      sum += count;
    }
  }
  return sum;
}

std::size_t short_axes(const Workload& workload) {
  return static_cast<std::size_t>(std::count_if(workload.axes.begin(), workload.axes.end(),
                                                [](const auto& axis) { return axis.second <= 1; }));
}

// Facts have the platform cpp and the backend cpu: kernels of libraries are of C++.
CallFacts facts_of(const Definition& definition, const Workload& workload) {
  CallFacts facts = with_facts(dtype_facts(definition), scalar_facts(workload));
  for (const auto& [name, length] : axis_lengths(definition, workload)) facts[name] = length;
  return with_facts(std::move(facts), implementation_facts("cpp", {"cpu", ""}));
}

bool holds(const Definition& definition, const Workload& workload,
           const std::vector<std::string>& conditions) {
  const CallFacts facts = facts_of(definition, workload);
  return broken_condition(definition.constraints, facts).empty() &&
         broken_condition(conditions, facts).empty();
}

// Gives the axes of length 1 or 0 lengths that are all different: 2, 3, … Returns nullopt where a
// constraint or a condition does not hold of these, or inputs are in files.
std::optional<Workload> widened(const Definition& definition, const Workload& workload,
                                const std::vector<std::string>& conditions) {
  if (has_files(workload)) return std::nullopt;
  Workload wide = workload;
  std::int64_t next = 2;
  for (auto& [name, length] : wide.axes)
    if (length <= 1) length = next++;
  wide.uuid = "widened-" + wide.uuid;
  return holds(definition, wide, conditions) ? std::optional(std::move(wide)) : std::nullopt;
}

// Adds one to each axis of even length where that may be; nullopt where none may be changed.
std::optional<Workload> with_odd_axes(const Definition& definition, const Workload& workload,
                                      const std::vector<std::string>& conditions) {
  if (has_files(workload)) return std::nullopt;
  Workload odd = workload;
  std::string lengths;
  bool is_other = false;
  for (auto& [name, length] : odd.axes) {
    const std::int64_t before = length;
    length += length % 2 == 0 ? 1 : 0;
    if (!holds(definition, odd, conditions)) length = before;
    is_other = is_other || length != before;
    lengths += fmt::format("{}-", length);  // conditions decide which lengths change
  }
  odd.uuid = "odd-" + lengths + workload.uuid;
  return is_other ? std::optional(std::move(odd)) : std::nullopt;
}

}  // namespace

bool has_files(const Workload& workload) {
  return std::any_of(workload.inputs.begin(), workload.inputs.end(), [](const auto& input) {
    return std::holds_alternative<SafetensorsInput>(input.second);
  });
}

AxisLengths axis_lengths(const Definition& definition, const Workload& workload) {
  AxisLengths lengths;
  for (const auto& [name, axis] : definition.axes)
    if (const auto length = const_value(axis)) lengths[name] = *length;
  for (const auto& [name, length] : workload.axes) lengths[name] = length;
  return lengths;
}

std::size_t most_long_axes(const Definition& definition, const AxisLengths& lengths) {
  std::size_t most = 0;
  for (const auto* map : {&definition.inputs, &definition.outputs})
    for (const auto& [name, spec] : *map) most = std::max(most, long_axes(spec, lengths));
  return most;
}

std::vector<const Stored<Trace>*> ContractWorkloads::serving(
    const Definition& definition, const std::vector<std::string>& conditions) const {
  std::vector<const Stored<Trace>*> some;
  for (const Stored<Trace>& one : all_) {
    if (one.record.definition == definition.name &&
        broken_condition(conditions, facts_of(definition, one.record.workload)).empty())
      some.push_back(&one);
  }
  return some;
}

Workload ContractWorkloads::smallest(const Definition& definition,
                                     const std::vector<std::string>& conditions,
                                     const std::vector<const Stored<Trace>*>& some) {
  const auto size = [&](const Stored<Trace>* one) {
    return std::pair(short_axes(one->record.workload), elements(definition, one->record.workload));
  };
  const Stored<Trace>& best = **std::min_element(
      some.begin(), some.end(), [&](const auto* a, const auto* b) { return size(a) < size(b); });
  if (short_axes(best.record.workload) == 0) return best.record.workload;
  auto wide = widened(definition, best.record.workload, conditions);
  if (!wide) return best.record.workload;
  add(definition, *wide);
  return *wide;
}

void ContractWorkloads::add(const Definition& definition, const Workload& workload) {
  const bool is_known = std::any_of(made_.begin(), made_.end(), [&](const Stored<Trace>& one) {
    return one.record.definition == definition.name && one.record.workload.uuid == workload.uuid;
  });
  if (is_known) return;
  Stored<Trace>& made = made_.emplace_back(*serving(definition, {}).front());
  made.record.workload = workload;
}

std::vector<Workload> ContractWorkloads::choose(const Definition& definition,
                                                const std::vector<std::string>& conditions,
                                                CheckedWorkloads which) {
  const std::vector<const Stored<Trace>*> some = serving(definition, conditions);
  if (some.empty()) return {};
  if (which == CheckedWorkloads::smallest) return {smallest(definition, conditions, some)};
  if (which == CheckedWorkloads::odd) {
    const auto odd = with_odd_axes(definition, smallest(definition, conditions, some), conditions);
    if (!odd) return {};
    add(definition, *odd);
    return {*odd};
  }
  std::vector<Workload> all;
  for (const Stored<Trace>* one : some) all.push_back(one->record.workload);
  if (which == CheckedWorkloads::all) return all;
  std::erase_if(all,
                [&](const Workload& one) { return elements(definition, one) > most_elements; });
  if (all.empty()) return {smallest(definition, conditions, some)};
  return {*std::max_element(all.begin(), all.end(), [&](const Workload& a, const Workload& b) {
    return elements(definition, a) < elements(definition, b);
  })};
}

}  // namespace kbench

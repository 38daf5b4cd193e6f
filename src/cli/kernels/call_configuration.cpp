#include "cli/kernels/call_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/shell/command_line.hpp"
#include "problem/bind.hpp"
#include "problem/constraint_value.hpp"
#include "schema/to_json.hpp"
#include "tune/key.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

InputSpec scalar_of(DType dtype, const Number& number) {
  if (dtype == DType::boolean) return ScalarInput{.value = number.is_true()};
  return number.part == 0 ? ScalarInput{.value = number.value}
                          : ScalarInput{.value = real_of(number)};
}

// A call of these axes and scalars: the shapes of its tensors alone count, and the types of scalars
// that are not given.
Workload call_of(const Definition& definition, const GivenNumbers& axes) {
  Workload call;
  call.uuid = "call";
  for (const auto& [name, axis] : definition.axes) {
    const auto length = axes.find(name);
    if (!const_value(axis) && length != axes.end()) call.axes[name] = length->second.value;
  }
  for (const auto& [name, input] : definition.inputs) {
    const auto given = axes.find(name);
    if (input.shape)
      call.inputs[name] = RandomInput{};
    else
      call.inputs[name] = scalar_of(input.dtype, given == axes.end() ? 1 : given->second);
  }
  return call;
}

// The scalars by whose values the configuration is chosen: those of the key, and of conditions.
std::vector<std::string> counting_scalars(const Tunables& tunables, const Definition& definition) {
  std::vector<std::string> names = tunables.specialise;
  const auto add = [&](const Condition& condition) {
    for (std::string& name : names_in_condition(condition.text)) {
      const TensorSpec* const input = definition.inputs.find(name);
      const bool is_new = std::find(names.begin(), names.end(), name) == names.end();
      if (is_new && input != nullptr && !input->shape) names.push_back(std::move(name));
    }
  };
  for (const Condition& condition : tunables.where) add(condition);
  for (const Condition& condition : tunables.key) add(condition);
  for (const auto* rows : {&tunables.candidates, &tunables.heuristic}) {
    for (const ConfigurationRow& row : *rows) {
      if (row.condition) add(*row.condition);
    }
  }
  return names;
}

std::vector<std::string> missing_axes(const Definition& definition, const Workload& call) {
  std::vector<std::string> missing;
  for (const auto& [name, axis] : definition.axes) {
    if (!const_value(axis) && !call.axes.contains(name)) missing.push_back(name);
  }
  return missing;
}

const Stored<Solution>* solution_of(const KernelSet& kernels, const Implementation& chosen) {
  if (!chosen.competes || !kernels.set) return nullptr;
  for (const Stored<Solution>& one : kernels.set->solutions) {
    if (one.path == chosen.where.file && one.record.name == chosen.symbol) return &one;
  }
  return nullptr;
}

// "the store", as the option or the file that it is.
std::string whence(const Selected& selected) {
  if (selected.record.source == "store" || selected.record.source == "memory")
    return "the store, " + selected.from;
  return selected.from;
}

// Tells whether another function is called as a rank than by itself.
bool knows_ranks(const Solution& solution, const Methods& declared) {
  if (runs_in_python(solution)) return false;
  const Methods methods = methods_of(solution, declared);
  const auto by_itself = find_method(methods, "run", {"", "cpu"});
  const auto as_rank = find_method(methods, "run", {"sharded", "cpu"});
  return by_itself && as_rank && by_itself->function != as_rank->function;
}

}  // namespace

CallConfigurations::CallConfigurations(const KernelSet& kernels, ConfiguringPlan plan)
    : kernels_(kernels),
      plan_(std::move(plan)),
      selector_(plan_.policy, plan_.store.get(), {}, plan_.events) {
  for (const Overlay& overlay : plan_.overlays) selector_.push_overlay(overlay);
}

std::optional<CallConfiguration> CallConfigurations::of(const Implementation& chosen,
                                                        const Query& query,
                                                        const Workload* workload,
                                                        Diagnostics& reports) {
  const Stored<Solution>* const stored = solution_of(kernels_, chosen);
  if (stored == nullptr) return std::nullopt;
  const std::size_t before = reports.errors();
  const Sidecar sidecar = sidecar_of(*stored, reports);
  const Definition* const definition = kernels_.set->definition(stored->record.definition);
  if (sidecar.tunables.empty() || definition == nullptr) return std::nullopt;
  check_tunables(sidecar.tunables, stored->record, *definition, reports);
  if (reports.errors() != before) return std::nullopt;
  const Workload call = workload != nullptr ? *workload : call_of(*definition, query.axes);
  if (const auto missing = missing_axes(*definition, call); !missing.empty())
    return CallConfiguration{
        {}, "", fmt::format("which one is by {}: --axes says how long", join(missing, ", ")), {}};
  auto by_value = counting_scalars(sidecar.tunables, *definition);
  std::erase_if(by_value, [&](const std::string& name) { return query.axes.contains(name); });
  if (workload == nullptr && !by_value.empty())
    return CallConfiguration{
        {},
        "",
        fmt::format("which one is by the value of {0}: --axes {1}=… says it, or --trace has it",
                    join(by_value, ", "), by_value.front()),
        {}};
  return select(*stored, sidecar, *definition, call, reports);
}

std::optional<CallConfiguration> CallConfigurations::select(const Stored<Solution>& stored,
                                                            const Sidecar& sidecar,
                                                            const Definition& definition,
                                                            const Workload& workload,
                                                            Diagnostics& reports) {
  Diagnostics said;
  const Tunables& tunables = sidecar.tunables;
  const auto problem = bind(definition, workload, Place(stored.path), said);
  if (!problem)
    return CallConfiguration{{}, "", "there is no such call: " + said.items().front().message, {}};
  if (!toolchain_) toolchain_ = system_toolchain();
  if (!cpu_) cpu_ = cpu_fingerprint();
  const auto key_of = [&](const TuningPurpose& purpose) {
    return tuning_key(
        {definition, stored.record, tunables, *problem, sidecar.methods}, purpose,
        {machine_parts(*cpu_, plan_.threads), compiled_parts(stored.record, *toolchain_)});
  };
  SelectionRequest request{tunables, key_of(plan_.purpose),
                           call_facts(*problem, tunables.implementation), plan_.chosen};
  if (!plan_.purpose.context.empty() && !knows_ranks(stored.record, sidecar.methods))
    request.alone = key_of({});
  const TuningKey key = request.alone.value_or(request.key);
  auto answer = selector_.select(request);
  if (auto* none = std::get_if<NoConfiguration>(&answer)) {
    if (none->is_input) {
      reports.error({stored.path}, none->message);
      return std::nullopt;
    }
    return CallConfiguration{{}, short_key(key), none->message, std::move(none->tried)};
  }
  auto& selected = std::get<Selected>(answer);
  std::vector<std::string> tried = std::move(selected.tried);
  return CallConfiguration{std::move(selected), short_key(key), "", std::move(tried)};
}

std::string configuration_lines(const CallConfiguration& one, bool explain) {
  std::string out;
  if (one.selected) {
    out = fmt::format("  configuration: {}, from {}",
                      configuration_text(one.selected->record.values), whence(*one.selected));
    if (const auto& other = one.selected->record.borrowed)
      out += fmt::format(" at {} of the same bucket", *other);
    out += "\n";
  } else {
    out = fmt::format("  configuration: {}\n", one.why);
  }
  if (!explain) return out;
  if (!one.key.empty()) out += fmt::format("    key {}\n", one.key);
  for (const std::string& step : one.tried) out += fmt::format("    {}\n", step);
  return out;
}

std::string configuration_json(const CallConfiguration& one, bool explain) {
  Json json = {{"values", nullptr}, {"source", nullptr}, {"from", nullptr}, {"borrowed", nullptr}};
  if (one.selected) {
    json["values"] = Json::parse(to_json(one.selected->record, Dump::full))["values"];
    json["source"] = one.selected->record.source;
    json["from"] = one.selected->from;
    if (const auto& other = one.selected->record.borrowed) json["borrowed"] = *other;
  } else {
    json["why"] = one.why;
  }
  json["key"] = one.key.empty() ? Json(nullptr) : Json(one.key);
  if (explain) json["tried"] = one.tried;
  return json.dump();
}

namespace {

void wrong(Diagnostics& out, std::string message, std::string hint = "") {
  out.error({"--axes"}, std::move(message), std::move(hint));
}

void wrong_length(std::string_view name, const Number& size, Diagnostics& out) {
  wrong(out, fmt::format("\"{}={}\" is no axis and its size, as in M=8", name, number_text(size)));
}

}  // namespace

void read_axes(const std::vector<std::string>& words, GivenNumbers& axes, Diagnostics& out) {
  for (const std::string& word : words) {
    for (const std::string_view item : split(word, ',')) {
      const std::size_t equals = item.find('=');
      const std::string name(trim(item.substr(0, equals)));
      std::string_view text = equals == item.npos ? "" : trim(item.substr(equals + 1));
      if (is_one_of(text, {"true", "True"})) text = "1";
      if (is_one_of(text, {"false", "False"})) text = "0";
      const auto integer = parse_integer(std::string(text));
      const auto size = integer ? std::optional<Number>(*integer) : real_value(text);
      if (!size || name.empty())
        wrong(out, fmt::format("\"{}\" is no axis and its size, as in M=8", item));
      else
        axes[name] = *size;
    }
  }
}

void check_lengths(const GivenNumbers& axes, Diagnostics& out) {
  for (const auto& [name, size] : axes)
    if (size < 0) wrong_length(name, size, out);
}

void check_axes(const GivenNumbers& axes, const Definition& definition, Diagnostics& out) {
  std::vector<std::string> names;
  for (const auto& [name, axis] : definition.axes) names.push_back(name);
  for (const auto& [name, input] : definition.inputs) {
    if (!input.shape) names.push_back(name);
  }
  for (const auto& [name, size] : axes) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string hint = did_you_mean(name, names);
      wrong(out, fmt::format("{} has no axis {}", definition.name, name),
            hint.empty() ? "its axes are " + join(names, ", ") : hint);
      continue;
    }
    const Axis* const axis = definition.axes.find(name);
    if (axis == nullptr) continue;  // a scalar's value
    if (size < 0 || size.part != 0) wrong_length(name, size, out);
    const auto length = const_value(*axis);
    if (length && *length != size)
      wrong(out, fmt::format("{} is {} in {}, not {}", name, *length, definition.name,
                             number_text(size)));
  }
}

}  // namespace kbench

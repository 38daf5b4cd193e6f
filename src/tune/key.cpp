#include "tune/key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "kernels/registry/call_facts.hpp"
#include "schema/dtype.hpp"
#include "schema/names.hpp"
#include "schema/to_json.hpp"
#include "schema/trace.hpp"
#include "tune/restriction.hpp"

namespace kbench {
namespace {

using SortedJson = nlohmann::json;  // sorts names

// Strides of all tensors that kbench passes: problem/tensor_view.hpp.
constexpr std::string_view only_strides = "contiguous, row-major";

std::string canonical(const SortedJson& value) {
  return value.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
}

SortedJson json_of(const TuningKey& key) { return SortedJson::parse(to_json(key, Dump::full)); }

// Returns a text as it is read again: bytes that are no UTF-8 are replaced.
std::string as_in_json(const std::string& text) { return SortedJson::parse(canonical(text)); }

std::string scalar_text(const InputSpec& source) {
  const auto* literal = std::get_if<ScalarInput>(&source);
  if (literal == nullptr) return "random";
  return std::visit(
      [](const auto& value) -> std::string {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, BigInteger>) {
          return value.digits;
        } else {
          return parameter_text(ParameterValue(value));
        }
      },
      literal->value);
}

void add_axes(const TuningSubject& subject, TuningKey& key) {
  for (const auto& [name, axis] : subject.definition.axes) {
    if (const_value(axis)) continue;  // the Definition's digest has it
    const std::int64_t* const length = subject.problem.axes.find(name);
    if (length == nullptr) continue;
    if (subject.tunables.buckets.contains(name)) {
      key.buckets[name] = pow2_bucket(*length);
    } else {
      key.axes[name] = *length;
    }
  }
}

void add_tensors(const TuningSubject& subject, TuningKey& key) {
  for (const InputPlan& input : subject.problem.inputs) {
    const TensorPlan& tensor = input.tensor;
    const std::string dtype(name_of(tensor.dtype));
    key.dtypes[tensor.name] = dtype;
    if (!tensor.is_scalar) continue;
    const auto& named = subject.tunables.specialise;
    const bool by_value = std::find(named.begin(), named.end(), tensor.name) != named.end();
    key.scalars[tensor.name] = by_value ? scalar_text(input.source) : dtype;
  }
  for (const TensorPlan& output : subject.problem.outputs)
    key.dtypes[output.name] = std::string(name_of(output.dtype));
}

// Returns of each condition "true" or "false", or "none" where it has no value for these axes (a
// division by zero).
OrderedMap<std::string> declared_of(const TuningSubject& subject) {
  using Outcome = ConstraintResult::Outcome;
  const CallFacts facts = call_facts(subject.problem, subject.tunables.implementation);
  const NumberOf number = numbers_in(facts);
  OrderedMap<std::string> out;
  for (const Condition& condition : subject.tunables.key) {
    const Outcome outcome = check_condition(condition.text, number).outcome;
    out[condition.text] = outcome == Outcome::holds      ? "true"
                          : outcome == Outcome::violated ? "false"
                                                         : "none";
  }
  return out;
}

constexpr std::size_t most_combinations = std::size_t{1} << 16;
constexpr std::size_t longest_pattern = 64;

// Returns the parameters' values for which a condition holds at these lengths: "true", "false", or
// one digit a combination behind their names, "BLOCK,VEC 1011"; of many the digits' digest; nullopt
// where these are too many to be gone through.
std::optional<std::string> pattern_of(const Restriction& restriction,
                                      const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  std::size_t combinations = 1;
  for (const std::uint32_t p : restriction.parameters()) {
    names.push_back(parameters[p].name);
    combinations *= parameters[p].values.size();
    if (combinations > most_combinations) return std::nullopt;
  }
  std::vector<RestrictionOperand> operands(parameters.size());
  std::string digits;
  for (std::size_t i = 0; i < combinations; ++i) {
    std::size_t rest = i;
    for (const std::uint32_t p : restriction.parameters()) {
      const auto& values = parameters[p].values;
      operands[p] = operand_of(values[rest % values.size()]);
      rest /= values.size();
    }
    digits += restriction.holds(operands) ? '1' : '0';
  }
  if (digits.find('0') == std::string::npos) return "true";
  if (digits.find('1') == std::string::npos) return "false";
  if (digits.size() > longest_pattern) digits = sha256_hex(digits).substr(0, 16);
  return join(names, ",") + " " + digits;
}

// Returns the conditions on which the configurations of a call depend.
std::vector<Condition> conditions_of_space(const Tunables& tunables) {
  std::vector<Condition> conditions = tunables.where;
  for (const ConfigurationRow& row : tunables.candidates) {
    if (row.condition) conditions.push_back(*row.condition);
  }
  return conditions;
}

// Tells whether calls of one key may differ in its value: of an axis with buckets, or a scalar.
bool is_shared(std::string_view name, const TuningSubject& subject) {
  const Tunables& tunables = subject.tunables;
  const TensorSpec* const input = subject.definition.inputs.find(name);
  const auto& named = tunables.specialise;
  const bool is_scalar = input != nullptr && !input->shape;
  return tunables.buckets.contains(name) ||
         (is_scalar && std::find(named.begin(), named.end(), name) == named.end());
}

// Adds conditions on names whose values calls of one key do not share: these share a configuration
// only where the same ones are allowed.
void add_allowed(const TuningSubject& subject, OrderedMap<std::string>& declared) {
  const Tunables& tunables = subject.tunables;
  const CallFacts facts = call_facts(subject.problem, tunables.implementation);
  for (const Condition& condition : conditions_of_space(tunables)) {
    OrderedMap<std::string> grouped;  // values that calls of the key do not share
    const auto meaning = [&](std::string_view name) -> std::optional<RestrictionName> {
      for (std::uint32_t p = 0; p < tunables.parameters.size(); ++p) {
        if (tunables.parameters[p].name == name) return ParameterNumber{p};
      }
      const Number* const fact = facts.find(name);
      if (fact != nullptr && is_shared(name, subject)) grouped[name] = number_text(*fact);
      return fact_or_word(name, facts);
    };
    const auto compiled = compile_restriction(condition.text, meaning);
    const auto* const restriction = std::get_if<Restriction>(&compiled);
    if (restriction == nullptr || grouped.empty()) continue;
    auto pattern = pattern_of(*restriction, tunables.parameters);
    std::vector<std::string> values;
    for (const auto& [name, text] : grouped) values.push_back(name + "=" + text);
    declared[condition.text] = pattern ? *std::move(pattern) : join(values, ",");
  }
}

template <class List>
std::string joined(const List& list) {
  return list ? join(*list, " ") : "";
}

}  // namespace

OrderedMap<std::string> machine_parts(const CpuFingerprint& cpu, int threads) {
  OrderedMap<std::string> out;
  out["cpu"] = cpu.name;
  out["units"] = join(cpu.units, " ");
  out["l2"] = std::to_string(cpu.l2_bytes);
  out["l3"] = std::to_string(cpu.l3_bytes);
  out["threads"] = std::to_string(threads);
  return out;
}

OrderedMap<std::string> machine_parts(const Gpu& gpu) {
  OrderedMap<std::string> out;
  out["gpu"] = gpu.name;
  out["architecture"] = gpu.architecture;
  out["multiprocessors"] = std::to_string(gpu.multiprocessors);
  out["memory"] = std::to_string(gpu.memory_bytes);
  out["driver"] = gpu.driver;
  return out;
}

OrderedMap<std::string> compiled_parts(const Solution& solution, const Toolchain& toolchain) {
  OrderedMap<std::string> out;
  const std::vector<std::string> flags = build_flags(solution, toolchain);
  if (flags.empty()) return out;
  out["compiler"] = solution.spec.language != Language::cuda ? compiler_version(toolchain)
                    : solution.spec.launch                   ? nvrtc_version(toolchain)
                                                             : nvcc_version(toolchain);
  out["flags"] = join(flags, " ");
  return out;
}

TuningPurpose tuning_purpose(std::string_view direction, std::string_view objective) {
  TuningPurpose purpose;
  purpose.method = direction == "fwd" ? "run" : "vjp";
  purpose.direction = direction;
  purpose.objective = objective;
  return purpose;
}

TuningKey tuning_key(const TuningSubject& subject, const TuningPurpose& purpose,
                     const TuningPlace& place) {
  TuningKey key;
  key.definition = as_in_json(subject.definition.name);
  key.definition_digest = tuning_digest(subject.definition);
  key.solution = as_in_json(subject.solution.name);
  key.solution_digest = tuning_digest(subject.solution, subject.tunables, subject.methods);
  key.version = subject.tunables.version;
  key.method = purpose.method;
  key.context = purpose.context;
  key.direction = purpose.direction;
  key.objective = purpose.objective;
  key.shard = purpose.shard;
  key.strides = only_strides;
  key.machine = place.machine;
  key.compiled = place.compiled;
  OrderedMap<std::string> declared = declared_of(subject);
  add_allowed(subject, declared);
  if (!declared.empty()) key.declared = std::move(declared);
  add_axes(subject, key);
  add_tensors(subject, key);
  return key;
}

std::string digest_of(const TuningKey& key) { return sha256_hex(canonical(json_of(key))); }

std::string short_key(const TuningKey& key) { return digest_of(key).substr(0, 16); }

std::string tuning_digest(const Definition& definition) {
  Definition bare = definition;
  bare.description.reset();
  bare.tags.clear();
  for (auto& [name, axis] : bare.axes) std::visit([](auto& one) { one.description.reset(); }, axis);
  for (auto* tensors : {&bare.inputs, &bare.outputs}) {
    for (auto& [name, tensor] : *tensors) tensor.description.reset();
  }
  return sha256_hex(to_json(bare, Dump::full));
}

std::string tuning_digest(const Solution& solution, const Tunables& tunables,
                          const Methods& methods) {
  SortedJson parts{{"hash", solution_hash(solution)},
                   {"compile_flags", joined(solution.spec.compile_flags)},
                   {"link_flags", joined(solution.spec.link_flags)},
                   {"destination_passing_style", solution.spec.destination_passing_style}};
  if (solution.spec.launch) {
    BuildSpec launched;
    launched.launch = solution.spec.launch;
    parts["launch"] = to_json(launched, Dump::full);
  }
  for (const Parameter& parameter : tunables.parameters) {
    SortedJson values = SortedJson::array();
    for (const ParameterValue& value : parameter.values) values.push_back(parameter_text(value));
    const char* const kind = parameter.kind == ParameterKind::define ? "define" : "runtime";
    parts["parameters"].push_back({parameter.name, kind, values});
  }
  for (const Condition& condition : tunables.where) parts["where"].push_back(condition.text);
  for (const ConfigurationRow& row : tunables.candidates)
    parts["candidates"].push_back(
        {row.condition ? row.condition->text : "", configuration_text(row.values)});
  if (!methods.empty()) parts["entry"] = methods;
  if (!tunables.batch_axes.empty()) parts["batch_axes"] = tunables.batch_axes;
  return sha256_hex(canonical(parts));
}

std::string pow2_bucket(std::int64_t length) {
  if (length <= 2) return std::to_string(length);
  if (length > std::int64_t{1} << 62) return fmt::format("{}..", (std::int64_t{1} << 62) + 1);
  const auto end = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length)));
  return fmt::format("{}..{}", end / 2 + 1, end);
}

std::vector<std::string> differing_parts(const TuningKey& a, const TuningKey& b) {
  std::vector<std::string> out;
  const SortedJson first = json_of(a);
  const SortedJson second = json_of(b);
  const auto add = [&](const SortedJson& these, const SortedJson& others) {
    for (const auto& [name, value] : these.items()) {
      const bool is_new = std::find(out.begin(), out.end(), name) == out.end();
      if (is_new && others.value(name, SortedJson()) != value) out.push_back(name);
    }
  };
  add(first, second);
  add(second, first);
  return out;
}

}  // namespace kbench

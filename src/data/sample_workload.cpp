#include "data/sample_workload.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "data/longest_scalars.hpp"
#include "data/reference_facts.hpp"
#include "data/sample_axes.hpp"
#include "data/value_plan.hpp"
#include "data/value_signs.hpp"
#include "problem/bind.hpp"
#include "problem/constraint_value.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

struct ScalarRow {
  std::string_view name;
  double value;
};

constexpr ScalarRow scalar_rows[] = {
    {"*eps*", 1e-6},           {"*temperature*", 0.8},  {"top_p*", 0.9},
    {"min_p*", 0.1},           {"rope_theta", 10000},   {"*theta*", 10000},
    {"routed_scaling*", 2.5},  {"high_freq_factor", 4}, {"factor", 0.5},
    {"old_context_len", 8192}, {"*offset*", 0},         {"*dropout*", 0},
    {"*threshold*", 0.5},      {"top_k*", 8},
};

constexpr std::string_view width_axes[] = {"head_dim_qk", "qk_dim",       "head_dim",
                                           "head_size",   "head_dim_ckv", "D"};

class Scalars {
 public:
  Scalars(const Definition& definition, const OrderedMap<std::int64_t>& axes)
      : definition_(definition), axes_(axes), facts_(reference_facts(definition)) {}

  ScalarValue value(const std::string& name, const TensorSpec& spec) const {
    const double number = choose(name, spec);
    if (info(spec.dtype).kind == DTypeKind::floating) return number;
    if (info(spec.dtype).kind == DTypeKind::boolean) return number != 0;
    return static_cast<std::int64_t>(number);
  }

 private:
  double choose(const std::string& name, const TensorSpec& spec) const {
    if (const auto axis = length(name)) return static_cast<double>(*axis);
    if (const auto equal = by_use(facts_.use(name).equal)) return static_cast<double>(*equal);
    const bool scale = fits_pattern(name, "*scale*");
    if (scale && spec.description) {
      if (const auto root = by_root(*spec.description)) return *root;
    }
    if (const auto value = by_default(name)) return *value;
    if (scale) return by_width(name);
    for (const ScalarRow& row : scalar_rows) {
      if (fits_pattern(name, row.name)) return within(name, row.value);
    }
    return within(name, 1);
  }

  std::optional<std::int64_t> by_use(const std::vector<Size>& sizes) const {
    for (const Size& size : sizes) {
      if (const auto value = size_value(size, scope())) return value;
    }
    return std::nullopt;
  }

  // An index or a length that there is.
  double within(const std::string& name, double value) const {
    const InputUse& use = facts_.use(name);
    std::vector<Size> highest = use.lengths;
    highest.insert(highest.end(), use.at_most.begin(), use.at_most.end());
    for (const IndexRange& range : use.indexed) highest.push_back(range.high);
    for (const Size& size : highest) {
      if (const auto most = size_value(size, scope()); most && *most >= 0)
        value = std::min(value, static_cast<double>(*most));
    }
    return value;
  }

  // The axes, and the reference's names of them.
  ConstraintScope scope() const {
    return with_local_names(
        {[this](std::string_view name) { return length(name); },
         [](std::string_view) { return std::nullopt; },
         [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }},
        facts_);
  }

  std::optional<std::int64_t> length(std::string_view name) const {
    if (const auto* value = axes_.find(name)) return *value;
    const Axis* axis = definition_.axes.find(name);
    return axis == nullptr ? std::nullopt : const_value(*axis);
  }

  // "1/sqrt(128 + 64)", "1/sqrt(head_dim)": the first that has a value.
  std::optional<double> by_root(const std::string& about) const {
    constexpr std::string_view root = "sqrt(";
    for (auto at = about.find(root); at != std::string::npos; at = about.find(root, at + 1)) {
      const auto begin = at + root.size();
      const auto parsed =
          python::parse_expression(about.substr(begin, about.find(')', at) - begin));
      const auto* tree = std::get_if<python::ExpressionPtr>(&parsed);
      if (tree == nullptr) continue;
      std::vector<std::string> used;
      const ConstraintValue value = constraint_value(**tree, scope(), used);
      const auto* integer = std::get_if<std::int64_t>(&value);
      if (integer != nullptr && *integer > 0) return 1 / std::sqrt(static_cast<double>(*integer));
    }
    return std::nullopt;
  }

  // run(…, eps=1e-6)
  std::optional<double> by_default(const std::string& name) const {
    const auto found = facts_.defaults.find(name);
    if (found == facts_.defaults.end()) return std::nullopt;
    const std::string& text = found->second;
    if (text == "True" || text == "False") return text == "True" ? 1 : 0;
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc() && stop == end ? std::optional(value) : std::nullopt;
  }

  double by_width(const std::string& name) const {
    if (name != "sm_scale" && name != "softmax_scale" && name != "scale") return 1;
    for (const std::string_view axis : width_axes) {
      if (const auto width = length(axis); width && *width > 0)
        return 1 / std::sqrt(static_cast<double>(*width));
    }
    return 1;
  }

  const Definition& definition_;
  const OrderedMap<std::int64_t>& axes_;
  ReferenceFacts facts_;
};

// No sequence is longer than such a scalar says, whatever is drawn.
void set_longest(const Definition& definition, Workload& workload) {
  Diagnostics ignored;
  const auto problem = bind(definition, workload, Place(), ignored);
  if (!problem) return;
  const ValuePlan plan = plan_values(definition, *problem, Place(), ignored);
  const ReferenceFacts facts = reference_facts(definition);
  for (const LongestScalar& longest : longest_scalars(*problem, plan, facts)) {
    const bool known = definition.axes.contains(longest.scalar) ||
                       facts.defaults.contains(longest.scalar) ||
                       !facts.use(longest.scalar).equal.empty();
    if (known) continue;
    ScalarInput literal;
    const auto elements = element_count(problem->inputs[longest.input].tensor.shape);
    literal.value = longest_possible(*plan[longest.input], static_cast<std::int64_t>(elements));
    workload.inputs[longest.scalar] = literal;
  }
}

}  // namespace

Workload sample_workload(const Definition& definition, const OrderedMap<std::int64_t>& given) {
  Workload workload;
  workload.axes = sample_axes(definition, given);
  const Scalars scalars(definition, workload.axes);
  for (const auto& [name, spec] : definition.inputs) {
    if (spec.shape) {
      workload.inputs[name] = RandomInput{};
      continue;
    }
    ScalarInput literal;
    literal.value = scalars.value(name, spec);
    workload.inputs[name] = literal;
  }
  set_longest(definition, workload);
  return workload;
}

}  // namespace kbench

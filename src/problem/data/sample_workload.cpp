#include "problem/data/sample_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "problem/bind.hpp"
#include "problem/constraint.hpp"
#include "problem/constraint_value.hpp"
#include "problem/data/reference_facts.hpp"
#include "problem/data/value_evidence.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/data/value_reach.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

constexpr std::int64_t longest_tried = 8192;
constexpr int most_rounds = 8;

// A length by an axis's name: base + step times the number of sequences.
struct LengthRow {
  std::string_view name;
  std::int64_t base;
  std::int64_t step;
};

constexpr LengthRow length_rows[] = {
    {"batch*", 0, 1},         {"B", 0, 1},
    {"num_seqs", 0, 1},       {"len_*", 1, 1},
    {"*_plus_1", 1, 1},       {"*indptr*", 1, 1},
    {"*cu_seqlens*", 1, 1},   {"*kv_indices*", 1, 4},
    {"*num_indices*", 1, 4},  {"*num_*pages*", 4, 4},
    {"*total_*pages*", 4, 4}, {"*num_*blocks*", 4, 4},
    {"max_*pages*", 4, 0},    {"max_*blocks*", 4, 0},
    {"total*kv*", 1, 4},      {"total_k*", 1, 4},
    {"*num_kv*", 1, 4},       {"total*", 0, 3},
    {"nnz*", 0, 3},           {"*tokens*", 0, 3},
    {"pool*", 2, 1},          {"*cache_size*", 2, 1},
    {"*slots*", 2, 1},        {"max_*", 32, 0},
    {"*seq_len*", 5, 0},      {"M", 7, 0},
    {"*head_dim*", 64, 0},    {"*dim*", 64, 0},
    {"*heads*", 8, 0},        {"*experts*", 8, 0},
};

class Chooser {
 public:
  Chooser(const Definition& definition, const OrderedMap<std::int64_t>& given)
      : definition_(definition), given_(given), facts_(reference_facts(definition)) {}

  OrderedMap<std::int64_t> run() {
    const std::int64_t sequences = count_sequences();
    for (const auto& [name, axis] : definition_.axes) {
      const auto* value = given_.find(name);
      if (!const_value(axis)) axes_[name] = value != nullptr ? *value : usual(name, sequences);
    }
    std::vector<std::string> rules = definition_.constraints;
    rules.insert(rules.end(), facts_.checks.begin(), facts_.checks.end());
    const std::vector<std::string> implied = implied_rules();
    rules.insert(rules.end(), implied.begin(), implied.end());
    for (int round = 0; round < most_rounds; ++round) {
      bool changed = false;
      for (const std::string& rule : rules) changed |= repair(rule);
      if (!changed) break;
    }
    return std::move(axes_);
  }

 private:
  bool is_free(const std::string& name) const {
    return axes_.contains(name) && !given_.contains(name);
  }

  std::optional<std::int64_t> length(std::string_view name) const {
    if (const auto* value = axes_.find(name)) return *value;
    const Axis* axis = definition_.axes.find(name);
    return axis == nullptr ? std::nullopt : const_value(*axis);
  }

  std::int64_t count_sequences() const {
    std::int64_t count = 3;
    for (const auto& [name, value] : given_) {
      const auto row = row_of(name);
      if (row != nullptr && row->step == 1 && row->base <= 1) count = value - row->base;
    }
    return std::max<std::int64_t>(count, 1);
  }

  static const LengthRow* row_of(std::string_view name) {
    const auto row = std::find_if(std::begin(length_rows), std::end(length_rows),
                                  [&](const LengthRow& r) { return fits_pattern(name, r.name); });
    return row == std::end(length_rows) ? nullptr : row;
  }

  std::int64_t usual(std::string_view name, std::int64_t sequences) const {
    const LengthRow* row = row_of(name);
    if (row == nullptr) return 4;
    // Pages of many tokens are large, and few do.
    const bool paged = length("page_size").value_or(1) > 1 && row->step == 4;
    return row->base + (paged ? 2 : row->step) * sequences;
  }

  // The axis that counts sequences; "" where there is none.
  std::string batch_axis() const {
    for (const auto& [name, axis] : definition_.axes) {
      const bool named = fits_pattern(name, "batch*") && !fits_pattern(name, "*_plus_1");
      if (!const_value(axis) && (named || name == "num_seqs")) return name;
    }
    return "";
  }

  // Rules that go without saying: an indptr has one more element than there are sequences.
  std::vector<std::string> implied_rules() const {
    const std::string batch = batch_axis();
    std::vector<std::string> rules;
    for (const auto& [name, spec] : definition_.inputs) {
      if (!spec.shape || spec.shape->size() != 1 || batch.empty()) continue;
      const std::string& axis = spec.shape->front();
      const InputUse& use = facts_.use(name);
      auto kind = kind_of_name(definition_.op_type, name, spec);
      if (use.spans && !use.ends) kind = ValueKind::indptr;
      if (axis == batch || !kind || use.ends) continue;
      if (kind == ValueKind::indptr) rules.push_back(fmt::format("{} == {} + 1", axis, batch));
      if (kind == ValueKind::page_ids) rules.push_back(fmt::format("{} >= {}", axis, batch));
    }
    return rules;
  }

  ConstraintScope scope() const {
    const auto integer = [this](std::string_view name) { return length(name); };
    const auto shape = [this](std::string_view name) -> std::optional<std::vector<std::int64_t>> {
      const TensorSpec* spec = definition_.inputs.find(name);
      if (spec == nullptr || !spec->shape) return std::nullopt;
      std::vector<std::int64_t> out;
      for (const std::string& axis : *spec->shape) out.push_back(length(axis).value_or(0));
      return out;
    };
    return with_local_names(
        {integer, shape,
         [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }},
        facts_);
  }

  // Gives one free axis of a violated rule the smallest length that fulfils it.
  bool repair(const std::string& rule) {
    const ConstraintResult now = check_constraint(rule, scope());
    if (now.outcome != ConstraintResult::Outcome::violated) return false;
    std::vector<std::string> names = now.used_names;
    for (const auto& [input, spec] : definition_.inputs) {  // q.shape[0] speaks of its axes
      if (spec.shape && rule.find(input + ".") != std::string::npos)
        names.insert(names.end(), spec.shape->begin(), spec.shape->end());
    }
    for (const std::string& used : names) {
      const auto local = facts_.sizes.find(used);
      const std::string name =
          axes_.contains(used) || local == facts_.sizes.end() ? used : local->second;
      if (!is_free(name)) continue;
      const std::int64_t before = *axes_.find(name);
      for (std::int64_t value = 1; value <= longest_tried; ++value) {
        axes_[name] = value;
        if (check_constraint(rule, scope()).outcome == ConstraintResult::Outcome::holds)
          return true;
      }
      axes_[name] = before;
    }
    return false;
  }

  const Definition& definition_;
  const OrderedMap<std::int64_t>& given_;
  ReferenceFacts facts_;
  OrderedMap<std::int64_t> axes_;
};

}  // namespace

OrderedMap<std::int64_t> sample_axes(const Definition& definition,
                                     const OrderedMap<std::int64_t>& given) {
  return Chooser(definition, given).run();
}

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
    if (scale && spec.description)
      if (const auto root = by_root(*spec.description)) return *root;
    if (const auto value = by_default(name)) return *value;
    if (scale) return by_width(name);
    for (const ScalarRow& row : scalar_rows)
      if (fits_pattern(name, row.name)) return within(name, row.value);
    return within(name, 1);
  }

  std::optional<std::int64_t> by_use(const std::vector<Size>& sizes) const {
    for (const Size& size : sizes)
      if (const auto value = size_value(size, scope())) return value;
    return std::nullopt;
  }

  // Bounds a value to an index or a length that there is.
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
    return with_local_names({[this](std::string_view name) { return length(name); }}, facts_);
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
      const auto square =
          integer_of(constraint_value(about.substr(begin, about.find(')', at) - begin), scope()));
      if (square && *square > 0) return 1 / std::sqrt(static_cast<double>(*square));
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

#include "data/sample_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "data/reference_facts.hpp"
#include "data/value_signs.hpp"
#include "problem/constraint.hpp"

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

  // What goes without saying: an indptr has one more element than there are sequences.
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

}  // namespace kbench

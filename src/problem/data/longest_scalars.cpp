#include "problem/data/longest_scalars.hpp"

#include <algorithm>

#include "problem/data/value_reach.hpp"
#include "problem/data/value_signs.hpp"

namespace kbench {
namespace {

constexpr std::string_view names_of_longest[] = {
    "max_seqlen*", "max_seq_len*", "max_*_len", "max_len*", "max_kv_len*", "max_q_len*", "max_s"};

bool has_lengths(const std::optional<ValueRule>& rule) {
  return rule && (rule->kind == ValueKind::indptr || rule->kind == ValueKind::seq_lens);
}

bool is_named(const std::string& name) {
  return std::any_of(std::begin(names_of_longest), std::end(names_of_longest),
                     [&](std::string_view pattern) { return fits_pattern(name, pattern); });
}

// Returns the input with lengths for a scalar: that of the queries where the scalar is of queries.
std::optional<std::size_t> by_name(const std::string& scalar, const Problem& problem,
                                   const ValuePlan& plan) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!has_lengths(plan[i])) continue;
    const std::string& name = problem.inputs[i].tensor.name;
    if (!found || is_of_queries(name) == is_of_queries(scalar)) {
      const bool better =
          !found || is_of_queries(problem.inputs[*found].tensor.name) != is_of_queries(scalar);
      if (better) found = i;
    }
  }
  return found;
}

}  // namespace

std::vector<LongestScalar> longest_scalars(const Problem& problem, const ValuePlan& plan,
                                           const ReferenceFacts& facts) {
  std::vector<LongestScalar> out;
  for (const InputPlan& input : problem.inputs) {
    const TensorPlan& scalar = input.tensor;
    if (!scalar.is_scalar || info(scalar.dtype).kind != DTypeKind::integer) continue;
    const std::string& of = facts.use(scalar.name).longest;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (!of.empty() && problem.inputs[i].tensor.name == of && has_lengths(plan[i])) found = i;
    }
    if (!found && is_named(scalar.name)) found = by_name(scalar.name, problem, plan);
    if (found) out.push_back({scalar.name, *found});
  }
  return out;
}

std::int64_t longest_possible(const ValueRule& rule, std::int64_t elements) {
  if (!rule.total) return rule.high;
  const bool is_indptr = rule.kind == ValueKind::indptr;
  const std::int64_t parts = is_indptr && !rule.ends ? elements - 1 : elements;
  const std::int64_t others = rule.empty ? 0 : std::max<std::int64_t>(parts - 1, 0);
  return std::max<std::int64_t>(*rule.total - others, 0);
}

std::int64_t longest_of(const ValueRule& rule, std::span<const double> values) {
  double longest = 0;
  double before = 0;
  for (const double value : values) {
    longest = std::max(longest, rule.kind == ValueKind::indptr ? value - before : value);
    before = value;
  }
  return static_cast<std::int64_t>(longest);
}

}  // namespace kbench

#include "problem/data/value_reach.hpp"

#include <algorithm>
#include <array>

namespace kbench {
namespace {

using enum ValueKind;

constexpr std::int64_t default_positions = 2048;

// "kv" of kv_indptr, cu_seqlens_kv: what the sequences are of.
std::string stem_of(std::string name) {
  for (const std::string_view affix :
       {"cu_seqlens", "cu_seq_lens", "indptr", "_ids", "_indices", "_idx", "_index", "_id"}) {
    const auto at = name.find(affix);
    if (at != std::string::npos) name.erase(at, affix.size());
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  while (!name.empty() && name.front() == '_') name.erase(0, 1);
  return name;
}

// Returns the first axis that fits one of the patterns, the best pattern first.
template <class Patterns>
std::optional<std::int64_t> like(const Problem& problem, const Patterns& patterns) {
  for (const auto& pattern : patterns) {
    for (const auto& [axis, length] : problem.axes)
      if (fits_pattern(axis, pattern)) return length;
  }
  return std::nullopt;
}

}  // namespace

bool is_of_queries(std::string_view name) {
  return name.starts_with("q") || fits_pattern(name, "*_q") || fits_pattern(name, "*_qo*") ||
         fits_pattern(name, "*_q_*");
}

// The indptr of the keys that belong to these queries.
std::optional<std::size_t> ValueReach::keys_indptr(std::size_t queries) const {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    if (i != queries && kinds_[i].kind == indptr && !is_of_queries(name(i)) &&
        tensor(i).shape == tensor(queries).shape)
      return i;
  }
  return std::nullopt;
}

// Tokens that one element of this indptr's range stands for.
std::int64_t ValueReach::pages_of(std::size_t keys) const {
  const auto pages = flat_pages();
  return pages && total_of(keys) == tensor(*pages).shape[0] ? page_size() : 1;
}

// The one list of page ids, sequence after sequence.
std::optional<std::size_t> ValueReach::flat_pages() const { return find_kind(page_ids, 1, 1); }

std::optional<std::size_t> ValueReach::find_kind(ValueKind kind, std::size_t lowest_rank,
                                                 std::size_t highest_rank) const {
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const std::size_t rank = tensor(i).shape.size();
    if (kinds_[i].kind == kind && rank >= lowest_rank && rank <= highest_rank) return i;
  }
  return std::nullopt;
}

std::optional<std::int64_t> ValueReach::total_of(std::size_t i) const {
  if (const auto* given = std::get_if<RandomInput>(&problem_.inputs[i].source);
      given != nullptr && given->total)
    return given->total;
  if (const auto end = evidence_.end(name(i))) return end->value;
  if (const auto used = first(facts_.use(name(i)).totals)) return used;
  const std::string stem = stem_of(name(i));
  if (const auto pages = flat_pages(); pages && !is_of_queries(name(i)))
    return tensor(*pages).shape[0];
  std::vector<std::string> wanted;
  if (!stem.empty()) {
    for (const std::string& of : {stem, stem.substr(0, 1)})
      wanted.insert(wanted.end(), {"total_" + of, "total_" + of + "_*", "num_" + of + "_tokens"});
  }
  wanted.insert(wanted.end(), {"total*", "nnz*", "num_tokens", "*tokens", "M", "N"});
  return like(problem_, wanted);
}

std::optional<std::int64_t> ValueReach::axis_like(
    std::span<const std::string_view> patterns) const {
  return like(problem_, patterns);
}

std::int64_t ValueReach::page_size() const {
  return like(problem_, std::array{"page_size", "block_size", "*page_size*", "kv_block_size"})
      .value_or(1);
}

std::optional<std::int64_t> ValueReach::first(std::span<const Size> sizes) const {
  for (const Size& size : sizes)
    if (const auto value = size_value(size, scope_)) return value;
  return std::nullopt;
}

std::optional<std::int64_t> ValueReach::least(std::span<const Size> sizes) const {
  std::optional<std::int64_t> out;
  for (const Size& size : sizes) {
    const auto value = size_value(size, scope_);
    if (value && (!out || *value < *out)) out = value;
  }
  return out;
}

std::optional<std::int64_t> ValueReach::longest_of(std::size_t i) const {
  std::vector<Size> sizes = facts_.use(name(i)).lengths;
  const std::vector<Size>& checked = facts_.use(name(i)).at_most;
  sizes.insert(sizes.end(), checked.begin(), checked.end());
  return least(sizes);
}

// Returns what all of them allow; the first of them where that is nothing.
std::optional<ValueInterval> ValueReach::within(std::span<const IndexRange> ranges) const {
  std::optional<ValueInterval> first;
  std::optional<ValueInterval> all;
  for (const IndexRange& range : ranges) {
    const auto low = size_value(range.low, scope_);
    const auto high = size_value(range.high, scope_);
    if (!low || !high) continue;
    const ValueInterval here{std::max<std::int64_t>(*low, 0), *high};
    if (!first) first = all = here;
    all = {std::max(all->low, here.low), std::min(all->high, here.high)};
  }
  return all && all->low > all->high ? first : all;
}

std::optional<ValueInterval> ValueReach::indexed(std::size_t i) const {
  const InputUse& use = facts_.use(name(i));
  auto range = within(use.indexed);
  if (!range) return std::nullopt;
  const auto bound = longest_of(i);
  if (bound && *bound >= range->low) range->high = std::min(range->high, *bound);
  return range;
}

std::optional<ValueInterval> ValueReach::id_range(std::size_t i, ValueKind kind) const {
  const InputUse& use = facts_.use(name(i));
  if (const auto said = evidence_.largest(name(i))) return ValueInterval{0, said->value};
  if (const auto size = first(use.starts)) return ValueInterval{0, *size - *size / 2 - 1};
  if (kind != packed_expert_ids)
    if (const auto range = indexed(i)) return range;
  if (const auto count = id_count(i, kind)) return ValueInterval{0, *count - 1};
  if (const auto bound = longest_of(i))
    return ValueInterval{std::clamp<std::int64_t>(least(use.at_least).value_or(0), 0, *bound),
                         *bound};
  if (const auto range = within(use.wrapped)) return range;
  return kind == positions ? std::optional(ValueInterval{0, default_positions - 1}) : std::nullopt;
}

// Returns how many things ids can name, by the names of axes and inputs.
std::optional<std::int64_t> ValueReach::id_count(std::size_t i, ValueKind kind) const {
  const Targets targets = targets_of(kind);
  if (const auto axis = axis_like(targets.axes)) return *axis;
  if (kind == ids) {
    const std::string stem = stem_of(name(i));
    if (const auto axis = like(problem_, std::array{"num_" + stem + "s", "num_" + stem, stem + "s",
                                                    stem + "_size", "total_" + stem + "s"}))
      return *axis;
  }
  if (const auto length = target_tensor(targets))
    return *length * (kind == sparse_ids ? page_size() : 1);
  if (kind != batch_ids) return std::nullopt;
  const auto bounds = find_kind(indptr, 1, 1);
  return bounds ? std::optional(tensor(*bounds).shape[0] - 1) : std::nullopt;
}

std::optional<std::int64_t> ValueReach::target_tensor(const Targets& targets) const {
  for (const std::string_view pattern : targets.tensors) {
    for (const InputPlan& input : problem_.inputs) {
      const TensorPlan& tensor = input.tensor;
      if (fits_pattern(tensor.name, pattern) && !tensor.shape.empty() &&
          info(tensor.dtype).kind == DTypeKind::floating)
        return tensor.shape[0];
    }
  }
  return std::nullopt;
}

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
    for (std::size_t i = 0; i < plan.size(); ++i)
      if (!of.empty() && problem.inputs[i].tensor.name == of && has_lengths(plan[i])) found = i;
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

#include "data/value_reach.hpp"

#include <array>
#include <string>

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

// The first axis that fits one of the patterns, the best pattern first.
template <class Patterns>
std::optional<std::int64_t> like(const Problem& problem, const Patterns& patterns) {
  for (const auto& pattern : patterns) {
    for (const auto& [axis, length] : problem.axes) {
      if (fits_pattern(axis, pattern)) return length;
    }
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

// How many things ids of this input can name.
std::optional<std::int64_t> ValueReach::id_count(std::size_t i, ValueKind kind) const {
  if (const auto said = evidence_.largest(name(i))) return said->value + 1;
  if (kind != packed_expert_ids) {
    if (const auto count = gathered(i)) return count;
  }
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
  if (kind == batch_ids) {
    if (const auto bounds = find_kind(indptr, 1, 1)) return tensor(*bounds).shape[0] - 1;
  }
  return kind == positions ? std::optional(default_positions) : std::nullopt;
}

std::optional<std::int64_t> ValueReach::gathered(std::size_t i) const {
  const auto found = facts_.gathers.find(name(i));
  if (found == facts_.gathers.end()) return std::nullopt;
  const Gather& gather = found->second;
  std::int64_t count = 1;
  for (std::size_t k = 0; k < problem_.inputs.size(); ++k) {
    if (name(k) != gather.tensor) continue;
    for (std::size_t d = 0; d < gather.count; ++d) count *= tensor(k).shape[gather.first + d];
    if (kinds_[k].kind == indptr) --count;  // the number of sequences
  }
  return count;
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

}  // namespace kbench

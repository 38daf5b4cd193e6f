#include "problem/data/value_signs.hpp"

#include <algorithm>

namespace kbench {
namespace {

using enum ValueKind;

enum class Of { integers, floats, booleans };

struct NameRow {
  std::string_view op_type;  // "*": any
  std::string_view name;
  Of of;
  ValueKind kind;
};

// The first row that fits holds.
constexpr NameRow rows[] = {
    // By op type: names that mean something else elsewhere.
    {"rope", "offsets", Of::integers, positions},
    {"sampling", "top_k*", Of::integers, ids},
    {"sampling", "*threshold*", Of::floats, fraction},
    {"*moe*", "*offsets", Of::integers, indptr},
    {"*gemm*", "*offsets", Of::integers, indptr},
    {"embedding", "in*", Of::integers, ids},
    {"embedding", "*id*", Of::integers, ids},
    // By name.
    {"*", "*last_page*", Of::integers, last_page_len},
    {"*", "*indptr*", Of::integers, indptr},
    {"*", "*cu_seq*", Of::integers, indptr},
    {"*", "*cu_*len*", Of::integers, indptr},
    {"*", "*cumsum*", Of::integers, indptr},
    {"*", "*seq*offsets", Of::integers, indptr},
    {"*", "*group*offsets", Of::integers, indptr},
    {"*", "*expert*offsets", Of::integers, indptr},
    {"*", "*page_table*", Of::integers, page_ids},
    {"*", "*block_table*", Of::integers, page_ids},
    {"*", "kv_ind*", Of::integers, page_ids},
    {"*", "*page_i*", Of::integers, page_ids},
    {"*", "*block_i*", Of::integers, page_ids},
    {"*", "*sparse_ind*", Of::integers, sparse_ids},
    {"*", "*topk_ind*", Of::integers, sparse_ids},
    {"*", "*q2k*", Of::integers, sparse_ids},
    {"*", "*slot*", Of::integers, slot_ids},
    {"*", "*state*ind*", Of::integers, slot_ids},
    {"*", "*state*ids", Of::integers, slot_ids},
    {"*", "*cache_loc*", Of::integers, slot_ids},
    {"*", "*cache_ind*", Of::integers, slot_ids},
    {"*", "*expert*id*", Of::integers, expert_ids},
    {"*", "*expert*ind*", Of::integers, expert_ids},
    {"*", "*selected_exp*", Of::integers, expert_ids},
    {"*", "topk_id*", Of::integers, expert_ids},
    {"*", "*batch_ind*", Of::integers, batch_ids},
    {"*", "*batch_id*", Of::integers, batch_ids},
    {"*", "*seq_id*", Of::integers, batch_ids},
    {"*", "*req*_id*", Of::integers, batch_ids},
    {"*", "*segment_id*", Of::integers, batch_ids},
    {"*", "*pos_id*", Of::integers, positions},
    {"*", "*position*", Of::integers, positions},
    {"*", "*seq*len*", Of::integers, seq_lens},
    {"*", "*kv_len*", Of::integers, seq_lens},
    {"*", "*context_len*", Of::integers, seq_lens},
    {"*", "*_lens", Of::integers, seq_lens},
    {"*", "*lengths", Of::integers, seq_lens},
    {"*", "*group_sizes", Of::integers, seq_lens},
    {"*", "*m_sizes", Of::integers, seq_lens},
    {"*", "*tokens_per_expert*", Of::integers, seq_lens},
    {"*", "*expert_counts", Of::integers, seq_lens},
    {"*", "*perm*", Of::integers, permutation},
    {"*", "*sorted_*id*", Of::integers, permutation},
    {"*", "*_ids", Of::integers, ids},
    {"*", "*_ind", Of::integers, ids},
    {"*", "*ind*ices", Of::integers, ids},
    {"*", "*_idx", Of::integers, ids},
    {"*", "*index", Of::integers, ids},
    {"*", "labels", Of::integers, ids},
    {"*", "target*", Of::integers, ids},
    {"*", "*mask*", Of::booleans, mask},
    {"*", "top_p*", Of::floats, fraction},
    {"*", "min_p*", Of::floats, fraction},
    {"*", "temperature*", Of::floats, positive},
};

Of group_of(DType dtype) {
  switch (info(dtype).kind) {
    case DTypeKind::floating:
      return Of::floats;
    case DTypeKind::boolean:
      return Of::booleans;
    default:
      return Of::integers;
  }
}

constexpr std::string_view page_axes[] = {"num_pages",  "total_pages",     "max_num_pages",
                                          "num_blocks", "total_num_pages", "*num*pages"};
constexpr std::string_view cache_tensors[] = {"*k*cache*", "*cache*", "*pool*"};
constexpr std::string_view slot_axes[] = {"pool_size", "state_cache_size", "*num_slots*",
                                          "cache_size"};
constexpr std::string_view state_tensors[] = {"*state*", "*pool*", "*cache*"};
constexpr std::string_view expert_axes[] = {"num_experts", "num_global_experts", "n_experts",
                                            "*num*experts", "E"};
constexpr std::string_view expert_tensors[] = {"*gemm1*", "*w1*", "*weight*"};
constexpr std::string_view batch_axes[] = {"batch_size", "num_seqs", "B", "batch"};
constexpr std::string_view sparse_axes[] = {"total_kv", "num_kv", "total_k", "kv_len", "seq_len_k"};
constexpr std::string_view position_axes[] = {"max_seq_len", "max_position*", "max_len"};
constexpr std::string_view position_tensors[] = {"*cos*", "*sin*"};
constexpr std::string_view length_axes[] = {"max_seq_len", "max_kv_len", "max_len", "kv_len",
                                            "seq_len_k",   "seq_len_kv", "seq_len", "max_*len*"};
constexpr std::string_view id_axes[] = {"vocab_size", "vocab", "num_classes", "num_embeddings"};
constexpr std::string_view id_tensors[] = {"*embed*", "*table*", "weight"};

struct TargetRow {
  ValueKind kind;
  Targets targets;
};
constexpr TargetRow target_rows[] = {
    {page_ids, {page_axes, cache_tensors}},
    {slot_ids, {slot_axes, state_tensors}},
    {expert_ids, {expert_axes, expert_tensors}},
    {packed_expert_ids, {expert_axes, expert_tensors}},
    {batch_ids, {batch_axes, {}}},
    {sparse_ids, {sparse_axes, cache_tensors}},
    {positions, {position_axes, position_tensors}},
    {seq_lens, {length_axes, {}}},
    {ids, {id_axes, id_tensors}},
};

}  // namespace

bool fits_pattern(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] != '*')
    return !name.empty() && name[0] == pattern[0] &&
           fits_pattern(name.substr(1), pattern.substr(1));
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (fits_pattern(name.substr(i), pattern.substr(1))) return true;
  }
  return false;
}

std::optional<ValueKind> kind_of_name(std::string_view op_type, std::string_view name,
                                      const TensorSpec& spec) {
  const Of of = group_of(spec.dtype);
  if (spec.dtype == DType::int8) return std::nullopt;  // quantised numbers
  for (const NameRow& row : rows) {
    if (row.of == of && fits_pattern(op_type, row.op_type) && fits_pattern(name, row.name))
      return row.kind;
  }
  return std::nullopt;
}

Targets targets_of(ValueKind kind) {
  const auto row = std::find_if(std::begin(target_rows), std::end(target_rows),
                                [kind](const TargetRow& r) { return r.kind == kind; });
  return row == std::end(target_rows) ? Targets{} : row->targets;
}

}  // namespace kbench

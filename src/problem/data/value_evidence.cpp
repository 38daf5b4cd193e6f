#include "problem/data/value_evidence.hpp"

#include <algorithm>

#include "problem/constraint_value.hpp"

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
    // Op types that give names another meaning than elsewhere.
    {"rope", "offsets", Of::integers, positions},
    {"sampling", "top_k*", Of::integers, ids},
    {"sampling", "*threshold*", Of::floats, fraction},
    {"*moe*", "*offsets", Of::integers, indptr},
    {"*gemm*", "*offsets", Of::integers, indptr},
    {"embedding", "in*", Of::integers, ids},
    {"embedding", "*id*", Of::integers, ids},
    // Names in any op type.
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
  for (std::size_t i = 0; i <= name.size(); ++i)
    if (fits_pattern(name.substr(i), pattern.substr(1))) return true;
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

namespace {

using python::Expression;
using Node = Expression::Kind;

bool is_name(const Expression& e, const std::string& name) {
  return e.kind == Node::name && e.text == name;
}

// Strips .item(), int() and conversions.
const Expression& bare(const Expression& e) {
  if (e.kind != Node::call) return e;
  const Expression& callee = *e.operands[0];
  if (callee.kind == Node::name && callee.text == "int" && e.operands.size() == 2)
    return bare(*e.operands[1]);
  const bool wraps = callee.kind == Node::attribute &&
                     (callee.text == "item" || callee.text == "long" || callee.text == "to");
  return wraps ? bare(*callee.operands[0]) : e;
}

bool is_end(const Expression& e, const std::string& tensor) {
  if (e.kind != Node::subscript || !is_name(bare(*e.operands[0]), tensor)) return false;
  const Expression& index = *e.operands[1];
  return index.kind == Node::unary && index.text == "-" && index.operands[0]->value == 1;
}

// tensor.method(), torch.method(tensor)
bool is_reduction(const Expression& e, const std::string& tensor, const std::string& method) {
  if (e.kind != Node::call || e.operands[0]->kind != Node::attribute) return false;
  const Expression& callee = *e.operands[0];
  return callee.text == method && (is_name(bare(*callee.operands[0]), tensor) ||
                                   (e.operands.size() == 2 && is_name(*e.operands[1], tensor)));
}

std::string opposite(const std::string& op) {
  if (op == "<" || op == "<=") return op == "<" ? ">=" : ">";
  if (op == ">" || op == ">=") return op == ">" ? "<=" : "<";
  return op == "==" ? "!=" : op == "!=" ? "==" : op;
}

// Every comparison of two operands that a true (or false) tree says, each read in both directions.
template <class Visit>
void each_comparison(const Expression& e, bool truth, const Visit& visit) {
  if (e.kind == Node::unary && e.text == "not")
    return each_comparison(*e.operands[0], !truth, visit);
  const bool chain = e.comparators.size() > 1;
  if (e.kind == Node::boolean && (e.text == "and") != truth) return;  // one of them is enough
  if (e.kind == Node::comparison && (truth || !chain)) {
    for (std::size_t i = 0; i < e.comparators.size(); ++i) {
      const std::string op = truth ? e.comparators[i] : opposite(e.comparators[i]);
      visit(bare(*e.operands[i]), op, *e.operands[i + 1]);
      visit(bare(*e.operands[i + 1]), mirrored(op), *e.operands[i]);
    }
  }
  for (const auto& operand : e.operands) each_comparison(*operand, truth, visit);
}

}  // namespace

ValueEvidence::ValueEvidence(const Definition& definition, const Problem& problem,
                             const ReferenceFacts& facts)
    : scope_(scope_of(problem, facts)) {
  const auto add = [this](const std::string& text) {
    auto parsed = python::parse_expression(text);
    if (auto* tree = std::get_if<python::ExpressionPtr>(&parsed))
      texts_.push_back({text, std::move(*tree)});
  };
  for (const std::string& text : definition.constraints) add(text);
  for (const std::string& text : facts.checks) add(text);
}

bool ValueEvidence::is_about(const Expression& e, const std::string& tensor, Part part) {
  if (part == Part::end) return is_end(e, tensor);
  if (part == Part::sum) return is_reduction(e, tensor, "sum");
  return is_name(e, tensor) || is_reduction(e, tensor, "max");
}

std::optional<SaidValue> ValueEvidence::find(const std::string& tensor, Part part) const {
  std::optional<SaidValue> found;
  for (const Text& text : texts_) {
    each_comparison(*text.tree, true,
                    [&](const Expression& side, const std::string& op, const Expression& other) {
                      if (found || !is_about(side, tensor, part)) return;
                      const bool strict = part == Part::largest && op == "<";
                      if (!strict && op != "<=" && (part == Part::largest || op != "==")) return;
                      if (const auto value = integer_of(constraint_value(other, scope_)))
                        found = SaidValue{*value - (strict ? 1 : 0), text.text};
                    });
  }
  return found;
}

std::optional<SaidValue> ValueEvidence::end(const std::string& tensor) const {
  return find(tensor, Part::end);
}

std::optional<SaidValue> ValueEvidence::sum(const std::string& tensor) const {
  return find(tensor, Part::sum);
}

std::optional<SaidValue> ValueEvidence::largest(const std::string& tensor) const {
  return find(tensor, Part::largest);
}

}  // namespace kbench

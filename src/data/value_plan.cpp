#include "data/value_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "data/value_evidence.hpp"
#include "data/value_signs.hpp"
#include "problem/tensor_view.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using enum ValueKind;

constexpr std::int64_t default_positions = 2048;

bool mentions(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

bool is_one_of(ValueKind kind, std::initializer_list<ValueKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool is_of_queries(std::string_view name) {
  return name.starts_with("q") || fits_pattern(name, "*_q") || fits_pattern(name, "*_qo*") ||
         fits_pattern(name, "*_q_*");
}

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

class Planner {
 public:
  Planner(const Definition& definition, const Problem& problem, const Place& line,
          Diagnostics& diagnostics)
      : definition_(definition),
        problem_(problem),
        line_(line),
        out_(diagnostics),
        facts_(reference_facts(definition)),
        evidence_(definition, problem, facts_) {}

  ValuePlan run() {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) kinds_.push_back(kind_of(i));
    ValuePlan plan(problem_.inputs.size());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const auto* random = std::get_if<RandomInput>(&problem_.inputs[i].source);
      if (random == nullptr || !kinds_[i].kind || !fits_dtype(i)) continue;
      plan[i] = rule_of(i, *random);
    }
    return plan;
  }

 private:
  struct Seen {
    std::optional<ValueKind> kind;
    std::string sign;
  };

  const TensorPlan& tensor(std::size_t i) const { return problem_.inputs[i].tensor; }
  const std::string& name(std::size_t i) const { return tensor(i).name; }

  void complain(std::size_t i, Level level, const std::string& message, std::string hint) {
    out_.add({level, line_.value("/workload/inputs/" + pointer_step(name(i))),
              fmt::format("workload {}: '{}' {}", problem_.workload, name(i), message),
              std::move(hint)});
  }
  void error(std::size_t i, const std::string& message, std::string hint = "") {
    complain(i, Level::error, message, std::move(hint));
  }

  // ---- which kind ----

  Seen kind_of(std::size_t i) const {
    const auto* random = std::get_if<RandomInput>(&problem_.inputs[i].source);
    if (random != nullptr && random->kind) return {random->kind, "the workload"};
    const bool integer = info(tensor(i).dtype).kind == DTypeKind::integer;
    const auto by_name = kind_of_name(problem_.op_type, name(i), *definition_.inputs.find(name(i)));
    if (integer && is_packed(i)) return {packed_expert_ids, "the reference"};
    if (const auto end = evidence_.end(name(i)); integer && end && tensor(i).shape.size() == 1)
      return {indptr, end->by};
    if (by_name) return {by_name, "its name"};
    if (integer && !tensor(i).is_scalar && facts_.gathers.contains(name(i)))
      return {ids, "the reference"};
    return {};
  }

  bool is_packed(std::size_t i) const {
    const auto& about = definition_.inputs.find(name(i))->description;
    return facts_.packed.contains(name(i)) ||
           (about && mentions(*about, "acked") && mentions(*about, "16 bits"));
  }

  bool fits_dtype(std::size_t i) {
    const ValueKind kind = *kinds_[i].kind;
    const DTypeKind dtype = info(tensor(i).dtype).kind;
    const bool real = is_one_of(kind, {fraction, positive});
    const bool good = real           ? dtype == DTypeKind::floating
                      : kind == mask ? dtype != DTypeKind::floating
                                     : dtype == DTypeKind::integer;
    if (!good) {
      error(i, fmt::format("is {}, which kind \"{}\" is not for", info(tensor(i).dtype).name,
                           name_of(kind)));
      return false;
    }
    if (!is_one_of(kind, {indptr, permutation}) || tensor(i).shape.size() == 1) return true;
    if (kinds_[i].sign == "the workload")
      error(i, fmt::format("has shape {}, kind \"{}\" is for one axis", shape_text(tensor(i).shape),
                           name_of(kind)));
    return false;
  }

  // ---- its rule ----

  std::optional<ValueRule> rule_of(std::size_t i, const RandomInput& given) {
    ValueRule rule;
    rule.kind = *kinds_[i].kind;
    rule.sign = kinds_[i].sign;
    rule.page_size = page_size();
    rule.padding = given.padding.value_or(is_padded(i, rule.kind));
    rule.low = given.low.value_or(is_one_of(rule.kind, {seq_lens, last_page_len}) ? 1 : 0);
    switch (rule.kind) {
      case indptr:
        return indptr_rule(i, given, rule);
      case seq_lens:
        return length_rule(i, given, rule);
      case last_page_len:
        return last_page_rule(given, rule);
      case permutation:
        rule.high = rule.low + tensor(i).shape[0] - 1;
        return rule;
      case mask:
      case fraction:
      case positive:
        return rule;
      default:
        return id_rule(i, given, rule);
    }
  }

  bool is_padded(std::size_t i, ValueKind kind) const {
    const auto& about = definition_.inputs.find(name(i))->description;
    return is_one_of(kind, {sparse_ids, slot_ids}) &&
           (facts_.padded.contains(name(i)) || (about && mentions(*about, "-1")));
  }

  std::optional<ValueRule> indptr_rule(std::size_t i, const RandomInput& given, ValueRule rule) {
    rule.total = given.total ? given.total : total_of(i);
    if (!rule.total) return unknown(i, "where it ends", "\"total\"");
    const std::int64_t sequences = tensor(i).shape[0] - 1;
    rule.empty = *rule.total < sequences;
    if (sequences < 1 && (sequences < 0 || *rule.total > 0))
      return fail(
          i, fmt::format("has {} elements, it cannot end with {}", sequences + 1, *rule.total));
    if (*rule.total < 0 || (rule.empty && !facts_.skips))
      return fail(i, fmt::format("ends with {}, too few for {} sequences", *rule.total, sequences),
                  "each sequence needs an element: the reference does not skip empty ones");
    if (!is_of_queries(name(i))) return rule;
    rule.keys = keys_indptr(i);
    if (rule.keys && !keys_suffice(*rule.keys, rule)) {
      if (mentions(definition_.name, "causal"))
        return fail(i, fmt::format("ends with {}: more queries than keys", *rule.total),
                    "with a causal mask a sequence has at least as many keys as queries");
      rule.keys.reset();
    }
    return rule;
  }

  std::optional<ValueRule> fail(std::size_t i, const std::string& message, std::string hint = "") {
    error(i, message, std::move(hint));
    return std::nullopt;
  }

  std::optional<ValueRule> unknown(std::size_t i, std::string_view what, std::string_view key) {
    const bool asked = kinds_[i].sign == "the workload";
    complain(i, asked ? Level::error : Level::warning,
             fmt::format("looks like {}, but nothing says {}", name_of(*kinds_[i].kind), what),
             fmt::format(R"(say {{"type": "random", "kind": "{}", {}: …}})",
                         name_of(*kinds_[i].kind), key));
    return std::nullopt;
  }

  // The indptr of the keys that belong to these queries.
  std::optional<std::size_t> keys_indptr(std::size_t queries) const {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (i != queries && kinds_[i].kind == indptr && !is_of_queries(name(i)) &&
          tensor(i).shape == tensor(queries).shape)
        return i;
    }
    return std::nullopt;
  }

  bool keys_suffice(std::size_t keys, const ValueRule& queries) const {
    const auto total = total_of(keys);
    return !total || *queries.total <= *total * pages_of(keys);
  }

  // Tokens that one element of this indptr's range stands for.
  std::int64_t pages_of(std::size_t keys) const {
    const auto pages = flat_pages();
    return pages && total_of(keys) == tensor(*pages).shape[0] ? page_size() : 1;
  }

  // The one list of page ids, sequence after sequence.
  std::optional<std::size_t> flat_pages() const { return find_kind(page_ids, 1, 1); }

  std::optional<std::size_t> find_kind(ValueKind kind, std::size_t lowest_rank,
                                       std::size_t highest_rank) const {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const std::size_t rank = tensor(i).shape.size();
      if (kinds_[i].kind == kind && rank >= lowest_rank && rank <= highest_rank) return i;
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> total_of(std::size_t i) const {
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
    return axis_like(wanted);
  }

  template <class Patterns>
  std::optional<std::int64_t> axis_like(const Patterns& patterns) const {
    for (const auto& pattern : patterns) {
      for (const auto& [axis, length] : problem_.axes) {
        if (fits_pattern(axis, pattern)) return length;
      }
    }
    return std::nullopt;
  }

  std::int64_t page_size() const {
    return axis_like(std::array{"page_size", "block_size", "*page_size*", "kv_block_size"})
        .value_or(1);
  }

  std::optional<ValueRule> length_rule(std::size_t i, const RandomInput& given, ValueRule rule) {
    const bool counts = fits_pattern(name(i), "*sizes") || fits_pattern(name(i), "*count*") ||
                        fits_pattern(name(i), "*per_expert*");
    rule.total = given.total;
    if (const auto sum = evidence_.sum(name(i)); !rule.total && sum) rule.total = sum->value;
    if (!rule.total && !given.high && counts) rule.total = total_of(i);
    rule.empty = counts;
    if (rule.total) return rule;
    const auto table = find_kind(page_ids, 2, 9);
    auto high = given.high;
    if (const auto said = evidence_.largest(name(i)); !high && said) high = said->value;
    if (!high && table) high = tensor(*table).shape.back() * rule.page_size;
    if (!high) high = axis_like(targets_of(seq_lens).axes);
    if (!high) return unknown(i, "how long sequences may be", "\"high\"");
    rule.high = *high;
    if (rule.high < rule.low)
      return fail(i, fmt::format("has no values from {} to {}", rule.low, rule.high));
    return rule;
  }

  ValueRule last_page_rule(const RandomInput& given, ValueRule rule) const {
    rule.high = given.high.value_or(rule.page_size);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i].kind != indptr) continue;
      (is_of_queries(name(i)) ? rule.queries : rule.keys) = i;
    }
    if (!rule.keys || !rule.queries || tensor(*rule.keys).shape != tensor(*rule.queries).shape)
      rule.queries.reset();
    return rule;
  }

  // ---- ids ----

  std::optional<ValueRule> id_rule(std::size_t i, const RandomInput& given, ValueRule rule) {
    const auto count = id_count(i, rule.kind);
    if (given.high) {
      rule.high = *given.high;
    } else if (count) {
      rule.high = *count - 1;
    } else {
      return unknown(i, "of what", "\"high\"");
    }
    if (fits_pattern(name(i), "top_k*") && !given.low && !given.high) {  // a number, not an id
      rule.low = 1;
      ++rule.high;
    }
    if (rule.kind == positions) join_batch(rule);
    const std::int64_t range = rule.high - rule.low + 1;
    if (range < 1) return fail(i, fmt::format("has no values from {} to {}", rule.low, rule.high));
    return distinct_rule(i, rule, range);
  }

  std::optional<ValueRule> distinct_rule(std::size_t i, ValueRule rule, std::int64_t range) {
    const auto all = static_cast<std::int64_t>(element_count(tensor(i).shape));
    const std::int64_t row = tensor(i).shape.empty() ? 1 : tensor(i).shape.back();
    const bool appends = mentions(definition_.name, "append");
    if (rule.kind == slot_ids || rule.kind == page_ids) rule.distinct = all <= range;
    if (all > range && (rule.kind == slot_ids || (rule.kind == page_ids && appends)) &&
        !rule.padding)
      return fail(i, fmt::format("needs {} different values, there are {}", all, range),
                  R"(where values may repeat, say "kind": "ids")");
    const bool per_row =
        is_one_of(rule.kind, {expert_ids, packed_expert_ids}) && tensor(i).shape.size() > 1;
    if (per_row && row > range)
      return fail(i, fmt::format("needs {} different values in a row, there are {}", row, range));
    return rule;
  }

  // How many things ids of this input can name.
  std::optional<std::int64_t> id_count(std::size_t i, ValueKind kind) const {
    if (const auto said = evidence_.largest(name(i))) return said->value + 1;
    if (kind != packed_expert_ids) {
      if (const auto count = gathered(i)) return count;
    }
    const Targets targets = targets_of(kind);
    if (const auto axis = axis_like(targets.axes)) return *axis;
    if (kind == ids) {
      const std::string stem = stem_of(name(i));
      if (const auto axis = axis_like(std::array{"num_" + stem + "s", "num_" + stem, stem + "s",
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

  std::optional<std::int64_t> gathered(std::size_t i) const {
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

  std::optional<std::int64_t> target_tensor(const Targets& targets) const {
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

  // Tokens that are appended to sequences of a paged cache stand at its sequences' ends.
  void join_batch(ValueRule& rule) const {
    const auto batch = find_kind(batch_ids, 1, 1);
    const auto bounds = find_kind(indptr, 1, 1);
    if (!batch || !bounds || !flat_pages()) return;
    rule.batch = batch;
    rule.keys = bounds;
  }

  const Definition& definition_;
  const Problem& problem_;
  const Place& line_;
  Diagnostics& out_;
  ReferenceFacts facts_;
  ValueEvidence evidence_;
  std::vector<Seen> kinds_;
};

}  // namespace

ValuePlan plan_values(const Definition& definition, const Problem& problem, const Place& line,
                      Diagnostics& diagnostics) {
  return Planner(definition, problem, line, diagnostics).run();
}

}  // namespace kbench

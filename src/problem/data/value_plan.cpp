#include "problem/data/value_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "problem/bind.hpp"
#include "problem/data/value_evidence.hpp"
#include "problem/data/value_reach.hpp"
#include "problem/tensor_view.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

using enum ValueKind;

bool mentions(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

bool is_one_of(ValueKind kind, std::initializer_list<ValueKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool is_for(ValueKind kind, DTypeKind dtype) {
  const bool real = is_one_of(kind, {fraction, positive, probs});
  return real           ? dtype == DTypeKind::floating
         : kind == mask ? dtype != DTypeKind::floating
                        : dtype == DTypeKind::integer;
}

std::vector<std::string> kinds_for(DTypeKind dtype) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names(static_cast<const ValueKind*>(nullptr)).size(); ++i) {
    const auto kind = static_cast<ValueKind>(i);
    if (is_for(kind, dtype)) out.emplace_back(name_of(kind));
  }
  return out;
}

// Returns the kind that the workload names.
std::optional<ValueKind> asked_kind(const InputPlan& input) {
  const auto* random = std::get_if<RandomInput>(&input.source);
  return random != nullptr ? random->kind : std::nullopt;
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
        evidence_(definition, problem, facts_),
        reach_(problem, facts_, evidence_, kinds_) {}

  ValuePlan run() {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) kinds_.push_back(kind_of(i));
    ValuePlan plan(problem_.inputs.size());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const auto* random = std::get_if<RandomInput>(&problem_.inputs[i].source);
      if (random == nullptr || !kinds_[i].kind || !fits_dtype(i)) continue;
      plan[i] = rule_of(i, *random);
      if (plan[i] && !limits_fit(i, *plan[i])) plan[i].reset();
    }
    return plan;
  }

 private:
  const TensorPlan& tensor(std::size_t i) const { return problem_.inputs[i].tensor; }
  const std::string& name(std::size_t i) const { return tensor(i).name; }

  void complain(std::size_t i, Level level, const std::string& message, std::string hint) {
    out_.add(of_workload(level, line_.value("/workload/inputs/" + pointer_step(name(i))),
                         problem_.workload, fmt::format("'{}' {}", name(i), message),
                         std::move(hint)));
  }
  void error(std::size_t i, const std::string& message, std::string hint = "") {
    complain(i, Level::error, message, std::move(hint));
  }

  // ---- which kind ----

  SeenKind kind_of(std::size_t i) const {
    if (const auto asked = asked_kind(problem_.inputs[i])) return {asked, "the workload"};
    const auto by_name = kind_of_name(problem_.op_type, name(i), *definition_.inputs.find(name(i)));
    if (info(tensor(i).dtype).kind == DTypeKind::integer) return integer_kind(i, by_name);
    if (by_name) return {by_name, "its name"};
    if (facts_.weights.contains(name(i))) return {probs, "the reference"};
    if (facts_.positive.contains(name(i))) return {positive, by_reference};
    return {};
  }

  SeenKind integer_kind(std::size_t i, std::optional<ValueKind> by_name) const {
    if (is_packed(i)) return {packed_expert_ids, "the reference"};
    if (const auto end = evidence_.end(name(i)); end && tensor(i).shape.size() == 1)
      return {indptr, end->by};
    const auto used = kind_of_use(i);
    const bool surer = by_name == ids || used == indptr;  // surer than a name
    if (by_name && !(used && surer && used != by_name)) return {by_name, "its name"};
    return used ? SeenKind{used, "the reference"} : SeenKind{};
  }

  // Returns the kind by what the reference does with its elements.
  std::optional<ValueKind> kind_of_use(std::size_t i) const {
    if (tensor(i).is_scalar) return std::nullopt;
    const InputUse& use = facts_.use(name(i));
    if (use.counts || evidence_.sum(name(i))) return seq_lens;
    if (use.spans && tensor(i).shape.size() == 1) return indptr;
    if (!use.indexed.empty() || !use.starts.empty()) return ids;
    if (!use.stops.empty() || !use.lengths.empty()) return seq_lens;
    const bool bounded = !use.wrapped.empty() || !use.at_most.empty();
    return bounded ? std::optional(ids) : std::nullopt;
  }

  bool is_packed(std::size_t i) const {
    const auto& about = definition_.inputs.find(name(i))->description;
    return facts_.use(name(i)).packed ||
           (about && mentions(*about, "acked") && mentions(*about, "16 bits"));
  }

  bool fits_dtype(std::size_t i) {
    const ValueKind kind = *kinds_[i].kind;
    const DTypeInfo& dtype = info(tensor(i).dtype);
    if (!is_for(kind, dtype.kind)) {
      error(i, fmt::format("is {}, which kind \"{}\" is not for", dtype.name, name_of(kind)),
            fmt::format("kinds for {} are {}", dtype.name, join(kinds_for(dtype.kind), ", ")));
      return false;
    }
    if (!is_one_of(kind, {indptr, permutation}) || tensor(i).shape.size() == 1) return true;
    if (asked_kind(problem_.inputs[i]))
      error(i, fmt::format("has shape {}, kind \"{}\" is for one axis", shape_text(tensor(i).shape),
                           name_of(kind)));
    return false;
  }

  // All values must be numbers of the dtype, and small enough to be counted with.
  bool limits_fit(std::size_t i, ValueRule& rule) {
    const int bits = std::min(info(tensor(i).dtype).bits, 54);
    const std::int64_t largest =
        rule.kind == packed_expert_ids ? INT16_MAX : (std::int64_t{1} << (bits - 1)) - 1;
    const auto* given = std::get_if<RandomInput>(&problem_.inputs[i].source);
    const bool may_shrink = rule.kind != permutation && (given == nullptr || !given->high);
    if (may_shrink) rule.high = std::min(rule.high, largest);
    const std::int64_t total = rule.total.value_or(0);
    if (rule.high <= largest && rule.low >= -largest - 1 && total <= largest) return true;
    error(i, fmt::format("is {}, which cannot hold {}", info(tensor(i).dtype).name,
                         rule.high > largest ? rule.high
                         : total > largest   ? total
                                             : rule.low));
    return false;
  }

  // A key that the kind has no use for would be dropped without a word.
  bool keys_fit(std::size_t i, const RandomInput& given) {
    const ValueKind kind = *kinds_[i].kind;
    const bool free = is_one_of(kind, {mask, fraction, positive, probs});
    const bool counted = is_one_of(kind, {indptr, seq_lens});
    const bool id = !free && !counted && !is_one_of(kind, {last_page_len, permutation});
    const std::pair<std::string_view, bool> needless[] = {
        {"low", given.low && (free || kind == indptr)},
        {"high", given.high && (free || is_one_of(kind, {indptr, permutation}))},
        {"total", given.total && !counted},
        {"padding", given.padding && !id},
    };
    for (const auto& [key, is_needless] : needless) {
      if (!is_needless) continue;
      error(i, fmt::format("has \"{}\", which kind \"{}\" has no use for", key, name_of(kind)));
      return false;
    }
    return lengths_fit(i, given);
  }

  // Lengths that sum to a total are drawn by it alone.
  bool lengths_fit(std::size_t i, const RandomInput& given) {
    if (*kinds_[i].kind != seq_lens || !given.total) return true;
    const std::int64_t least = given.low.value_or(1) * element_count(tensor(i).shape);
    if (given.high) {
      error(i, "has \"high\" and \"total\", which do not go together");
    } else if (*given.total < least) {
      error(i,
            fmt::format("sums to {}, too little for {} lengths of at least {}", *given.total,
                        element_count(tensor(i).shape), given.low.value_or(1)),
            "say \"low\": 0 for sequences without elements");
    } else {
      return true;
    }
    return false;
  }

  // ---- its rule ----

  std::optional<ValueRule> rule_of(std::size_t i, const RandomInput& given) {
    if (!keys_fit(i, given)) return std::nullopt;
    ValueRule rule;
    rule.kind = *kinds_[i].kind;
    rule.sign = kinds_[i].sign;
    rule.page_size = reach_.page_size();
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
      case probs:
        return rule;
      default:
        return id_rule(i, given, rule);
    }
  }

  bool is_padded(std::size_t i, ValueKind kind) const {
    const auto& about = definition_.inputs.find(name(i))->description;
    return is_one_of(kind, {sparse_ids, slot_ids}) &&
           (facts_.use(name(i)).padded || (about && mentions(*about, "-1")));
  }

  std::optional<ValueRule> indptr_rule(std::size_t i, const RandomInput& given, ValueRule rule) {
    rule.total = given.total ? given.total : reach_.total_of(i);
    if (!rule.total) return unknown(i, "where it ends", "\"total\"");
    rule.ends = facts_.use(name(i)).ends;
    rule.can_be_empty = facts_.skips || !reach_.find_kind(last_page_len, 1, 1);
    const std::int64_t sequences = tensor(i).shape[0] - (rule.ends ? 0 : 1);
    rule.empty = *rule.total < sequences;
    if (sequences < 1 && (sequences < 0 || *rule.total > 0))
      return fail(
          i, fmt::format("has {} elements, it cannot end with {}", sequences + 1, *rule.total));
    if (*rule.total < 0 || (rule.empty && !facts_.skips))
      return fail(i, fmt::format("ends with {}, too few for {} sequences", *rule.total, sequences),
                  "each sequence needs an element: the reference does not skip empty ones");
    return is_of_queries(name(i)) ? join_keys(i, rule) : rule;
  }

  // The queries of a sequence are no more than its keys, where there is room for that.
  std::optional<ValueRule> join_keys(std::size_t i, ValueRule rule) {
    rule.keys = reach_.keys_indptr(i);
    if (!rule.keys) return rule;
    rule.page_size = reach_.pages_of(*rule.keys);
    const auto keys = reach_.total_of(*rule.keys);
    if (!keys || *rule.total <= *keys * rule.page_size) return rule;
    if (mentions(definition_.name, "causal"))
      return fail(i, fmt::format("ends with {}: more queries than keys", *rule.total),
                  "with a causal mask a sequence has at least as many keys as queries");
    rule.keys.reset();
    return rule;
  }

  std::optional<ValueRule> fail(std::size_t i, const std::string& message, std::string hint = "") {
    error(i, message, std::move(hint));
    return std::nullopt;
  }

  std::optional<ValueRule> unknown(std::size_t i, std::string_view what, std::string_view key) {
    complain(i, asked_kind(problem_.inputs[i]) ? Level::error : Level::warning,
             fmt::format("looks like {}, but nothing says {}", name_of(*kinds_[i].kind), what),
             fmt::format(R"(say {{"type": "random", "kind": "{}", {}: …}})",
                         name_of(*kinds_[i].kind), key));
    return std::nullopt;
  }

  // Tells whether an input holds the sizes of parts that make up a whole.
  bool are_counts(std::size_t i) const {
    const auto fits = [&](std::string_view pattern) { return fits_pattern(name(i), pattern); };
    return fits("*sizes") || fits("*count*") || fits("*per_expert*") || facts_.use(name(i)).counts;
  }

  std::optional<ValueRule> length_rule(std::size_t i, const RandomInput& given, ValueRule rule) {
    const bool counts = are_counts(i);
    rule.total = given.total;
    if (const auto sum = evidence_.sum(name(i)); !rule.total && sum) rule.total = sum->value;
    if (!rule.total && !given.high && counts) rule.total = reach_.total_of(i);
    rule.empty = counts;
    rule.can_be_empty =
        !given.low && facts_.use(name(i)).stops.empty() && facts_.use(name(i)).at_least.empty();
    if (rule.total) return rule;
    const auto high = longest(i, given, rule);
    if (!high) return unknown(i, "how long sequences may be", "\"high\"");
    rule.high = *high;
    if (!given.low) rule.low = shortest(i, rule);
    if (rule.high < rule.low)
      return fail(i, fmt::format("has no values from {} to {}", rule.low, rule.high));
    return rule;
  }

  // Returns the least value; of two inputs that bound slices the ends take the second half.
  std::int64_t shortest(std::size_t i, const ValueRule& rule) const {
    const InputUse& use = facts_.use(name(i));
    if (const auto size = reach_.least(use.stops)) return *size - *size / 2;
    const auto low = reach_.least(use.at_least);
    return low && *low <= rule.high ? std::max(rule.low, *low) : rule.low;
  }

  std::optional<std::int64_t> longest(std::size_t i, const RandomInput& given,
                                      const ValueRule& rule) const {
    if (given.high) return given.high;
    const InputUse& use = facts_.use(name(i));
    if (const auto size = reach_.least(use.stops)) return size;
    if (const auto said = evidence_.largest(name(i))) return said->value;
    if (const auto most = reach_.longest_of(i)) return most;
    if (const auto table = reach_.find_kind(page_ids, 2, 9))
      return tensor(*table).shape.back() * rule.page_size;
    return reach_.axis_like(targets_of(seq_lens).axes);
  }

  ValueRule last_page_rule(const RandomInput& given, ValueRule rule) const {
    rule.high = std::max(given.high.value_or(rule.page_size), rule.low);
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
    const auto range = reach_.id_range(i, rule.kind);
    if (!given.high && !range) return unknown(i, "of what", "\"high\"");
    rule.high = given.high ? *given.high : range->high;
    if (range && !given.low && range->low <= rule.high) rule.low = range->low;
    if (fits_pattern(name(i), "top_k*") && !given.low && !given.high) {  // a number, not an id
      rule.low = 1;
      ++rule.high;
    }
    if (is_one_of(rule.kind, {positions, batch_ids})) join_batch(rule);
    const std::int64_t count = rule.high - rule.low + 1;
    if (count < 1) return fail(i, fmt::format("has no values from {} to {}", rule.low, rule.high));
    return distinct_rule(i, rule, count);
  }

  std::optional<ValueRule> distinct_rule(std::size_t i, ValueRule rule, std::int64_t range) {
    const auto all = static_cast<std::int64_t>(element_count(tensor(i).shape));
    const bool appends = mentions(definition_.name, "append");
    const bool stored = rule.kind == ids && facts_.use(name(i)).unique;
    const bool once = rule.kind == slot_ids || (rule.kind == page_ids && appends);
    rule.distinct = all <= range && (is_one_of(rule.kind, {slot_ids, page_ids}) || stored);
    rule.stored = is_stored(i, rule.kind);
    if (all > range && once && !rule.padding)
      return fail(i, fmt::format("needs {} different values, there are {}", all, range),
                  R"(where values may repeat, say "kind": "ids")");
    const std::int64_t row = tensor(i).shape.size() > 1 ? tensor(i).shape.back() : 0;
    if (is_one_of(rule.kind, {expert_ids, packed_expert_ids}) && row > range)
      return fail(i, fmt::format("needs {} different values in a row, there are {}", row, range));
    return rule;
  }

  // Tells whether something is stored there, alone or with others, unless ids differ along a row.
  bool is_stored(std::size_t i, ValueKind kind) const {
    const InputUse& use = facts_.use(name(i));
    const bool differ = is_one_of(kind, {expert_ids, packed_expert_ids, sparse_ids});
    return (kind == ids && use.unique) ||
           (use.scattered && !(differ && tensor(i).shape.size() > 1));
  }

  // Tokens that are appended to sequences of a paged cache stand at its sequences' ends.
  void join_batch(ValueRule& rule) const {
    const auto batch = reach_.find_kind(batch_ids, 1, 1);
    const auto bounds = reach_.find_kind(indptr, 1, 1);
    if (!batch || !bounds || !reach_.flat_pages()) return;
    if (rule.kind == positions) rule.batch = batch;
    rule.keys = bounds;
  }

  const Definition& definition_;
  const Problem& problem_;
  const Place& line_;
  Diagnostics& out_;
  ReferenceFacts facts_;
  ValueEvidence evidence_;
  std::vector<SeenKind> kinds_;
  ValueReach reach_;
};

}  // namespace

ValuePlan plan_values(const Definition& definition, const Problem& problem, const Place& line,
                      Diagnostics& diagnostics) {
  return Planner(definition, problem, line, diagnostics).run();
}

}  // namespace kbench

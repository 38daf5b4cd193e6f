#include "problem/data/draw.hpp"

#include <algorithm>
#include <bit>

#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

using enum ValueKind;
using Values = std::vector<double>;

// Moves what exceeds `caps` to parts that have room.
void cap(Integers& lengths, const Integers& caps) {
  std::int64_t over = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::int64_t kept = std::min(lengths[i], caps[i]);
    over += lengths[i] - kept;
    lengths[i] = kept;
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::int64_t room = std::min(over, caps[i] - lengths[i]);
    lengths[i] += room;
    over -= room;
  }
  lengths.back() += over;
}

std::int64_t at(const Values& values, std::size_t i) {
  return static_cast<std::int64_t>(values[i]);
}

// Tells whether several things may be stored at one place: which comes last is nobody's to say.
bool is_open(const ValueRule& rule) { return rule.stored && !rule.distinct; }

class Drawing {
 public:
  Drawing(const Problem& problem, const ValuePlan& plan, const DrawOptions& options)
      : problem_(problem), plan_(plan), options_(options), values_(problem.inputs.size()) {}

  std::vector<Values> run() {
    for (std::size_t i = 0; i < plan_.size(); ++i) draw(i);
    return std::move(values_);
  }

 private:
  // Draws an input after those that it goes with; they go with nothing that leads back.
  void draw(std::size_t i) {
    if (!plan_[i] || !values_[i].empty()) return;
    const ValueRule& rule = *plan_[i];
    if (rule.kind == probs) return;  // made of normals, where the tensor lies
    for (const auto& other : {rule.keys, rule.queries, rule.batch})
      if (other && *other < plan_.size()) draw(*other);
    const Skew skew = is_open(rule) ? Skew::none : options_.skew;
    Numbers numbers({options_.seed, static_cast<std::uint32_t>(i), options_.trial}, skew);
    const TensorPlan& tensor = problem_.inputs[i].tensor;
    count_ = static_cast<std::int64_t>(element_count(tensor.shape));
    row_ = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (count_ > 0) values_[i] = of_kind(rule, numbers, tensor.shape.size());
  }

  Values of_kind(const ValueRule& rule, Numbers& numbers, std::size_t rank) {
    switch (rule.kind) {
      case indptr:
        return offsets(rule, numbers);
      case seq_lens:
        return lengths(rule, numbers);
      case last_page_len:
        return last_pages(rule, numbers);
      case positions:
        return rule.batch ? ends(rule) : uniform(rule, numbers);
      case mask:
        return truths(numbers);
      case fraction:
      case positive:
        return reals(rule.kind, numbers);
      default:
        return ids_of_kind(rule, numbers, rank);
    }
  }

  Values ids_of_kind(const ValueRule& rule, Numbers& numbers, std::size_t rank) const {
    const std::int64_t range = rule.high - rule.low + 1;
    const bool in_rows = rank > 1;
    switch (rule.kind) {
      case page_ids:
        return shifted(
            in_rows && !rule.distinct ? rows(numbers, range) : numbers.distinct(count_, range),
            rule.low);
      case slot_ids:
        return slots(rule, numbers, range);
      case expert_ids:
        return in_rows ? shifted(rows(numbers, range), rule.low) : uniform(rule, numbers);
      case packed_expert_ids:
        return packed(rule, numbers, range);
      case sparse_ids:
        return sparse(rule, numbers, range);
      case permutation:
        return shifted(numbers.distinct(count_, count_), rule.low);
      case batch_ids:
        return batches(rule, numbers, range);
      default:
        return plain(rule, numbers, range);
    }
  }

  Values plain(const ValueRule& rule, Numbers& numbers, std::int64_t range) const {
    return rule.distinct ? shifted(numbers.distinct(count_, range), rule.low)
                         : uniform(rule, numbers);
  }

  static Values shifted(const Integers& values, std::int64_t low) {
    Values out;
    out.reserve(values.size());
    for (const std::int64_t value : values) out.push_back(static_cast<double>(value + low));
    return out;
  }

  Values uniform(const ValueRule& rule, Numbers& numbers) const {
    return shifted(numbers.any(count_, rule.high - rule.low + 1), rule.low);
  }

  // Draws different values in each row.
  Integers rows(Numbers& numbers, std::int64_t range) const {
    Integers out;
    for (std::int64_t i = 0; i < count_; i += row_) {
      const Integers row = numbers.distinct(row_, range);
      out.insert(out.end(), row.begin(), row.end());
    }
    return out;
  }

  Values given(std::size_t i) const {
    if (!values_[i].empty() || !options_.given) return values_[i];
    return options_.given(i);
  }

  // Draws ids that do not decrease; no more of a sequence than its room in a paged cache.
  Values batches(const ValueRule& rule, Numbers& numbers, std::int64_t range) const {
    Integers counts = numbers.split(range, count_, 0);
    const Integers room = rooms(rule);
    if (std::ssize(room) == range) cap(counts, room);
    Values out;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto id = rule.low + static_cast<std::int64_t>(i);
      out.insert(out.end(), static_cast<std::size_t>(counts[i]), static_cast<double>(id));
    }
    return out;
  }

  // Tokens of each sequence that the keys' indptr has.
  Integers rooms(const ValueRule& rule) const {
    const Values keys = rule.keys ? given(*rule.keys) : Values{};
    Integers out;
    for (std::size_t k = 1; k < keys.size(); ++k)
      out.push_back(std::max<std::int64_t>(at(keys, k) - at(keys, k - 1), 0) * rule.page_size);
    return out;
  }

  static bool try_empty(const ValueRule& rule, const Numbers& numbers) {
    return rule.can_be_empty && numbers.skew() == Skew::empty;
  }

  Values offsets(const ValueRule& rule, Numbers& numbers) const {
    const std::int64_t parts = rule.ends ? count_ : count_ - 1;
    Values out{0};
    if (parts == 0) return out;
    const std::int64_t smallest = rule.empty || try_empty(rule, numbers) ? 0 : 1;
    Integers sizes = numbers.split(parts, *rule.total, smallest);
    const Integers room = rooms(rule);
    if (std::ssize(room) == parts) cap(sizes, room);
    for (const std::int64_t size : sizes) out.push_back(out.back() + static_cast<double>(size));
    if (rule.ends) out.erase(out.begin());
    return out;
  }

  Values lengths(const ValueRule& rule, Numbers& numbers) const {
    const bool try_it = try_empty(rule, numbers);
    if (!rule.total) return shifted(numbers.lengths(count_, try_it ? 0 : rule.low, rule.high), 0);
    const bool room = !rule.empty && !try_it && *rule.total >= count_;
    return shifted(numbers.split(count_, *rule.total, room ? 1 : 0), 0);
  }

  // Draws 1 to page_size, and enough for the queries of the sequence.
  Values last_pages(const ValueRule& rule, Numbers& numbers) const {
    const Values keys = rule.keys ? given(*rule.keys) : Values{};
    const Values queries = rule.queries ? given(*rule.queries) : Values{};
    Values out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
      std::int64_t low = rule.low;
      if (i + 1 < keys.size() && i + 1 < queries.size()) {
        const std::int64_t full = (at(keys, i + 1) - at(keys, i) - 1) * rule.page_size;
        low = std::clamp(at(queries, i + 1) - at(queries, i) - full, low, rule.high);
      }
      out.push_back(static_cast<double>(numbers.one_between(low, rule.high)));
    }
    return out;
  }

  // Each sequence's tokens are its last ones.
  Values ends(const ValueRule& rule) const {
    const Values batch = given(*rule.batch);
    const Values bounds = given(*rule.keys);
    Values out(static_cast<std::size_t>(count_));
    std::vector<std::int64_t> left(bounds.size() + 1);
    const auto sequence = [&](std::size_t i) {
      return std::min(static_cast<std::size_t>(std::max(batch[i], 0.0)), bounds.size());
    };
    for (std::size_t i = 0; i < batch.size(); ++i) ++left[sequence(i)];
    for (std::size_t i = 0; i < std::min(out.size(), batch.size()); ++i) {
      const std::size_t b = sequence(i);
      if (b + 1 >= bounds.size()) continue;  // it comes from a file, and is out of range
      const std::int64_t tokens = (at(bounds, b + 1) - at(bounds, b)) * rule.page_size;
      out[i] = static_cast<double>(std::max<std::int64_t>(tokens - left[b]--, 0));
    }
    return out;
  }

  Values slots(const ValueRule& rule, Numbers& numbers, std::int64_t range) const {
    Values out = shifted(numbers.distinct(std::min(count_, range), range), rule.low);
    out.resize(static_cast<std::size_t>(count_), -1);
    for (std::size_t i = 1; rule.padding && i < out.size(); ++i)
      if (numbers.below(8) == 0) out[i] = -1;
    if (rule.padding && numbers.skew() == Skew::empty && out.size() > 1) out[0] = -1;
    return out;
  }

  Values sparse(const ValueRule& rule, Numbers& numbers, std::int64_t range) const {
    Values out;
    for (std::int64_t i = 0; i < count_; i += row_) {
      std::int64_t valid = rule.padding ? std::min(row_, range) : row_;
      if (rule.padding && i > 0 && numbers.below(4) == 0) valid = numbers.between(1, valid);
      if (rule.padding && numbers.skew() == Skew::low) valid = 1;
      const Values row = shifted(numbers.distinct(valid, range), rule.low);
      out.insert(out.end(), row.begin(), row.end());
      out.resize(static_cast<std::size_t>(i + row_), -1);
    }
    if (rule.padding && numbers.skew() == Skew::empty) make_holes(out);
    return out;
  }

  // The first row of several has no index, the others have padding between their indices.
  void make_holes(Values& values) const {
    const std::size_t row = static_cast<std::size_t>(row_), all = values.size();
    for (std::size_t i = 0; i < all; ++i)
      if (i % row % 3 == 1 || (i < row && row < all)) values[i] = -1;
  }

  // The id in the high half of 32 bits, a bfloat16 weight in the low half.
  Values packed(const ValueRule& rule, Numbers& numbers, std::int64_t range) const {
    Values out = shifted(rows(numbers, range), rule.low);
    for (double& value : out) {
      const auto weight = static_cast<float>((0.5 + numbers.unit()) / static_cast<double>(row_));
      value = value * 65536 + static_cast<double>(std::bit_cast<std::uint32_t>(weight) >> 16);
    }
    return out;
  }

  // Draws half of them true, and one of each row at least.
  Values truths(Numbers& numbers) const {
    Values out;
    for (std::int64_t i = 0; i < count_; ++i)
      out.push_back(static_cast<double>(numbers.one_between(0, 1)));
    for (std::int64_t i = 0; i < count_; i += row_)
      out[static_cast<std::size_t>(i + numbers.below(row_))] = 1;
    return out;
  }

  Values reals(ValueKind kind, Numbers& numbers) const {
    Values out;
    for (std::int64_t i = 0; i < count_; ++i)
      out.push_back(kind == fraction ? numbers.unit() : 0.5 + 1.5 * numbers.unit());
    return out;
  }

  const Problem& problem_;
  const ValuePlan& plan_;
  const DrawOptions& options_;
  std::vector<Values> values_;
  std::int64_t count_ = 0;  // elements of the input at hand
  std::int64_t row_ = 1;    // its last axis
};

bool can_skew(const ValueRule& rule, Skew skew) {
  const bool counts = rule.kind == indptr || rule.kind == seq_lens;
  const bool is_real = rule.kind == fraction || rule.kind == positive || rule.kind == probs;
  if (skew == Skew::empty) return counts ? rule.can_be_empty : rule.padding;
  return skew != Skew::none && !is_real && !is_open(rule);
}

}  // namespace

bool can_skew(const ValuePlan& plan, Skew skew) {
  return std::any_of(plan.begin(), plan.end(),
                     [skew](const auto& rule) { return rule && can_skew(*rule, skew); });
}

std::vector<std::vector<double>> draw_values(const Problem& problem, const ValuePlan& plan,
                                             const DrawOptions& options) {
  return Drawing(problem, plan, options).run();
}

}  // namespace kbench

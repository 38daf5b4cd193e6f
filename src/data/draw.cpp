#include "data/draw.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <unordered_set>

#include "data/philox.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

using enum ValueKind;
using Values = std::vector<double>;
using Integers = std::vector<std::int64_t>;

// The words of one input's stream, one after the other.
class Words {
 public:
  explicit Words(const Stream& stream) : stream_(stream) {}

  std::uint32_t next() {
    if (used_ == words_.size()) {
      random_words(stream_, first_, words_);
      first_ += words_.size();
      used_ = 0;
    }
    return words_[used_++];
  }

  // 0 to n - 1; n is positive.
  std::int64_t below(std::int64_t n) {
    const std::uint64_t high = next();
    const std::uint64_t word = high << 32 | next();
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::int64_t>((Wide(word) * static_cast<std::uint64_t>(n)) >> 64);
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  // Above 0, up to 1, exact in binary16 and wider.
  double unit() { return (static_cast<double>(next() >> 22) + 1) / 1024; }

 private:
  Stream stream_;
  std::array<std::uint32_t, words_per_group> words_{};
  std::uint64_t first_ = 0;
  std::size_t used_ = words_per_group;
};

// `count` different numbers below `range`; where there are not so many, all of them over and over.
Integers distinct(Words& words, std::int64_t count, std::int64_t range) {
  Integers out;
  out.reserve(static_cast<std::size_t>(count));
  if (range / 4 > count) {
    std::unordered_set<std::int64_t> taken;
    while (static_cast<std::int64_t>(out.size()) < count) {
      const std::int64_t value = words.below(range);
      if (taken.insert(value).second) out.push_back(value);
    }
    return out;
  }
  Integers all(static_cast<std::size_t>(range));
  std::iota(all.begin(), all.end(), 0);
  while (static_cast<std::int64_t>(out.size()) < count) {
    const std::int64_t part = std::min(range, count - static_cast<std::int64_t>(out.size()));
    for (std::int64_t i = 0; i < part; ++i) {
      std::swap(all[static_cast<std::size_t>(i)],
                all[static_cast<std::size_t>(words.between(i, range - 1))]);
    }
    out.insert(out.end(), all.begin(), all.begin() + part);
  }
  return out;
}

// `total` in parts of at least `smallest`: between cuts at random places, so that short parts and
// long ones both come.
Integers split(Words& words, std::int64_t parts, std::int64_t total, std::int64_t smallest) {
  Integers cuts{0};
  const std::int64_t rest = total - parts * smallest;
  for (std::int64_t i = 1; i < parts; ++i) cuts.push_back(words.below(rest + 1));
  cuts.push_back(rest);
  std::sort(cuts.begin(), cuts.end());
  Integers lengths;
  for (std::size_t i = 1; i < cuts.size(); ++i) lengths.push_back(cuts[i] - cuts[i - 1] + smallest);
  return lengths;
}

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

class Drawing {
 public:
  Drawing(const Problem& problem, const ValuePlan& plan, const DrawOptions& options)
      : problem_(problem), plan_(plan), options_(options), values_(problem.inputs.size()) {}

  std::vector<Values> run() {
    for (std::size_t i = 0; i < plan_.size(); ++i) draw(i);
    return std::move(values_);
  }

 private:
  // Those that it goes with first; they go with nothing that leads back.
  void draw(std::size_t i) {
    if (!plan_[i] || !values_[i].empty()) return;
    const ValueRule& rule = *plan_[i];
    if (rule.kind == probs) return;  // made of normals, where the tensor lies
    for (const auto& other : {rule.keys, rule.queries, rule.batch}) {
      if (other && *other < plan_.size()) draw(*other);
    }
    Words words({options_.seed, static_cast<std::uint32_t>(i), options_.trial});
    const TensorPlan& tensor = problem_.inputs[i].tensor;
    count_ = static_cast<std::int64_t>(element_count(tensor.shape));
    row_ = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (count_ > 0) values_[i] = of_kind(rule, words, tensor.shape.size());
  }

  Values of_kind(const ValueRule& rule, Words& words, std::size_t rank) {
    switch (rule.kind) {
      case indptr:
        return offsets(rule, words);
      case seq_lens:
        return lengths(rule, words);
      case last_page_len:
        return last_pages(rule, words);
      case positions:
        return rule.batch ? ends(rule) : uniform(rule, words);
      case mask:
        return truths(words);
      case fraction:
      case positive:
        return reals(rule.kind, words);
      default:
        return ids_of_kind(rule, words, rank);
    }
  }

  Values ids_of_kind(const ValueRule& rule, Words& words, std::size_t rank) const {
    const std::int64_t range = rule.high - rule.low + 1;
    const bool in_rows = rank > 1;
    switch (rule.kind) {
      case page_ids:
        return shifted(
            in_rows && !rule.distinct ? rows(words, range) : distinct(words, count_, range),
            rule.low);
      case slot_ids:
        return slots(rule, words, range);
      case expert_ids:
        return in_rows ? shifted(rows(words, range), rule.low) : uniform(rule, words);
      case packed_expert_ids:
        return packed(rule, words, range);
      case sparse_ids:
        return sparse(rule, words, range);
      case permutation:
        return shifted(distinct(words, count_, count_), rule.low);
      case batch_ids:
        return batches(rule, words, range);
      default:
        return plain(rule, words, range);
    }
  }

  Values plain(const ValueRule& rule, Words& words, std::int64_t range) const {
    return rule.distinct ? shifted(distinct(words, count_, range), rule.low) : uniform(rule, words);
  }

  static Values shifted(const Integers& values, std::int64_t low) {
    Values out;
    out.reserve(values.size());
    for (const std::int64_t value : values) out.push_back(static_cast<double>(value + low));
    return out;
  }

  Values uniform(const ValueRule& rule, Words& words) const {
    Values out;
    for (std::int64_t i = 0; i < count_; ++i)
      out.push_back(static_cast<double>(words.between(rule.low, rule.high)));
    return out;
  }

  // Different values in each row.
  Integers rows(Words& words, std::int64_t range) const {
    Integers out;
    for (std::int64_t i = 0; i < count_; i += row_) {
      const Integers row = distinct(words, row_, range);
      out.insert(out.end(), row.begin(), row.end());
    }
    return out;
  }

  Values given(std::size_t i) const {
    if (!values_[i].empty() || !options_.given) return values_[i];
    return options_.given(i);
  }

  // Not decreasing; of a sequence in a paged cache no more than it has room for.
  Values batches(const ValueRule& rule, Words& words, std::int64_t range) const {
    Integers counts = split(words, range, count_, 0);
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

  Values offsets(const ValueRule& rule, Words& words) const {
    const std::int64_t parts = rule.ends ? count_ : count_ - 1;
    Values out{0};
    if (parts == 0) return out;
    Integers sizes = split(words, parts, *rule.total, rule.empty ? 0 : 1);
    const Integers room = rooms(rule);
    if (std::ssize(room) == parts) cap(sizes, room);
    for (const std::int64_t size : sizes) out.push_back(out.back() + static_cast<double>(size));
    if (rule.ends) out.erase(out.begin());
    return out;
  }

  Values lengths(const ValueRule& rule, Words& words) const {
    if (!rule.total) return uniform(rule, words);
    const bool room = !rule.empty && *rule.total >= count_;
    return shifted(split(words, count_, *rule.total, room ? 1 : 0), 0);
  }

  // 1 to page_size, and enough for the queries of the sequence.
  Values last_pages(const ValueRule& rule, Words& words) const {
    const Values keys = rule.keys ? given(*rule.keys) : Values{};
    const Values queries = rule.queries ? given(*rule.queries) : Values{};
    Values out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
      std::int64_t low = rule.low;
      if (i + 1 < keys.size() && i + 1 < queries.size()) {
        const std::int64_t full = (at(keys, i + 1) - at(keys, i) - 1) * rule.page_size;
        low = std::clamp(at(queries, i + 1) - at(queries, i) - full, low, rule.high);
      }
      out.push_back(static_cast<double>(words.between(low, rule.high)));
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
      if (b + 1 >= bounds.size()) continue;  // of a file, and out of range
      const std::int64_t tokens = (at(bounds, b + 1) - at(bounds, b)) * rule.page_size;
      out[i] = static_cast<double>(std::max<std::int64_t>(tokens - left[b]--, 0));
    }
    return out;
  }

  Values slots(const ValueRule& rule, Words& words, std::int64_t range) const {
    Values out = shifted(distinct(words, std::min(count_, range), range), rule.low);
    out.resize(static_cast<std::size_t>(count_), -1);
    for (std::size_t i = 1; rule.padding && i < out.size(); ++i) {
      if (words.below(8) == 0) out[i] = -1;
    }
    return out;
  }

  Values sparse(const ValueRule& rule, Words& words, std::int64_t range) const {
    Values out;
    for (std::int64_t i = 0; i < count_; i += row_) {
      std::int64_t valid = rule.padding ? std::min(row_, range) : row_;
      if (rule.padding && i > 0 && words.below(4) == 0) valid = words.between(1, valid);
      const Values row = shifted(distinct(words, valid, range), rule.low);
      out.insert(out.end(), row.begin(), row.end());
      out.resize(static_cast<std::size_t>(i + row_), -1);
    }
    return out;
  }

  // The id in the high half of 32 bits, a bfloat16 weight in the low half.
  Values packed(const ValueRule& rule, Words& words, std::int64_t range) const {
    Values out = shifted(rows(words, range), rule.low);
    for (double& value : out) {
      const auto weight = static_cast<float>((0.5 + words.unit()) / static_cast<double>(row_));
      value = value * 65536 + static_cast<double>(std::bit_cast<std::uint32_t>(weight) >> 16);
    }
    return out;
  }

  // Half of them true, and one of each row at least.
  Values truths(Words& words) const {
    Values out;
    for (std::int64_t i = 0; i < count_; ++i) out.push_back(static_cast<double>(words.below(2)));
    for (std::int64_t i = 0; i < count_; i += row_)
      out[static_cast<std::size_t>(i + words.below(row_))] = 1;
    return out;
  }

  Values reals(ValueKind kind, Words& words) const {
    Values out;
    for (std::int64_t i = 0; i < count_; ++i)
      out.push_back(kind == fraction ? words.unit() : 0.5 + 1.5 * words.unit());
    return out;
  }

  const Problem& problem_;
  const ValuePlan& plan_;
  const DrawOptions& options_;
  std::vector<Values> values_;
  std::int64_t count_ = 0;  // of the input at hand
  std::int64_t row_ = 1;    // its last axis
};

}  // namespace

std::vector<std::vector<double>> draw_values(const Problem& problem, const ValuePlan& plan,
                                             const DrawOptions& options) {
  return Drawing(problem, plan, options).run();
}

}  // namespace kbench

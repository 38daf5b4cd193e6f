#include "problem/data/seen_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "problem/data/random.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

bool is_integer(DType dtype) { return info(dtype).kind == DTypeKind::integer; }

// Tells whether values that are drawn may be replaced by others.
bool is_drawn(const Problem& problem, std::size_t i) {
  const InputPlan& input = problem.inputs[i];
  return !input.tensor.is_scalar && std::holds_alternative<RandomInput>(input.source) &&
         element_count(input.tensor.shape) > 0;
}

bool is_free(const ValuePlan& plan, std::size_t i) { return i >= plan.size() || !plan[i]; }

// Tells whether an element may be any number that the reference looks for.
bool may_be_looked_for(const Problem& problem, const ValuePlan& plan, std::size_t i) {
  if (!is_drawn(problem, i) || !is_integer(problem.inputs[i].tensor.dtype)) return false;
  return is_free(plan, i) || (plan[i]->kind == ValueKind::ids && !plan[i]->distinct);
}

bool is_mask(const Problem& problem, const ValuePlan& plan, std::size_t i) {
  const bool is_bool = info(problem.inputs[i].tensor.dtype).kind == DTypeKind::boolean;
  return is_drawn(problem, i) && (is_free(plan, i) ? is_bool : plan[i]->kind == ValueKind::mask);
}

// Tells whether an input may have this value: what the workload says of its kind wins.
bool fits(const Problem& problem, const ValuePlan& plan, std::size_t i, std::int64_t value) {
  const auto* const given = std::get_if<RandomInput>(&problem.inputs[i].source);
  if (given != nullptr && given->kind && !is_free(plan, i) &&
      (value < plan[i]->low || value > plan[i]->high))
    return false;
  const int bits = info(problem.inputs[i].tensor.dtype).bits;
  return bits >= 64 ||
         (value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1));
}

// Elements of one drawn tensor, in place.
class Elements {
 public:
  Elements(const Problem& problem, const Structure& structure, std::size_t i, Inputs& inputs)
      : dtype_(problem.inputs[i].tensor.dtype),
        count_(element_count(problem.inputs[i].tensor.shape)),
        width_(problem.inputs[i].tensor.shape.empty()
                   ? 1
                   : static_cast<std::size_t>(problem.inputs[i].tensor.shape.back())),
        data_(inputs.memory.data() + inputs.values[i].offset),
        stream_{structure.seed, static_cast<std::uint32_t>(i) | 0x40000000U,
                structure.trial + structure.turn} {}

  std::size_t count() const { return count_; }
  std::size_t width() const { return width_; }
  std::size_t rows() const { return count_ / width_; }
  DType dtype() const { return dtype_; }

  // A whole number of up to 64 bits; doubles do not hold all of these.
  std::int64_t whole(std::size_t k) const {
    const Scalar value = element(dtype_, data_, k);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
    return std::holds_alternative<bool>(value) && std::get<bool>(value) ? 1 : 0;
  }
  void set(std::size_t k, std::int64_t value) {
    const std::size_t bytes = static_cast<std::size_t>(info(dtype_).bits) / 8;
    std::memcpy(data_ + k * bytes, &value, bytes);  // little endian
  }
  std::vector<double> row(std::size_t first, std::size_t count) const {
    std::vector<double> out(count);
    decode(dtype_, data_, first, std::span(out));
    return out;
  }
  void set_row(std::size_t first, std::span<const double> values) {
    encode(dtype_, values, data_, first);
  }
  // Random words of element k: two are its own.
  std::uint64_t words(std::size_t k) {
    const std::size_t group = k / (words_per_group / 2);
    if (group != group_) random_words(stream_, group * words_per_group, words_);
    group_ = group;
    const std::size_t at = k % (words_per_group / 2) * 2;
    return std::uint64_t{words_[at]} << 32 | words_[at + 1];
  }

 private:
  DType dtype_;
  std::size_t count_, width_;
  std::byte* data_;
  Stream stream_;
  std::array<std::uint32_t, words_per_group> words_{};
  std::size_t group_ = SIZE_MAX;
};

// Makes a matrix A of n rows symmetric, or A·Aᵀ/n + 1, whose eigenvalues are positive.
void make_symmetric(std::size_t n, bool is_definite, std::vector<double>& a) {
  const std::vector<double> from = a;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      double sum = from[r * n + c];
      if (is_definite) {
        sum = r == c ? 1 : 0;
        for (std::size_t k = 0; k < n; ++k)
          sum += from[r * n + k] * from[c * n + k] / static_cast<double>(n);
      }
      a[r * n + c] = a[c * n + r] = sum;
    }
  }
}

void meet_need(InputNeed need, Elements& elements) {
  const std::size_t width = elements.width();
  if (need == InputNeed::not_zero) {
    for (std::size_t k = 0; k < elements.count(); ++k)
      if (elements.whole(k) == 0) elements.set(k, 1);
  } else if (need == InputNeed::sorted) {
    for (std::size_t r = 0; r < elements.rows(); ++r) {
      std::vector<double> row = elements.row(r * width, width);
      std::sort(row.begin(), row.end(),
                [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
      elements.set_row(r * width, row);
    }
  } else if (need != InputNeed::none) {
    for (std::size_t at = 0; at + width * width <= elements.count(); at += width * width) {
      std::vector<double> matrix = elements.row(at, width * width);
      make_symmetric(width, need == InputNeed::definite, matrix);
      elements.set_row(at, matrix);
    }
  }
}

// Puts what the reference looks for at one of eight places.
void look_for(const SeenUse& use, Elements& elements) {
  for (std::size_t k = 0; k < elements.count(); ++k) {
    const std::uint64_t word = elements.words(k);
    const bool is_last_row = elements.width() < elements.count() && elements.rows() > 3 &&
                             k >= elements.count() - elements.width();
    if (is_last_row || word % 8 == 0)
      elements.set(k, use.compared[(word >> 8) % use.compared.size()]);
  }
}

void mark(const Structure& structure, std::size_t i, std::string_view as, Inputs& inputs) {
  std::string& origin = inputs.values[i].origin;
  origin = fmt::format("{} {}.{} of {}", as, structure.trial, structure.turn, origin);
}

std::string text_of(const SeenUse& use) {
  return fmt::format("seen [{}] {} {}", fmt::join(use.compared, ","), use.index_of.value_or(-1),
                     static_cast<int>(use.need));
}

// Parts of a use that an input's values follow.
SeenUse followed(const SeenUse& use, const Problem& problem, const ValuePlan& plan, std::size_t i) {
  SeenUse out;
  if (!is_drawn(problem, i)) return out;
  if (may_be_looked_for(problem, plan, i)) out.compared = use.compared;
  if (!is_free(plan, i)) return out;
  out.need = use.need;
  if (use.index_of.value_or(0) > 0 && is_integer(problem.inputs[i].tensor.dtype))
    out.index_of = use.index_of;
  return out;
}

}  // namespace

bool learn(const SeenUses& seen, const Problem& problem, const ValuePlan& plan, SeenUses& known) {
  known.resize(problem.inputs.size());
  bool is_new = false;
  for (std::size_t i = 0; i < std::min(seen.size(), known.size()); ++i) {
    const SeenUse before = followed(known[i], problem, plan, i);
    std::vector<std::int64_t>& all = known[i].compared;
    for (const std::int64_t value : seen[i].compared)
      if (std::ranges::count(all, value) == 0 && fits(problem, plan, i, value))
        all.push_back(value);
    if (seen[i].index_of) known[i].index_of = seen[i].index_of;
    known[i].need = std::max(known[i].need, seen[i].need);
    is_new = is_new || followed(known[i], problem, plan, i) != before;
  }
  return is_new;
}

void adapt(const Problem& problem, const ValuePlan& plan, const SeenUses& known,
           const Structure& structure, Inputs& inputs) {
  for (std::size_t i = 0; i < known.size(); ++i) {
    const SeenUse use = followed(known[i], problem, plan, i);
    if (use == SeenUse()) continue;
    Elements elements(problem, structure, i, inputs);
    for (std::size_t k = 0; use.index_of && k < elements.count(); ++k)
      elements.set(k, (elements.whole(k) % *use.index_of + *use.index_of) % *use.index_of);
    if (!use.compared.empty()) look_for(use, elements);
    meet_need(use.need, elements);
    mark(structure, i, text_of(use), inputs);
  }
}

namespace {

// Numbers of up to so many bits, a quarter of them of half as many; all below 0 in the second turn.
void make_large(const Structure& structure, int bits, Elements& elements) {
  for (std::size_t k = 0; k < elements.count(); ++k) {
    const std::uint64_t word = elements.words(k);
    const int kept = word % 4 == 0 ? (bits + 1) / 2 : bits;
    const auto size = static_cast<std::int64_t>((word >> 3 & ((std::uint64_t{1} << kept) - 1)) | 1);
    const bool is_below = structure.turn == 1 || (word >> 2 & 1) != 0;
    elements.set(k, is_below ? -size : size);
  }
}

// Fills each third row, from the first on.
void make_rows(bool value, Elements& elements) {
  for (std::size_t r = 0; r < elements.rows(); r += 3)
    for (std::size_t c = 0; c < elements.width(); ++c)
      elements.set(r * elements.width() + c, value ? 1 : 0);
}

bool may_be_large(const Problem& problem, const ValuePlan& plan, const SeenUse& use,
                  std::size_t i) {
  const DType dtype = problem.inputs[i].tensor.dtype;
  return is_drawn(problem, i) && is_free(plan, i) && !use.index_of && is_integer(dtype) &&
         info(dtype).bits > 8;
}

}  // namespace

bool make_whole_numbers(const Problem& problem, const ValuePlan& plan, const SeenUses& known,
                        const WholeNumbers& set, Inputs& inputs) {
  const Structure& structure = set.structure;
  bool has_varied = false;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const SeenUse use = i < known.size() ? known[i] : SeenUse();
    Elements elements(problem, structure, i, inputs);
    if (structure.set == InputSet::large_integers && may_be_large(problem, plan, use, i)) {
      make_large(structure, std::min(set.bits, info(elements.dtype()).bits - 1), elements);
      meet_need(use.need, elements);
    } else if (structure.set == InputSet::constants && use.compared.size() > structure.turn &&
               may_be_looked_for(problem, plan, i)) {
      for (std::size_t k = 0; k < elements.count(); ++k)
        elements.set(k, use.compared[structure.turn]);
    } else if (structure.set == InputSet::masks && is_mask(problem, plan, i)) {
      make_rows(structure.turn == 1, elements);
    } else {
      continue;
    }
    has_varied = true;
    mark(structure, i, fmt::format("{} {}", set_name(structure.set), set.bits), inputs);
  }
  return has_varied;
}

std::uint32_t turns_of_whole_numbers(const SeenUses& known, InputSet set) {
  if (set != InputSet::constants) return 2;
  std::size_t most = 0;
  for (const SeenUse& use : known) most = std::max(most, use.compared.size());
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(most, 1, 4));
}

}  // namespace kbench

#include "problem/data/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "problem/data/random.hpp"
#include "problem/data/reference_facts.hpp"
#include "problem/data/row_kinds.hpp"
#include "problem/element.hpp"
#include "schema/check_function.hpp"

namespace kbench {
namespace {

// Narrower dtypes are stored data, which has been calculated once and is finite.
bool may_be_special(DType dtype) { return info(dtype).bits >= 16; }

bool is_free(const Problem& problem, const ValuePlan& plan, std::size_t i) {
  const InputPlan& input = problem.inputs[i];
  const bool is_planned = i < plan.size() && plan[i].has_value();
  const bool is_probability = problem.op_type == "sampling" && input.tensor.name == "probs";
  return !input.tensor.is_scalar && info(input.tensor.dtype).kind == DTypeKind::floating &&
         std::holds_alternative<RandomInput>(input.source) && !is_planned && !is_probability;
}

class Restructurer {
 public:
  Restructurer(const Definition& definition, const Problem& problem, const ValuePlan& plan,
               const Structure& structure, Inputs* inputs)
      : definition_(definition),
        problem_(problem),
        plan_(plan),
        structure_(structure),
        inputs_(inputs),
        kinds_(kinds_of_rows(structure.set, text_without_check(definition))) {
    for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
      if (is_free(problem, plan, i) && element_count(problem.inputs[i].tensor.shape) > 0)
        free_.push_back(i);
    }
    random_words({structure.seed, 0xFFFFFFFFU, structure.trial + structure.turn}, 0,
                 cluster_words_);
  }

  bool run() {
    switch (structure_.set) {
      case InputSet::exact:
        return make_exact();
      case InputSet::keeping:
        return make_keeping();
      case InputSet::mixed:
      case InputSet::special:
      case InputSet::clustered:
        return make_rows();
      default:
        return false;
    }
  }

  std::uint32_t turns() const {
    std::size_t most = 1;
    for (const std::size_t i : taken()) {
      const std::size_t runs = has_companion(i) ? 2 : 1;
      const std::size_t rows = runs * kinds_in(rows_of(i), kinds_).size();
      most = std::max(most, (rows + rows_of(i) - 1) / rows_of(i));
    }
    return static_cast<std::uint32_t>(most);
  }

 private:
  const TensorPlan& tensor(std::size_t i) const { return problem_.inputs[i].tensor; }
  std::byte* data(std::size_t i) { return inputs_->memory.data() + inputs_->values[i].offset; }
  void mark(std::size_t i) {
    std::string& origin = inputs_->values[i].origin;
    origin = fmt::format("{} {}.{} of {}", set_name(structure_.set), structure_.trial,
                         structure_.turn, origin);
  }
  std::size_t width_of(std::size_t i) const {
    return static_cast<std::size_t>(tensor(i).shape.empty() ? 1 : tensor(i).shape.back());
  }
  std::size_t rows_of(std::size_t i) const { return element_count(tensor(i).shape) / width_of(i); }

  static constexpr std::size_t all_tensors = 0x7FFFFFFE;  // the place of none

  // Words of a stream that no random tensor has.
  void words(std::size_t i, std::uint64_t first, std::span<std::uint32_t> out) const {
    random_words({structure_.seed, static_cast<std::uint32_t>(i) | 0x80000000U, structure_.trial},
                 first, out);
  }

  double largest_sum() const {
    double largest = 0x1p24;  // float32 sums it
    for (const TensorPlan& output : problem_.outputs) {
      if (info(output.dtype).kind == DTypeKind::floating)
        largest = std::min(largest, 1 / unit_roundoff(output.dtype));
    }
    return largest;
  }

  // Keeps Σ of |products| below largest_sum(), by small numbers, else by few in the largest tensor:
  // of a product with one row, zeros in the row would hide what is lost.
  bool make_exact() {
    if (free_.empty()) return false;
    const double term = largest_sum() / reduction_length(definition_, problem_);
    // One tensor alone may be squared, and the difference of two as well.
    const double factors = std::max<double>(static_cast<double>(free_.size()), 2);
    const double each = std::max(1.0, std::floor(std::pow(term / 2, 1 / factors) + 1e-9));
    const std::size_t largest =
        *std::max_element(free_.begin(), free_.end(), [this](std::size_t a, std::size_t b) {
          return element_count(tensor(a).shape) < element_count(tensor(b).shape);
        });
    for (const std::size_t i : free_) {
      const double magnitude = std::min(each, reach_of(tensor(i).dtype).integer);
      const bool is_sparse = i == largest && term < 1;
      fill_integers(i, magnitude, is_sparse ? 0.75 * term : 1);
      if (is_sparse) fill_edges(i);
      end_with(i, i == free_.front() ? magnitude : -std::max(1.0, magnitude - 1));
      mark(i);
    }
    return true;
  }

  // Sets the last element, which a sum that ends too early loses: no smaller than others, and not 0
  // in the difference or (from magnitude 2 on) the sum of two tensors.
  void end_with(std::size_t i, double value) {
    encode(tensor(i).dtype, std::span<const double>(&value, 1), data(i),
           element_count(tensor(i).shape) - 1);
  }

  // Fills a tensor with ±1 to ±magnitude, and 0 but for `density` of the elements.
  void fill_integers(std::size_t i, double magnitude, double density) {
    const std::size_t count = element_count(tensor(i).shape);
    const auto range = static_cast<std::uint32_t>(magnitude);
    const auto kept = static_cast<std::uint32_t>(density * 0x1p16);
    std::array<std::uint32_t, 2048> word{};
    std::array<float, 2048> value{};
    for (std::size_t first = 0; first < count; first += word.size()) {
      const std::size_t part = std::min(word.size(), count - first);
      words(i, first, std::span(word).first(part));
      for (std::size_t k = 0; k < part; ++k) {
        const bool is_kept = (word[k] & 0xffff) < kept;
        const auto size = static_cast<float>(1 + (word[k] >> 16 & 0x7fff) % range);
        value[k] = !is_kept ? 0 : word[k] >> 31 != 0 ? -size : size;
      }
      encode(tensor(i).dtype, std::span<const float>(value).first(part), data(i), first);
    }
  }

  // Fills rows that are mostly zeros.
  void fill_edges(std::size_t i) {
    const TensorPlan& plan = tensor(i);
    const auto width = static_cast<std::size_t>(plan.shape.empty() ? 1 : plan.shape.back());
    if (width < 256) return;  // edges would be too many
    const std::vector<std::size_t> places = edges(width);
    std::array<std::uint32_t, words_per_group> word{};
    const std::size_t rows = element_count(plan.shape) / width;
    for (std::size_t r = 0; r < rows; ++r) {
      words(i, (rows + r) * width / words_per_group * words_per_group, word);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const double sign = word[k] >> 31 != 0 ? -1 : 1;
        encode(plan.dtype, std::span(&sign, 1), data(i), r * width + places[k]);
      }
    }
  }

  bool is_in_an_output(const std::string& axis, bool last) const {
    return std::any_of(definition_.outputs.begin(), definition_.outputs.end(), [&](const auto& o) {
      const auto& shape = o.second.shape;
      if (!shape || shape->empty()) return false;
      return last ? shape->back() == axis
                  : std::find(shape->begin(), shape->end(), axis) != shape->end();
    });
  }

  // Tells whether its rows are rows of an output.
  bool has_own_rows(std::size_t i) const {
    const TensorSpec* spec = definition_.inputs.find(tensor(i).name);
    if (spec == nullptr || !spec->shape || spec->shape->size() < 2) return false;
    return std::all_of(spec->shape->begin(), spec->shape->end() - 1,
                       [this](const std::string& axis) { return is_in_an_output(axis, false); });
  }

  // Tells whether another tensor has a row for each of its rows, which may be added to it: their
  // sum is all small, or all 0, only where both rows are.
  bool has_companion(std::size_t i) const {
    if (structure_.set != InputSet::mixed || !has_own_rows(i)) return false;
    const auto leading = [this](std::size_t k) {
      const auto& shape = *definition_.inputs.find(tensor(k).name)->shape;
      return std::span(shape.data(), shape.size() - 1);
    };
    return std::any_of(free_.begin(), free_.end(), [&](std::size_t k) {
      return k != i && may_take(k) && has_own_rows(k) && std::ranges::equal(leading(k), leading(i));
    });
  }

  bool is_vector(std::size_t i) const {
    const TensorSpec* spec = definition_.inputs.find(tensor(i).name);
    return spec != nullptr && spec->shape && spec->shape->size() == 1;
  }

  bool may_take(std::size_t i) const {
    return structure_.set != InputSet::special || may_be_special(tensor(i).dtype);
  }

  std::vector<std::size_t> taken() const {
    std::vector<std::size_t> out;
    if (kinds_.empty()) return out;
    const auto take = [&](bool (Restructurer::*is_wanted)(std::size_t) const) {
      for (const std::size_t i : free_)
        if (may_take(i) && (this->*is_wanted)(i)) out.push_back(i);
    };
    take(&Restructurer::has_own_rows);
    if (out.empty()) take(&Restructurer::is_vector);
    return out;
  }

  bool make_rows() {
    const std::vector<std::size_t> all = taken();
    for (const std::size_t i : all) {
      mix(i);
      mark(i);
    }
    return !all.empty();
  }

  // Each kind comes once in every run of as many rows as there are kinds, from a random one on: in
  // every second run the same one for all tensors, whose rows fall together then. The tensors of
  // all turns are one list of rows.
  void mix(std::size_t i) {
    const TensorPlan& plan = tensor(i);
    const std::size_t width = width_of(i), rows = rows_of(i);
    const std::vector<RowKind> kinds = kinds_in(rows, kinds_);
    std::vector<double> row(width);
    std::array<std::uint32_t, words_per_group> word{};
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t place = structure_.turn * rows + r;
      const std::size_t run = place / kinds.size();
      words(run % 2 == 0 ? i : all_tensors, run * words_per_group, word);
      const RowKind kind = kinds[(place + word[0]) % kinds.size()];
      if (kind == RowKind::plain) continue;
      decode(plan.dtype, data(i), r * width, std::span(row));
      shape_row(kind, reach_of(plan.dtype), chance(word, place, width), row);
      encode(plan.dtype, std::span<const double>(row), data(i), r * width);
    }
  }

  // Clusters lie at the same places in all rows: who deals elements out by place has all in one.
  Chance chance(std::span<const std::uint32_t> word, std::size_t place, std::size_t width) const {
    const std::size_t run = place / kinds_.size();
    if (structure_.set != InputSet::clustered) {
      const std::size_t first = 1 + place % kinds_.size();
      return {word.subspan(first), run, 1};
    }
    return {std::span(cluster_words_), run, chosen_of(width)};
  }

  // Elements that the outputs have room for; where they do not tell, more than most choose.
  std::size_t chosen_of(std::size_t width) const {
    std::size_t least = 0;
    for (const TensorPlan& output : problem_.outputs) {
      if (output.shape.size() < 2) continue;
      const auto last = static_cast<std::size_t>(output.shape.back());
      if (last > 0 && last < width && (least == 0 || last < least)) least = last;
    }
    return least > 0 ? least : 64;
  }

  // Shifts gates so far that about 1/e of what there was is left at the end.
  bool make_keeping() {
    const ReferenceFacts facts = reference_facts(definition_);
    if (!facts.recurs) return false;
    const double steps = steps_of_recurrence();
    bool has_gate = false;
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const auto gate = facts.gates.find(tensor(i).name);
      if (gate != facts.gates.end() && std::find(free_.begin(), free_.end(), i) != free_.end()) {
        const double shift = gate->second * std::log(steps);
        change(i, [=](double x) { return x + shift; });
      } else if (is_fraction(i)) {
        change(i, [=](double x) { return 1 - x / steps; });
      } else {
        continue;
      }
      mark(i);
      has_gate = true;
    }
    return has_gate;
  }

  bool is_fraction(std::size_t i) const {
    return i < plan_.size() && plan_[i] && plan_[i]->kind == ValueKind::fraction &&
           !tensor(i).is_scalar;
  }

  // The longest axis but the last ones, which are of channels: unless there are vectors alone.
  // Steps beyond a few thousand round to no gate.
  double steps_of_recurrence() const {
    std::int64_t longest = 0, of_vectors = 8;
    for (const std::size_t i : free_) {
      const auto& shape = tensor(i).shape;
      if (shape.size() == 1) of_vectors = std::max(of_vectors, shape[0]);
      for (std::size_t d = 0; d + 1 < shape.size(); ++d) longest = std::max(longest, shape[d]);
    }
    if (longest == 0) longest = of_vectors;
    return static_cast<double>(std::clamp<std::int64_t>(longest, 8, 4096));
  }

  template <class Function>
  void change(std::size_t i, const Function& function) {
    const std::size_t count = element_count(tensor(i).shape);
    std::array<double, 1024> value{};
    for (std::size_t first = 0; first < count; first += value.size()) {
      const auto part = std::span(value).first(std::min(value.size(), count - first));
      decode(tensor(i).dtype, data(i), first, part);
      for (double& x : part) x = function(x);
      encode(tensor(i).dtype, std::span<const double>(part), data(i), first);
    }
  }

  const Definition& definition_;
  const Problem& problem_;
  const ValuePlan& plan_;
  const Structure& structure_;
  Inputs* inputs_;
  std::vector<RowKind> kinds_;
  std::array<std::uint32_t, words_per_group> cluster_words_{};
  std::vector<std::size_t> free_;
};

}  // namespace

std::string_view set_name(InputSet set) {
  constexpr std::string_view names[] = {"random",         "exact",     "mixed",  "special",
                                        "clustered",      "keeping",   "skewed", "empty",
                                        "large_integers", "constants", "masks"};
  return names[static_cast<std::size_t>(set)];
}

bool restructure(const Definition& definition, const Problem& problem, const ValuePlan& plan,
                 const Structure& structure, Inputs& inputs) {
  return Restructurer(definition, problem, plan, structure, &inputs).run();
}

std::uint32_t turns_of(const Definition& definition, const Problem& problem, const ValuePlan& plan,
                       InputSet set) {
  if (set == InputSet::skewed) return 2;
  const Structure structure{.set = set};
  return Restructurer(definition, problem, plan, structure, nullptr).turns();
}

Skew skew_of(InputSet set, std::uint32_t turn) {
  if (set == InputSet::empty) return Skew::empty;
  if (set != InputSet::skewed) return Skew::none;
  return turn == 0 ? Skew::high : Skew::low;
}

}  // namespace kbench

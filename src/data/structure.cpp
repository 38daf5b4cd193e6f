#include "data/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "data/philox.hpp"
#include "data/row_kind.hpp"
#include "problem/element.hpp"
#include "problem/work.hpp"

namespace kbench {
namespace {

constexpr std::array mixed_kinds{RowKind::needles, RowKind::plain,  RowKind::down,
                                 RowKind::pairs,   RowKind::up,     RowKind::zero,
                                 RowKind::peaks,   RowKind::offset, RowKind::tiny};
constexpr std::array special_kinds{RowKind::masked_start, RowKind::plain,       RowKind::nan,
                                   RowKind::masked_end,   RowKind::plain,       RowKind::infinite,
                                   RowKind::masked,       RowKind::masked_some, RowKind::plain};
static_assert(mixed_kinds.size() == special_kinds.size());
using Kinds = std::span<const RowKind, mixed_kinds.size()>;

// Narrower ones are stored data, which has been calculated once and is finite.
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
               const Structure& structure, Inputs& inputs)
      : definition_(definition), problem_(problem), structure_(structure), inputs_(inputs) {
    for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
      if (is_free(problem, plan, i) && element_count(problem.inputs[i].tensor.shape) > 0)
        free_.push_back(i);
    }
  }

  bool run() {
    switch (structure_.set) {
      case InputSet::exact:
        return make_exact();
      case InputSet::mixed:
        return make_rows(mixed_kinds, [](DType) { return true; });
      case InputSet::special:
        return make_rows(special_kinds, may_be_special);
      case InputSet::random:
        break;
    }
    return false;
  }

 private:
  const TensorPlan& tensor(std::size_t i) const { return problem_.inputs[i].tensor; }
  std::byte* data(std::size_t i) { return inputs_.memory.data() + inputs_.values[i].offset; }
  void mark(std::size_t i) {
    std::string& origin = inputs_.values[i].origin;
    origin = fmt::format("{} {} of {}", set_name(structure_.set), structure_.trial, origin);
  }

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

  // Σ of |products| stays below largest_sum(): by small numbers, else by few in the largest tensor:
  // of a product with one row, zeros in the row would hide what is lost.
  bool make_exact() {
    if (free_.empty()) return false;
    const double term = largest_sum() / reduction_length(definition_, problem_);
    const double each =
        std::floor(std::pow(std::max(term, 1.0), 1.0 / static_cast<double>(free_.size())) + 1e-9);
    const std::size_t largest =
        *std::max_element(free_.begin(), free_.end(), [this](std::size_t a, std::size_t b) {
          return element_count(tensor(a).shape) < element_count(tensor(b).shape);
        });
    for (const std::size_t i : free_) {
      const double magnitude = std::min(each, reach_of(tensor(i).dtype).integer);
      const bool is_sparse = i == largest && term < 1;
      fill_integers(i, magnitude, is_sparse ? 0.75 * term : 1);
      if (is_sparse) fill_edges(i);
      mark(i);
    }
    return true;
  }

  // ±1 to ±magnitude, and 0 but for `density` of the elements.
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

  // Of rows that are mostly zeros.
  void fill_edges(std::size_t i) {
    const TensorPlan& plan = tensor(i);
    const auto width = static_cast<std::size_t>(plan.shape.empty() ? 1 : plan.shape.back());
    if (width < 256) return;  // too many of them
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

  // Whether its rows are rows of an output.
  bool has_own_rows(std::size_t i) const {
    const TensorSpec* spec = definition_.inputs.find(tensor(i).name);
    if (spec == nullptr || !spec->shape || spec->shape->size() < 2) return false;
    return std::all_of(spec->shape->begin(), spec->shape->end() - 1,
                       [this](const std::string& axis) { return is_in_an_output(axis, false); });
  }

  bool is_vector(std::size_t i) const {
    const TensorSpec* spec = definition_.inputs.find(tensor(i).name);
    return spec != nullptr && spec->shape && spec->shape->size() == 1;
  }

  bool make_rows(Kinds kinds, bool (*may_be)(DType)) {
    std::vector<std::size_t> taken;
    const auto take = [&](bool (Restructurer::*is_wanted)(std::size_t) const) {
      for (const std::size_t i : free_)
        if (may_be(tensor(i).dtype) && (this->*is_wanted)(i)) taken.push_back(i);
    };
    take(&Restructurer::has_own_rows);
    if (taken.empty()) take(&Restructurer::is_vector);
    for (const std::size_t i : taken) {
      mix(i, kinds);
      mark(i);
    }
    return !taken.empty();
  }

  // In every run of as many rows as there are kinds each kind comes once, from a random one on.
  void mix(std::size_t i, Kinds kinds) {
    const TensorPlan& plan = tensor(i);
    const auto width = static_cast<std::size_t>(plan.shape.back());
    const std::size_t rows = element_count(plan.shape) / width;
    std::vector<double> row(width);
    std::array<std::uint32_t, words_per_group> word{};
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t run = r / kinds.size();
      words(i, run * words_per_group, word);
      const RowKind kind =
          rows == 1 ? lone_kind(kinds, word[0]) : kinds[(r + word[0]) % kinds.size()];
      if (kind == RowKind::plain) continue;
      decode(plan.dtype, data(i), r * width, std::span(row));
      const Chance chance{std::span(word).subspan(1 + r % kinds.size()), run,
                          (run + structure_.seed) % 2 == 0};
      shape_row(kind, reach_of(plan.dtype), chance, row);
      encode(plan.dtype, std::span<const double>(row), data(i), r * width);
    }
  }

  // Not a plain one.
  static RowKind lone_kind(Kinds kinds, std::uint32_t word) {
    std::vector<RowKind> unlike;
    std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(unlike),
                 [](RowKind kind) { return kind != RowKind::plain; });
    return unlike[word % unlike.size()];
  }

  const Definition& definition_;
  const Problem& problem_;
  const Structure& structure_;
  Inputs& inputs_;
  std::vector<std::size_t> free_;
};

}  // namespace

std::string_view set_name(InputSet set) {
  switch (set) {
    case InputSet::random:
      return "random";
    case InputSet::exact:
      return "exact";
    case InputSet::mixed:
      return "mixed";
    case InputSet::special:
      return "special";
  }
  return "random";
}

bool restructure(const Definition& definition, const Problem& problem, const ValuePlan& plan,
                 const Structure& structure, Inputs& inputs) {
  return Restructurer(definition, problem, plan, structure, inputs).run();
}

}  // namespace kbench

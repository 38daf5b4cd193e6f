// Origin of a reference's integer output, as its double run found out: indices that an operator
// chose by scores or drew by weights, or numbers rounded to integers. Such outputs are judged by
// it: two honest programs may choose one each of two equal scores.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kbench {

enum class ChoiceKind : std::int64_t {
  greatest,  // topk, argmax, max, sort
  least,     // topk with largest=False, argmin, min, sort
  drawn,     // multinomial
};

// Order in which the options were picked.
enum class PickOrder : std::int64_t {
  none,
  best_first,  // topk, argmax
  sorted,      // sort: where all are picked, the order is all that the indices say
  stable,      // sort that keeps equal ones as they came
};

// One row of an operator that chooses: of `options` scores it picked `picked`.
struct ChoiceRow {
  ChoiceKind kind = ChoiceKind::greatest;
  PickOrder order = PickOrder::none;
  std::int64_t picked = 0;
  std::int64_t options = 0;
  std::int64_t is_input = 0;  // 1: the scores are an input's elements, no arithmetic is in them
};

// Choices, row after row. Elements of the output that are in no row are compared to the bit.
struct Chosen {
  std::span<const ChoiceRow> rows;
  std::span<const std::int64_t> slots;    // places in the output, Σ picked
  std::span<const std::int64_t> options;  // values written for the scores, Σ options; empty: their
                                          // indices in the row
  std::span<const double> scores, condition;  // Σ options; M of criterion K, unmoderated
};

enum class Rounding : std::int64_t { none, nearest, down, up, toward_zero };

// The numbers before they were rounded, for each element of the output.
struct RoundedFrom {
  Rounding rounding = Rounding::none;
  std::span<const double> values, condition;
};

// Another element that an integer output had when the reference's inputs were moved a little; for
// float4 a byte of two elements.
struct Alternate {
  std::int64_t index = 0, value = 0;
  auto operator<=>(const Alternate&) const = default;
};

// Results of runs whose inputs were all moved by up to one size: the elements seen, sorted and
// without repeats, and the mean number of elements that differed in a run.
struct Alternates {
  std::span<const Alternate> seen;
  double per_run = 0;
};

// Operators of torch by their names, without "aten::" and the "_" of those that work in place.
struct Chooser {
  std::string_view name;
  bool is_greatest = false;   // greatest by default
  bool gives_values = false;  // returns (values, indices), else indices alone
  bool is_ordered = false;    // ordered by default
  bool is_sort = false;
  bool is_traced = true;  // the double run keeps its scores
};
inline constexpr Chooser choosers[] = {
    {.name = "topk", .is_greatest = true, .gives_values = true, .is_ordered = true},
    {.name = "argmax", .is_greatest = true, .is_ordered = true},
    {.name = "argmin", .is_ordered = true},
    {.name = "max", .is_greatest = true, .gives_values = true, .is_ordered = true},
    {.name = "min", .gives_values = true, .is_ordered = true},
    {.name = "sort", .gives_values = true, .is_ordered = true, .is_sort = true},
    {.name = "argsort", .is_ordered = true, .is_sort = true},
    {.name = "multinomial", .is_greatest = true},
    {.name = "kthvalue", .gives_values = true, .is_traced = false},
    {.name = "mode", .gives_values = true, .is_traced = false}};

struct Rounder {
  std::string_view name;
  Rounding rounding;
};
inline constexpr Rounder rounders[] = {{"round", Rounding::nearest},
                                       {"floor", Rounding::down},
                                       {"ceil", Rounding::up},
                                       {"trunc", Rounding::toward_zero}};

// The row of an operator, "aten::round_"; nullptr: there is none.
template <typename Row, std::size_t Count>
constexpr const Row* find_operator(const Row (&table)[Count], std::string_view name) {
  constexpr std::string_view space = "aten::";
  if (name.starts_with(space)) name.remove_prefix(space.size());
  if (name.ends_with('_')) name.remove_suffix(1);
  for (const Row& row : table)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace kbench

// Judgement of an output of chosen indices, by the scores of what was chosen. A program may choose
// either of two scores that honest arithmetic cannot tell apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "problem/origin.hpp"
#include "problem/tensor_view.hpp"
#include "verdict/error_tolerance.hpp"

namespace kbench {

// One row of scores and the elements of the output that were chosen by it.
class ChoiceRowView {
 public:
  // `first_slot` slots and `first_option` options belong to rows before it.
  ChoiceRowView(const Chosen& chosen, const ChoiceRow& row, std::size_t first_slot,
                std::size_t first_option);

  const ChoiceRow& row() const { return *row_; }
  std::size_t slot(std::size_t pick) const { return static_cast<std::size_t>(slots_[pick]); }
  std::span<const double> scores() const { return scores_; }
  std::span<const double> condition() const { return condition_; }
  // Returns what the output holds for an option, and which option a value stands for.
  std::int64_t value(std::size_t option) const;
  std::optional<std::size_t> option(std::int64_t value) const;

 private:
  const ChoiceRow* row_;
  std::span<const std::int64_t> slots_, options_;
  std::span<const double> scores_, condition_;
  std::unordered_map<std::int64_t, std::size_t> option_of_;  // filled if there is a table
};

// All rows of an output. The Chosen must outlive it.
std::vector<ChoiceRowView> rows_of(const Chosen& chosen);

// An output's choices, with the scale of its scores' errors.
struct Choice {
  Chosen chosen;
  int runs = 0;  // perturbed runs
  KScale scale;
  bool in_order = false;  // the picks' order matters: other outputs go with it
};

// Tells whether some of it is drawn (verdict/draws.hpp).
bool has_draws(const Choice& choice);

// Elements of an output that are no right choice.
struct ChoiceMisses {
  std::vector<bool> missed;  // one an element of the output
  std::size_t count = 0;
  double margin = 0;          // the largest part of an allowed difference of scores
  double max_difference = 0;  // largest difference of scores
  std::string first;          // fault of the first one, for people
};

// Judges by criterion K: a pick's score may be below that of the pick in the same place of the best
// ones by 6 σ of each, but not at all where the scores are an input's own elements. Picks must be
// options of their row, none twice. Draws need only be options (verdict/draws.hpp). Any other
// element must be what the reference has.
ChoiceMisses choice_misses(const TensorView& output, const TensorView& reference,
                           const Choice& choice);

}  // namespace kbench

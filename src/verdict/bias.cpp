#include "verdict/bias.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "verdict/condition_estimate.hpp"
#include "verdict/error_block.hpp"

namespace kbench {
namespace {

constexpr double standard_errors = 6;
constexpr double of_one_factor = 1.1, of_two_factors = 2.2;  // roundoffs
constexpr double fewest_rows = 4;                            // rows that tell how unlike they are

// Standard deviation of a factor, over rows that share an error each, up to a roundoff, when their
// spread is unknown.
double unknown_spread(double roundoff, double rows) {
  return roundoff / std::numbers::sqrt3 / std::sqrt(std::max(rows, 1.0));
}

}  // namespace

void BiasTerm::add(const BiasTerm& other) {
  product += other.product;
  square += other.square;
  coherent += other.coherent;
}

void BiasTally::add_row(const BiasTerm& row) {
  if (row.square == 0) return;
  all.add(row);
  ++rows;
  products += row.product * row.product;
  products_squares += row.product * row.square;
  squares += row.square * row.square;
}

void BiasTally::add(const BiasTally& other) {
  all.add(other.all);
  rows += other.rows;
  products += other.products;
  products_squares += other.products_squares;
  squares += other.squares;
  roundoff = std::max(roundoff, other.roundoff);
}

Bias bias_of(const BiasTally& tally) {
  if (tally.all.square == 0) return {};
  const double part = tally.all.product / tally.all.square;
  const double spread = std::sqrt(std::max(0.0, tally.products - 2 * part * tally.products_squares +
                                                    part * part * tally.squares)) /
                        tally.all.square;
  const double alone = 1 / std::sqrt(tally.all.square);  // error where rows share nothing
  const double error = tally.rows < fewest_rows
                           ? std::hypot(alone, unknown_spread(tally.roundoff, tally.rows))
                           : std::max(alone, spread * student_widening(tally.rows - 1));
  const double shared = of_one_factor * tally.roundoff * tally.all.coherent / tally.all.square;
  return {part, shared + standard_errors * error};
}

Bias bias_of_slice(const BiasTerm& slice, double roundoff) {
  if (slice.square == 0) return {};
  const double shared = of_two_factors * roundoff * slice.coherent / slice.square;
  return {slice.product / slice.square, shared + standard_errors / std::sqrt(slice.square)};
}

BiasSums::BiasSums(const std::vector<std::int64_t>& shape, double roundoff) {
  tally_.roundoff = roundoff;
  last_axis_ = shape.empty() ? 0 : shape.size() - 1;
  std::size_t inner = 1;
  for (std::size_t axis = last_axis_; axis-- > 0;) {
    const auto length = static_cast<std::size_t>(shape[axis]);
    if (length > 1) axes_.push_back({axis, inner, std::vector<BiasTerm>(length)});
    inner *= length;
  }
  if (shape.size() < 2) return;
  for (std::vector<double>& sums : columns_) sums.resize(static_cast<std::size_t>(shape.back()));
}

void BiasSums::add(std::size_t column, const BiasTerms& terms) {
  const std::size_t count = terms.product.size();
  if (columns_[0].empty()) {  // each element is a row
    for (std::size_t k = 0; k < count; ++k)
      tally_.add_row({terms.product[k], terms.square[k], terms.coherent[k]});
    return;
  }
  row_.add({sum(terms.product), sum(terms.square), sum(terms.coherent)});
  const std::span<const double> parts[] = {terms.product, terms.square, terms.coherent};
  for (std::size_t k = 0; k < columns_.size(); ++k)
    add_to(std::span(columns_[k]).subspan(column, count), parts[k]);
}

void BiasSums::end_row(std::size_t row) {
  tally_.add_row(row_);
  for (Axis& axis : axes_) axis.sums[row / axis.inner % axis.sums.size()].add(row_);
  row_ = {};
}

std::optional<BiasedSlice> BiasSums::worst_slice() const {
  std::optional<BiasedSlice> worst;
  const auto look = [&](std::size_t axis, const std::vector<BiasTerm>& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Bias bias = bias_of_slice(sums[i], tally_.roundoff);
      if (!worst || bias.part_of_limit() > worst->bias.part_of_limit())
        worst = BiasedSlice{axis, static_cast<std::int64_t>(i), bias};
    }
  };
  for (const Axis& axis : axes_) look(axis.axis, axis.sums);
  std::vector<BiasTerm> columns;
  for (std::size_t k = 0; k < columns_[0].size(); ++k)
    columns.push_back({columns_[0][k], columns_[1][k], columns_[2][k]});
  if (columns.size() > 1) look(last_axis_, columns);
  return worst;
}

}  // namespace kbench

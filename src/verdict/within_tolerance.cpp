#include "verdict/within_tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problem/element.hpp"
#include "verdict/error_block.hpp"

namespace kbench {

std::size_t rows_that_count(std::size_t rows, const KScale& scale) {
  return scale.shares_an_error ? std::min(rows, k_rows_of_one_error) : rows;
}

SliceSums::SliceSums(const std::vector<std::int64_t>& shape, const KScale& scale)
    : scale_(scale), in_a_row_(scale.stands_alone ? row_length(shape) : 1) {
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis)
    rows_ *= static_cast<std::size_t>(shape[axis]);
  std::size_t inner = rows_;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    const auto length = static_cast<std::size_t>(shape[axis]);
    if (length == 0) continue;
    inner /= length;
    if (length > 1) axes_.push_back({axis, inner, std::vector<Sum>(length)});
  }
}

void SliceSums::add_row(std::size_t row, double squares, std::size_t count) {
  for (Axis& axis : axes_) {
    Sum& sum = axis.sums[row / axis.inner % axis.sums.size()];
    sum.squares += squares;
    sum.count += count;
  }
}

std::optional<KSlice> SliceSums::worst() const {
  std::optional<KSlice> worst;
  for (const Axis& axis : axes_) {
    const double limit = k_rms_limit(rows_that_count(rows() / axis.sums.size(), scale_));
    for (std::size_t i = 0; i < axis.sums.size(); ++i) {
      const Sum& sum = axis.sums[i];
      if (sum.count == 0) continue;
      const double rms = std::sqrt(sum.squares / static_cast<double>(sum.count));
      if (!worst || rms / limit > worst->rms / worst->limit)
        worst = KSlice{axis.axis, static_cast<std::int64_t>(i), rms, limit};
    }
  }
  return worst;
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns what an element with answer r is compared with: the end of the dtype's range beyond it.
double reachable(double r, const KScale& scale) {
  return std::isfinite(r) ? std::clamp(r, -scale.largest, scale.largest) : r;
}

// A number that may be beyond the range may also have become an infinity, or NaN.
bool may_overflow_to(double y, std::size_t i, const ErrorTolerance& error_tolerance) {
  const double r = error_tolerance.answer(i);
  if (!std::isfinite(r) || std::isfinite(y)) return false;
  const bool is_of_this =
      std::isnan(y) ? error_tolerance.scale().overflows_to_nan : (y > 0) == (r > 0);
  return is_of_this && error_tolerance.may_overflow(i);
}

bool are_alike(double y, double r, const KScale& scale) {
  if (std::isfinite(r)) return std::isfinite(y);
  if (std::isinf(r) && scale.overflows_to_nan)
    return std::isnan(y) || y == std::copysign(scale.largest, r);
  if (!scale.is_special) return std::isnan(r) ? std::isnan(y) : y == r;
  return std::isnan(r) || !std::isfinite(y) || y == std::copysign(scale.largest, r);
}

struct Element {
  double z = 0;      // infinite where the kinds are unlike
  double ratio = 0;  // e/σ; 0 where it is none
  bool counts = false;
  BiasTerm bias;
};

BiasTerm bias_term(double error, double sigma, const ErrorTolerance& error_tolerance,
                   std::size_t i) {
  const double r = error_tolerance.answer(i);
  if (!(sigma > 0) || r == 0) return {};
  const double weight = 1 / (sigma * sigma);
  return {error * r * weight, r * r * weight, error_tolerance.coherent(i) * std::fabs(r) * weight};
}

Element compare(double y, const ErrorTolerance& error_tolerance, std::size_t i) {
  const double r = reachable(error_tolerance.answer(i), error_tolerance.scale());
  Element element;
  if (!are_alike(y, r, error_tolerance.scale()) && !may_overflow_to(y, i, error_tolerance))
    element.z = infinity;
  if (!std::isfinite(y) || !std::isfinite(r)) return element;
  element.counts = true;
  const KScale& scale = error_tolerance.scale();
  const double error = std::max(std::fabs(y - r) - scale.half_smallest, 0.0);
  if (error == 0 && !scale.looks_for_bias) return element;
  const double sigma = error_tolerance.typical_sigma(i);
  if (scale.looks_for_bias) element.bias = bias_term(y - r, sigma, error_tolerance, i);
  if (error == 0) return element;
  const double beyond = error_tolerance.beyond(y, i);
  element.ratio = sigma > 0 ? error / sigma : infinity;
  if (beyond == 0) return element;
  const double unit = error_tolerance.unit(i);
  element.z = unit > 0 ? beyond / unit : infinity;
  return element;
}

// Compares an output with its error tolerance, block by block.
class Comparison {
 public:
  Comparison(const TensorView& output, const ErrorTolerance& error_tolerance,
             std::vector<bool>* missed)
      : output_(output),
        error_tolerance_(error_tolerance),
        missed_(missed),
        slices_(error_tolerance.shape(), error_tolerance.scale()) {
    if (missed != nullptr) missed->assign(error_tolerance.size(), false);
    if (error_tolerance.scale().looks_for_bias)
      bias_.emplace(error_tolerance.shape(), error_tolerance.scale().u_int);
  }

  void add_block(std::size_t first) {
    const KScale& scale = error_tolerance_.scale();
    block_.count = std::min(ErrorBlock::most, error_tolerance_.size() - first);
    decode(output_.dtype, output_.data, first, std::span(block_.value).first(block_.count));
    error_tolerance_.read(first, block_);
    compare_all(scale, {found_.largest_z, found_.max_absolute, found_.max_relative}, k_largest_z,
                block_);
    found_.misses += static_cast<std::size_t>(block_.missed);
    for (std::size_t k = 0; missed_ != nullptr && k < block_.count; ++k)
      if (block_.is_missed[k] != 0) (*missed_)[first + k] = true;
    uncounted_ = 0;
    for (std::size_t k = 0; (block_.odd > 0 || scale.is_narrow) && k < block_.count; ++k)
      if (block_.is_odd[k] != 0 || scale.is_narrow) add_alone(first + k, k);
    add_rows(first);
  }

  KStatistic finish() {
    KEvidence& evidence = found_.evidence;
    if (any_unlike_)
      found_.max_absolute = found_.max_relative = std::numeric_limits<double>::quiet_NaN();
    evidence.rows = rows_that_count(slices_.rows(), error_tolerance_.scale());
    evidence.rounding = rounding_tally(output_, error_tolerance_);
    if (bias_) {
      evidence.bias = bias_->tally();
      found_.bias = bias_of(evidence.bias);
      found_.biased_slice = bias_->worst_slice();
    }
    found_.rms = evidence.rms();
    found_.rms_limit = k_rms_limit(evidence.rows);
    found_.cut_off = cut_off(evidence.rounding);
    found_.worst_slice = slices_.worst();
    found_.codes.likely = std::max(found_.codes.likely, error_tolerance_.own_others());
    found_.codes_part = found_.codes.part_of_limit(evidence.rows);
    return found_;
  }

 private:
  // Marks as odd what does not count.
  void add_alone(std::size_t i, std::size_t k) {
    const Element element = compare(block_.value[k], error_tolerance_, i);
    block_.ratio[k] = element.ratio * element.ratio;
    block_.product[k] = element.bias.product;
    block_.square[k] = element.bias.square;
    block_.coherent[k] = element.bias.coherent;
    add_limit(i, element);
    block_.is_odd[k] = element.counts ? 0 : 1;
    if (element.counts)
      add_error(i, block_.value[k]);
    else
      ++uncounted_;
  }

  void add_rows(std::size_t first) {
    const std::size_t row = error_tolerance_.row();
    for (std::size_t k = 0; k < block_.count;) {
      const std::size_t column = (first + k) % row,
                        length = std::min(row - column, block_.count - k);
      squares_ += sum(block_.part(block_.ratio, k, length));
      const auto odd = block_.is_odd.begin() + static_cast<std::ptrdiff_t>(k);
      counted_ += length;
      if (uncounted_ > 0)
        counted_ -= static_cast<std::size_t>(
            std::accumulate(odd, odd + static_cast<std::ptrdiff_t>(length), std::int64_t{0}));
      if (bias_)
        bias_->add(column,
                   {block_.part(block_.product, k, length), block_.part(block_.square, k, length),
                    block_.part(block_.coherent, k, length)});
      k += length;
      if (column + length == row) end_row((first + k) / row - 1);
    }
  }

  void end_row(std::size_t row) {
    found_.evidence.squares += squares_;
    found_.evidence.count += static_cast<double>(counted_);
    slices_.add_row(row, squares_, counted_);
    if (bias_) bias_->end_row(row);
    squares_ = 0;
    counted_ = 0;
  }

  void add_limit(std::size_t i, const Element& element) {
    any_unlike_ = any_unlike_ || (!element.counts && element.z == infinity);
    if (element.z > k_largest_z) {
      ++found_.misses;
      if (missed_ != nullptr) (*missed_)[i] = true;
    }
    if (element.z <= found_.largest_z) return;
    found_.largest_z = element.z;
    found_.worst = i;
  }

  void add_error(std::size_t i, double value) {
    if (error_tolerance_.scale().is_narrow) error_tolerance_.count(value, i, found_.codes);
    const double r = error_tolerance_.answer(i), error = std::fabs(value - r);
    found_.max_absolute = std::max(found_.max_absolute, error);
    found_.max_relative = std::max(found_.max_relative, error / (std::fabs(r) + 1e-8));
  }

  const TensorView& output_;
  const ErrorTolerance& error_tolerance_;
  std::vector<bool>* missed_;
  KStatistic found_;
  SliceSums slices_;
  std::optional<BiasSums> bias_;
  ErrorBlock block_;
  double squares_ = 0;                       // sum of a row so far
  std::size_t counted_ = 0, uncounted_ = 0;  // elements of the row, and of the block
  bool any_unlike_ = false;
};

}  // namespace

double k_rms_limit(std::size_t rows) {
  const double k = static_cast<double>(std::max<std::size_t>(rows, 1)), part = 2 / (9 * k);
  const double root = 1 - part + k_rms_z * std::sqrt(part);
  return std::max(1.1, std::sqrt(root * root * root));
}

double KEvidence::rms() const { return count > 0 ? std::sqrt(squares / count) : 0; }

void KEvidence::add(const KEvidence& other) {
  squares += other.squares;
  count += other.count;
  rows += other.rows;
  rounding.add(other.rounding);
  bias.add(other.bias);
}

double KEvidence::visible_factor() const {
  if (!(bias.all.square > 0)) return infinity;
  const double by_squares = k_rms_limit(rows) * std::sqrt(count / bias.all.square);
  return std::min(bias_of(bias).limit, by_squares);
}

bool KStatistic::is_biased() const {
  return !bias.accepts() || (biased_slice && !biased_slice->bias.accepts());
}

bool KStatistic::accepts() const {
  return misses == 0 && rms <= rms_limit && cut_off.accepts() && codes_part <= 1 && !is_biased() &&
         (!worst_slice || worst_slice->rms <= worst_slice->limit);
}

KStatistic k_statistic(const TensorView& output, const ErrorTolerance& error_tolerance,
                       std::vector<bool>* missed) {
  Comparison comparison(output, error_tolerance, missed);
  for (std::size_t first = 0; first < error_tolerance.size(); first += ErrorBlock::most)
    comparison.add_block(first);
  return comparison.finish();
}

}  // namespace kbench

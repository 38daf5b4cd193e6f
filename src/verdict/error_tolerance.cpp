#include "verdict/error_tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "problem/element.hpp"
#include "schema/dtype.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

constexpr std::size_t noise_block = 4096;  // elements, in whole rows
constexpr double floor_units = 4;

bool may_be_intermediate(DType dtype) {
  return info(dtype).kind == DTypeKind::floating && info(dtype).bits >= 16;
}

KScale scale_for(const KProblem& problem, DType output) {
  KScale scale;
  scale.u_out = unit_roundoff(output);
  scale.half_smallest = std::max(info(output).smallest / 2, problem.nothing);
  scale.largest = info(output).largest;
  scale.overflows_to_nan = overflows_to_nan(output);
  scale.terms = std::max(problem.terms, 1.0);
  scale.is_narrow = info(output).bits <= 8;
  scale.stands_alone = problem.stands_alone;
  scale.shares_an_error = problem.shares_an_error;
  scale.is_special = problem.is_special;
  scale.looks_for_bias = problem.is_random && info(output).bits == 16;
  // Inputs and outputs of 8 bits do not say what lies between: 16 bits may.
  const bool stays_narrow =
      scale.is_narrow && std::any_of(problem.inputs.begin(), problem.inputs.end(), [](DType dtype) {
        return info(dtype).kind == DTypeKind::floating && !may_be_intermediate(dtype);
      });
  scale.u_int = stays_narrow ? unit_roundoff(DType::bfloat16) : scale.u_acc;
  return scale;
}

CodeGrid grid_of(const KScale& scale) {
  return {scale.u_out, 2 * scale.half_smallest, scale.largest};
}

std::size_t block_of_rows(std::size_t row) { return (noise_block + row - 1) / row * row; }

// Root mean square of `value` over each block of finite ones.
template <typename Value>
std::vector<double> block_rms(std::size_t count, std::size_t block, const Value& value) {
  std::vector<double> out;
  for (std::size_t first = 0; first < count; first += block) {
    double squares = 0, finite = 0;
    for (std::size_t i = first; i < std::min(count, first + block); ++i) {
      const double v = value(i);
      if (!std::isfinite(v)) continue;
      squares += v * v;
      ++finite;
    }
    out.push_back(finite > 0 ? std::sqrt(squares / finite) : 0);
  }
  return out;
}

// Returns the floor of σ, row by row.
std::vector<double> floor_of(std::span<const double> answer, std::size_t row, const KScale& scale) {
  if (scale.stands_alone || scale.u_acc == 0) return {};
  std::vector<double> floor = block_rms(answer.size(), row, [&](std::size_t i) {
    const double r = answer[i];
    return std::isfinite(r) ? std::clamp(r, -scale.largest, scale.largest) : r;
  });
  for (double& rms : floor) rms *= std::max(floor_units * scale.u_acc, scale.u_row);
  return floor;
}

}  // namespace

double k_sigma(double r, double condition, const KScale& scale) {
  const double g = std::sqrt(condition * condition + r * r);
  const double out = scale.u_out * std::fabs(r) / std::numbers::sqrt3;
  const double intermediate = scale.u_int * g / std::numbers::sqrt3;
  const double accumulated = 0.5 * scale.u_acc * std::sqrt(scale.terms) * g;
  return std::sqrt(out * out + intermediate * intermediate + accumulated * accumulated);
}

double coarsest_roundoff(std::span<const DType> inputs, std::span<const DType> outputs) {
  double coarsest = 0;
  for (const auto dtypes : {inputs, outputs})
    for (const DType dtype : dtypes)
      if (may_be_intermediate(dtype)) coarsest = std::max(coarsest, unit_roundoff(dtype));
  return coarsest;
}

KScale native_scale(const KProblem& problem, DType output) {
  KScale scale = scale_for(problem, output);
  scale.u_int = std::max(scale.u_int, coarsest_roundoff(problem.inputs, problem.outputs));
  if (problem.rounds_weights) scale.u_row = scale.u_int;
  return scale;
}

KScale solution_scale(const KProblem& problem, DType output) {
  const bool rounds_operands = problem.multiplies && !problem.only_sums;
  const bool knows = output == DType::float32 && (!rounds_operands || problem.knows_roundings);
  return problem.only_sums || knows ? scale_for(problem, output) : native_scale(problem, output);
}

ErrorTolerance::ErrorTolerance(const KAnswer& answer, std::vector<std::int64_t> shape,
                               const KScale& scale)
    : shape_(std::move(shape)),
      scale_(scale),
      answer_(answer.values),
      condition_(answer.condition, answer.runs, row_length(shape_)),
      roundings_(answer.roundings, answer.rounded_runs, row_length(shape_)),
      floor_(floor_of(answer_, row_length(shape_), scale)),
      grid_(grid_of(scale)) {}

ErrorTolerance::ErrorTolerance(const KAnswer& answer, const TensorView& native, const KScale& scale)
    : shape_(native.shape),
      scale_(scale),
      own_(decoded(native)),
      answer_(own_),
      condition_(answer.condition, answer.runs, row_length(shape_)),
      roundings_(answer.roundings, answer.rounded_runs, row_length(shape_)),
      floor_(floor_of(answer_, row_length(shape_), scale)),
      block_(block_of_rows(row_length(shape_))) {
  grid_ = grid_of(scale);
  if (scale.is_narrow) {
    hold_against_codes(answer);
    return;
  }
  noise_ =
      block_rms(own_.size(), block_, [&](std::size_t i) { return own_[i] - answer.values[i]; });
}

// The missing part is less than the noise that makes it: of a normal noise below a step those that
// pass a border are on average 0.8 of it beyond. Twice the noise is left to others. Numbers that a
// reference rounds to 16 bits are off by as many steps whatever their size, its sums of rounded
// numbers by as much whatever their size: the one is taken that makes them more alike.
constexpr double noise_of_missing = 2.5;

// Returns the largest of these by their root mean squares: how unlike they are.
template <typename Value>
double spread(std::size_t count, std::size_t block, const Value& value,
              const std::vector<double>& rms) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double v = value(i);
    if (std::isfinite(v) && v > 0) largest = std::max(largest, v / rms[i / block]);
  }
  return largest;
}

void ErrorTolerance::hold_against_codes(const KAnswer& answer) {
  const std::vector<double> codes = own_;
  is_code_.resize(codes.size());
  least_likely_ = 0.5;  // others may or may not round where the reference did
  own_.assign(answer.values.begin(), answer.values.end());
  std::vector<double> missing(codes.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (std::isnan(codes[i]) && scale_.overflows_to_nan && may_overflow(i)) continue;
    if (!std::isfinite(codes[i]) || !std::isfinite(own_[i])) {
      own_[i] = codes[i];
      continue;
    }
    const double distance = beyond(codes[i], i);
    own_others_ += codes[i] == grid_.rounded(own_[i]) ? 0 : 1;
    if (distance <= k_largest_z * unit(i)) continue;
    own_[i] = codes[i];
    is_code_[i] = true;
    missing[i] = noise_of_missing * distance;
  }
  const auto in_steps = [&](std::size_t i) { return missing[i] / grid_.step(reachable(i)); };
  const auto as_it_is = [&](std::size_t i) { return missing[i]; };
  const std::size_t all = codes.size();
  noise_ = block_rms(all, block_, as_it_is);
  const std::vector<double> steps = block_rms(all, all, in_steps);
  if (spread(all, all, in_steps, steps) >= spread(all, block_, as_it_is, noise_)) return;
  noise_.resize(all);
  for (std::size_t i = 0; i < all; ++i) noise_[i] = steps[0] * grid_.step(reachable(i));
  block_ = 1;
}

ErrorTolerance::ErrorTolerance(const TensorView& native, const KScale& scale)
    : shape_(native.shape),
      scale_(scale),
      own_(decoded(native)),
      own_condition_(own_.size()),
      answer_(own_),
      condition_(own_condition_),
      roundings_({}) {
  const std::size_t row = row_length(shape_);
  const std::vector<double> of_row =
      block_rms(own_.size(), row, [&](std::size_t i) { return own_[i]; });
  for (std::size_t i = 0; i < own_.size(); ++i) own_condition_[i] = of_row[i / row];
  if (!scale.is_narrow) return;
  grid_ = grid_of(scale);
  is_code_.assign(own_.size(), true);
}

void ErrorTolerance::raise_floor(std::span<const double> sizes) {
  if (sizes.empty() || size() == 0 || scale_.u_acc == 0) return;
  std::vector<double> raised(std::max(sizes.size(), floor_.size()));
  const std::size_t part = size() / raised.size();
  for (std::size_t k = 0; k < raised.size(); ++k)
    raised[k] = std::max(least(k * part),
                         floor_units * scale_.u_acc * sizes[k * part / (size() / sizes.size())]);
  floor_ = std::move(raised);
  if (other_) other_->raise_floor(sizes);
}

double ErrorTolerance::least(std::size_t i) const {
  return floor_.empty() ? 0 : floor_[i / (size() / floor_.size())];
}

std::uint64_t ErrorTolerance::digest() const {
  const auto bytes = std::as_bytes(answer_);
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

namespace {

// Calls of(part, begin, end) for each of the equal parts that elements [first, last) are in.
template <typename Of>
void for_each_part(std::size_t first, std::size_t last, std::size_t length, const Of& of) {
  for (std::size_t begin = first; begin < last;) {
    const std::size_t part = begin / length, end = std::min(last, (part + 1) * length);
    of(part, begin - first, end - first);
    begin = end;
  }
}

}  // namespace

void ErrorTolerance::read(std::size_t first, ErrorBlock& block) const {
  const std::size_t last = first + block.count;
  const std::span typical(block.typical), wide(block.wide), condition(block.condition);
  block.answer = answer_.data() + first;
  std::fill_n(condition.begin(), block.count, 0.0);
  std::fill_n(wide.begin(), block.count, 0.0);
  condition_.add_squares(first, condition.first(block.count), wide.first(block.count));
  const auto answer = answer_.subspan(first, block.count);
  k_variances(answer, scale_, condition.data(), typical.data());
  k_variances(answer, scale_, wide.data(), wide.data());
  const auto in_both = [&](std::size_t begin, std::size_t end, const auto& change) {
    for (const auto sigma : {typical, wide})
      for (std::size_t k = begin; k < end; ++k) sigma[k] = change(sigma[k]);
  };
  if (!floor_.empty())
    for_each_part(first, last, size() / floor_.size(), [&](auto part, auto begin, auto end) {
      const double least = floor_[part] * floor_[part];
      in_both(begin, end, [least](double square) { return std::max(square, least); });
    });
  if (!noise_.empty())
    for_each_part(first, last, block_, [&](auto part, auto begin, auto end) {
      const double noise = noise_[part] * noise_[part];
      in_both(begin, end, [noise](double square) { return square + noise; });
    });
  roundings_.add_squares(first, typical.first(block.count), wide.first(block.count));
}

double ErrorTolerance::sigma(std::size_t i) const { return sigma(i, true, scale_); }

double ErrorTolerance::typical_sigma(std::size_t i) const { return sigma(i, false, scale_); }

double ErrorTolerance::coherent(std::size_t i) const {
  const double r = std::fabs(answer_[i]);
  const double condition = condition_.typical(i);
  return condition > k_larger_condition * r ? condition : r;
}

double ErrorTolerance::unit(std::size_t i) const {
  if (!scale_.is_narrow) return sigma(i);
  KScale before = scale_;
  before.u_out = 0;
  return sigma(i, true, before);
}

double ErrorTolerance::sigma(std::size_t i, bool is_wide, const KScale& scale) const {
  const auto of = [&](const ModeratedCondition& condition) {
    return is_wide ? condition.wide(i) : condition.typical(i);
  };
  const double condition = of(condition_);
  const double sigma = std::max(k_sigma(answer_[i], condition, scale), least(i));
  const double noise = noise_.empty() ? 0 : noise_[i / block_];
  const double rounded = of(roundings_);
  return std::sqrt(sigma * sigma + noise * noise + rounded * rounded);
}

double ErrorTolerance::allowed(std::size_t i) const {
  return k_largest_z * unit(i) + scale_.u_out * std::fabs(answer_[i]) + scale_.half_smallest;
}

bool ErrorTolerance::may_overflow(std::size_t i) const {
  const double r = std::fabs(answer_[i]);
  if (!scale_.is_narrow) return r + allowed(i) >= scale_.largest;
  // Half a step more is rounded to the largest.
  const double end = scale_.largest + scale_.u_out * std::exp2(std::ilogb(scale_.largest));
  return r + k_largest_z * unit(i) >= end;
}

double ErrorTolerance::reachable(std::size_t i) const {
  return std::clamp(answer_[i], -scale_.largest, scale_.largest);
}

double ErrorTolerance::beyond(double y, std::size_t i) const {
  const double r = reachable(i);
  if (!scale_.is_narrow)
    return std::max(std::fabs(y - r) - scale_.half_smallest - scale_.u_out * std::fabs(r), 0.0);
  return is_code(i) ? grid_.between(r, y) : grid_.distance(r, y);
}

double ErrorTolerance::likely_other(std::size_t i, double sigma) const {
  const double r = reachable(i);
  if (!is_code(i)) {
    const double border = grid_.to_border(r);
    return sigma > 0 ? 0.5 * std::erfc(border / (sigma * std::numbers::sqrt2))
                     : (border > 0 ? 0 : 0.5);
  }
  // Mean size of a normal error, in steps, where numbers lie all over the step.
  const double mean = sigma * std::sqrt(2 / std::numbers::pi);
  return std::max(least_likely_, std::min(0.5, mean / grid_.step(r)));
}

void ErrorTolerance::count(double y, std::size_t i, CodeShare& share) const {
  KScale before = scale_;
  before.u_out = 0;
  const double condition = condition_.typical(i);
  const double steady = std::max(k_sigma(answer_[i], condition, before), least(i));
  share.likely += likely_other(i, sigma(i, false, before));
  share.likely_steady += likely_other(i, steady);
  const double r = reachable(i);
  const double code = is_code(i) ? r : grid_.rounded(r);
  if (y == code) return;
  ++share.others;
  (std::fabs(y) < std::fabs(code) ? share.inwards : share.outwards) += 1;
}

}  // namespace kbench

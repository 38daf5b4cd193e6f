#include "verdict/cut_off.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "problem/element.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

constexpr std::size_t piece_length = 128;
constexpr std::size_t most_pieces = 1024;
constexpr std::size_t least_counted = 16;  // elements of a piece
// Unit roundoffs of 16 bits; with fewer, other errors hide the jump, and each step counts by
// itself.
constexpr double finest = 0x1p-11, coarsest = 0x1p-8;
constexpr double most_others = 0.125;      // errors of the other sign, of all
constexpr double other_errors = 4;         // σ in unit roundoffs of the answer
constexpr double beside_a_step = 0x1p-10;  // part of a step that the answer itself may be off by
// The least variance of 1/significand, 0.02 over whole binades, that a parabola must leave.
constexpr double least_jump = 0.004;

// One step is 2·u·2^exponent.
struct Digits {
  double significand = 0;  // 1 to 2
  int exponent = 0;
  double steps = 0;  // |r|
};

Digits digits_of(double r, double u) {
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(r));  // normal: beyond half_smallest / u
  Digits digits;
  digits.significand = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000);
  digits.exponent = static_cast<int>(bits >> 52) - 1023;
  digits.steps = digits.significand / (2 * u);
  return digits;
}

// Evidence of the rounding, element by element of one piece.
struct Piece {
  std::vector<double> error;  // (y - rounded r)/r, in 2u
  std::vector<double> jump;   // 1/significand
  std::vector<double> size;   // log2 |r|
};

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Takes away from `v` what is along `of`.
void take_away(std::vector<double>& v, const std::vector<double>& of) {
  const double length = product(of, of);
  const double part = length > 0 ? product(v, of) / length : 0;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= part * of[i];
}

// Takes away from the jump the parabola in the size that is nearest to it.
void leave_jump(Piece& piece) {
  const std::vector<double> constant(piece.size.size(), 1.0);
  std::vector<double> square = piece.size;
  take_away(piece.size, constant);
  for (std::size_t i = 0; i < square.size(); ++i) square[i] = piece.size[i] * piece.size[i];
  take_away(square, constant);
  take_away(square, piece.size);
  take_away(piece.jump, constant);
  take_away(piece.jump, piece.size);
  take_away(piece.jump, square);
}

// Numbers that came before: a table that is at most half full, each at the first free place from
// where its product with the golden ratio points (Knuth 6.4).
class Seen {
 public:
  explicit Seen(std::size_t most) : places_(std::bit_ceil(2 * most + 2)) {}

  bool is_new(std::uint32_t number) {
    const std::size_t last = places_.size() - 1;
    const std::uint64_t entry = std::uint64_t{number} + 1;  // 0 is a free place
    std::size_t at = (entry * 0x9E3779B97F4A7C15) >> (64 - std::countr_zero(places_.size()));
    while (places_[at] != 0 && places_[at] != entry) at = (at + 1) & last;
    return std::exchange(places_[at], entry) == 0;
  }

 private:
  std::vector<std::uint64_t> places_;
};

class Reader {
 public:
  Reader(const ErrorTolerance& error_tolerance, std::size_t most)
      : error_tolerance_(error_tolerance), seen_(most) {
    significands_.reserve(most);
  }

  void add(double y, std::size_t i, Piece& piece) {
    const KScale& scale = error_tolerance_.scale();
    const double r = error_tolerance_.answer(i), u = scale.u_out;
    const double least = 2 * scale.half_smallest / u, most = scale.largest * (1 - 2 * u);
    if (!std::isfinite(y) || !(std::fabs(r) > least && std::fabs(r) < most)) return;
    const Digits digits = digits_of(r, u);
    const double halves = 2 * digits.steps;
    if (std::fabs(halves - std::nearbyint(halves)) < 2 * beside_a_step) return;
    if (error_tolerance_.typical_sigma(i) > other_errors * u * std::fabs(r) || !is_new(digits))
      return;
    ++tally_.counted;
    if (std::fabs(y) > std::fabs(r)) ++tally_.away;
    const double given = std::ldexp(r < 0 ? -y : y, -digits.exponent) / (2 * u);
    const double missing = digits.steps - given;
    if (missing < 0 || missing > 1) ++tally_.outside;
    significands_.push_back(digits.significand);
    piece.error.push_back((given - std::nearbyint(digits.steps)) / digits.significand);
    piece.jump.push_back(1 / digits.significand);
    piece.size.push_back(digits.exponent + std::log2(digits.significand));
  }

  void end_piece(Piece& piece) {
    if (piece.jump.size() < least_counted) return;
    leave_jump(piece);
    const double squares = product(piece.jump, piece.jump);
    if (squares < least_jump * static_cast<double>(piece.jump.size())) return;
    tally_.pieces.push_back({product(piece.jump, piece.error), squares});
  }

  RoundingTally tally() {
    if (significands_.empty()) return tally_;
    const auto middle =
        significands_.begin() + static_cast<std::ptrdiff_t>(significands_.size() / 2);
    std::nth_element(significands_.begin(), middle, significands_.end());
    const double median = *middle;
    for (const double m : significands_) tally_.wanted_outside += std::fabs(m / (2 * median) - 0.5);
    return tally_;
  }

 private:
  bool is_new(const Digits& digits) {
    return seen_.is_new(static_cast<std::uint32_t>((digits.significand - 1) * 0x1p32));
  }

  const ErrorTolerance& error_tolerance_;
  RoundingTally tally_;
  std::vector<double> significands_;
  Seen seen_;
};

// Σ errors·jump / Σ jump², and six of its standard errors, by the spread of the pieces.
CutOff drift_of(const std::vector<RoundingTally::Piece>& pieces) {
  RoundingTally::Piece all;
  double weights = 0;
  for (const auto& piece : pieces) {
    all.with_error += piece.with_error;
    all.squares += piece.squares;
    weights += piece.squares * piece.squares;
  }
  CutOff out;
  if (all.squares == 0) return out;
  const double freedom = all.squares * all.squares / weights - 1;
  if (freedom < 2) return out;
  out.drift = all.with_error / all.squares;
  double spread = 0;
  for (const auto& piece : pieces) {
    const double beside = piece.with_error - out.drift * piece.squares;
    spread += beside * beside;
  }
  const double error = std::sqrt(spread * (1 + 1 / freedom)) / all.squares;
  out.limit = std::max(k_least_drift, k_largest_z * student_widening(freedom) * error);
  return out;
}

}  // namespace

void RoundingTally::add(const RoundingTally& other) {
  counted += other.counted;
  away += other.away;
  outside += other.outside;
  wanted_outside += other.wanted_outside;
  pieces.insert(pieces.end(), other.pieces.begin(), other.pieces.end());
}

RoundingTally rounding_tally(const TensorView& output, const ErrorTolerance& error_tolerance) {
  const double u = error_tolerance.scale().u_out;
  if (u < finest || u > coarsest) return {};
  std::array<double, piece_length> values{};
  const std::size_t count = (error_tolerance.size() + piece_length - 1) / piece_length;
  const std::size_t step = (count + most_pieces - 1) / most_pieces;
  Reader reader(error_tolerance, std::min(count, most_pieces) * piece_length);
  Piece piece;
  for (std::size_t k = 0; k < count; k += step) {
    const std::size_t first = k * piece_length;
    const auto part =
        std::span(values).first(std::min(piece_length, error_tolerance.size() - first));
    decode(output.dtype, output.data, first, part);
    for (std::vector<double>* of : {&piece.error, &piece.jump, &piece.size}) of->clear();
    for (std::size_t i = 0; i < part.size(); ++i) reader.add(part[i], first + i, piece);
    reader.end_piece(piece);
  }
  return reader.tally();
}

CutOff cut_off(const RoundingTally& tally) {
  const double of_other_sign = std::min(tally.away, tally.counted - tally.away);
  CutOff out = of_other_sign <= most_others * tally.counted ? drift_of(tally.pieces) : CutOff{};
  out.inside = tally.counted - tally.outside;
  out.outside = tally.outside;
  out.least_outside = tally.wanted_outside - 4 * std::sqrt(tally.wanted_outside);
  return out;
}

namespace {

constexpr std::size_t coarse_block = 1024, fewest = 8;
constexpr double most_part = 0.9;

using DoubleBlock = std::array<double, coarse_block>;

// Rounds each number to the dtype.
void round_all(DType dtype, std::span<const double> values, std::span<double> rounded) {
  std::array<std::byte, 2 * coarse_block> bytes{};
  encode(dtype, values, bytes.data(), 0);
  decode(dtype, bytes.data(), 0, rounded);
}

bool is_rounded_to(DType dtype, const TensorView& output, const TensorView& native) {
  const std::size_t count = element_count(output.shape);
  DoubleBlock made{}, answer{}, coarse_made{}, coarse_answer{};
  std::size_t counted = 0, coarse = 0;
  for (std::size_t first = 0; first < count; first += coarse_block) {
    const std::size_t part = std::min(coarse_block, count - first);
    decode(output.dtype, output.data, first, std::span(made).first(part));
    decode(native.dtype, native.data, first, std::span(answer).first(part));
    round_all(dtype, std::span<const double>(made).first(part), std::span(coarse_made).first(part));
    round_all(dtype, std::span<const double>(answer).first(part),
              std::span(coarse_answer).first(part));
    for (std::size_t k = 0; k < part; ++k) {
      if (!std::isfinite(answer[k]) || answer[k] == coarse_answer[k]) continue;
      ++counted;
      coarse += made[k] == coarse_made[k] ? 1 : 0;
    }
  }
  return counted >= fewest &&
         static_cast<double>(coarse) >= most_part * static_cast<double>(counted);
}

}  // namespace

std::optional<DType> rounded_to(const TensorView& output, const TensorView& native) {
  if (output.dtype != DType::float32 || native.dtype != DType::float32) return std::nullopt;
  for (const DType dtype : {DType::bfloat16, DType::float16})
    if (is_rounded_to(dtype, output, native)) return dtype;
  return std::nullopt;
}

}  // namespace kbench

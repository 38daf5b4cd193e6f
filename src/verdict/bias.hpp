// Bias of results that are all too large or all too small by one factor. Each error may be as small
// as an honest one: thousands of them that point the same way are evidence, where the limits on
// single elements and on their squares see none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace kbench {

// Part of an element with the error e, the answer r and σ, the error that honest arithmetic makes.
struct BiasTerm {
  double product = 0;  // e·r/σ²
  double square = 0;   // r²/σ²
  double coherent = 0;  // c·|r|/σ², c what a factor that is rounded on the way moves the answer by,
                        // in units of its roundoff
  void add(const BiasTerm& other);
};

// Relative size of the bias: the regression of the errors on the answers.
struct Bias {
  double part = 0;
  double limit = std::numeric_limits<double>::infinity();

  bool accepts() const { return !(part > limit || part < -limit); }
  double part_of_limit() const { return part < 0 ? -part / limit : part / limit; }
};

// Adds up what bias_of() needs over all elements, of one output or of several that are added up. A
// constant that honest programs round to 16 bits moves all results by up to the roundoff u: more
// than 1.1 of it is a fault, beside six standard errors. These come from how unlike the rows' own
// factors are, by Student's t, since what an honest program divides a row by may be rounded as
// well.
struct BiasTally {
  BiasTerm all;
  double rows = 0;                                         // rows that have any answer but 0
  double products = 0, products_squares = 0, squares = 0;  // Σ over the rows: P², P·S, S²
  double roundoff = 0;

  void add_row(const BiasTerm& row);
  void add(const BiasTally& other);
};
Bias bias_of(const BiasTally& tally);

// Returns the bias of a part of an output. Its factor and that of all may both be rounded: 2.2
// roundoffs.
Bias bias_of_slice(const BiasTerm& slice, double roundoff);

struct BiasedSlice {
  std::size_t axis = 0;
  std::int64_t index = 0;
  Bias bias;
};

// The parts of several elements.
struct BiasTerms {
  std::span<const double> product, square, coherent;
};

// Sums over the slices at one index of each axis.
class BiasSums {
 public:
  BiasSums(const std::vector<std::int64_t>& shape, double roundoff);

  // Adds elements of one row from a column on; end_row() ends the row.
  void add(std::size_t column, const BiasTerms& terms);
  void end_row(std::size_t row);
  const BiasTally& tally() const { return tally_; }
  // Returns the slice that uses most of its limit; none where an output has one axis, whose slices
  // are single elements.
  std::optional<BiasedSlice> worst_slice() const;

 private:
  struct Axis {
    std::size_t axis = 0;
    std::size_t inner = 1;  // rows at one index of it, further in
    std::vector<BiasTerm> sums;
  };
  std::size_t last_axis_ = 0;
  std::vector<Axis> axes_;                      // every axis but the last
  std::array<std::vector<double>, 3> columns_;  // sums of the last axis, as in BiasTerms
  BiasTerm row_;
  BiasTally tally_;
};

}  // namespace kbench

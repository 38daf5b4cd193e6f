// Measure of one output of one trial under criterion K: the answer r, and σ, the error that honest
// arithmetic may make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "problem/tensor_view.hpp"
#include "verdict/code_grid.hpp"
#include "verdict/condition_estimate.hpp"
#include "verdict/error_block.hpp"

namespace kbench {

// Properties of a reference that σ depends on.
struct KProblem {
  std::vector<DType> inputs, outputs;  // tensors
  bool only_sums = false;   // its only intermediates are sums and products of matrices of inputs
  bool multiplies = false;  // an output: a product of matrices took computed numbers on the way
  bool knows_roundings = false;  // an output: the effect of roundings on the way is known
  // Weights of sums may be rounded, which the condition estimate does not see: each sum has an
  // error of the size of its row's.
  bool rounds_weights = false;
  double terms = 1;  // the longest reduction
  bool shares_an_error = false;
  bool is_special = false;    // KScale::is_special
  double nothing = 0;         // size as good as 0, if it is more than half the smallest subnormal
  bool stands_alone = false;  // the output: stands_alone() of problem/problem.hpp
  bool is_random = false;     // no structured input set: its rows are alike
};

// The scale by which a reference's own native answer is compared with its double answer: its
// intermediates may be rounded to the coarsest dtype of 16 bits or more that goes in or comes out.
// Narrower ones are stored data: a reference that rounds to them on the way quantises.
KScale native_scale(const KProblem& problem, DType output);

// The scale for solutions: that of the reference, but for a product of two tensors, whose only
// intermediates are sums, and for float32 outputs: there intermediates are kept in float32, but for
// computed operands of products, which matrix units take in 16 bits.
KScale solution_scale(const KProblem& problem, DType output);

// A double answer to an output: a value and a condition estimate (unmoderated) for each element.
struct KAnswer {
  std::span<const double> values, condition;
  int runs = 0;  // perturbed runs that the condition estimate is from
  // Error of each element when all that is calculated on the way is rounded; empty: unknown.
  std::span<const double> roundings = {};
  int rounded_runs = 0;
};

class ErrorTolerance {
 public:
  // Measures against the double answer, which must live as long as this.
  ErrorTolerance(const KAnswer& answer, std::vector<std::int64_t> shape, const KScale& scale);
  // Measures against the native answer of a reference that rounds in a way no double answer has.
  // Its distance from the double answer is its own noise, and added to σ block by block: a solution
  // that does not round so is as far away. Codes of 8 bits or fewer are held against it only where
  // the double answer, within 6 σ, is not rounded to them, and the noise is what is missing there.
  ErrorTolerance(const KAnswer& answer, const TensorView& native, const KScale& scale);
  // Measures against the native answer where there is no double one: each element's condition
  // estimate is the root mean square of its row.
  ErrorTolerance(const TensorView& native, const KScale& scale);
  ErrorTolerance(ErrorTolerance&&) = default;  // the memory that it points to stays where it is
  ErrorTolerance& operator=(ErrorTolerance&&) = default;

  const std::vector<std::int64_t>& shape() const { return shape_; }
  const KScale& scale() const { return scale_; }
  std::size_t size() const { return answer_.size(); }
  std::size_t row() const { return row_length(shape_); }
  double answer(std::size_t i) const { return answer_[i]; }
  // σ is at least 4·u_acc·root mean square of its row's answers: an element of 2^-20 of its row may
  // have lost as many digits where it is a difference of numbers of the row's size (1/2 +
  // tanh(x/2)/2 beside other factors). Elements that stand alone have no such floor.
  double sigma(std::size_t i) const;
  // Returns sigma for errors together: a condition estimate of few runs is not widened.
  double typical_sigma(std::size_t i) const;
  // Returns how far a factor that is rounded on the way moves it, in units of its roundoff: by all
  // of it, or where it is the small difference of larger parts by theirs.
  double coherent(std::size_t i) const;
  // Fills in what is known of `block.count` elements from `first` on.
  void read(std::size_t first, ErrorBlock& block) const;
  // Unit of an element's limit, beside one rounding to the output's dtype.
  double unit(std::size_t i) const;
  // Largest error of a right element.
  double allowed(std::size_t i) const;
  // Tells whether a right element may be beyond the dtype's range.
  bool may_overflow(std::size_t i) const;
  // Distance of an element beyond one rounding to the output's dtype.
  double beyond(double y, std::size_t i) const;
  // Counts one element of an output of codes.
  void count(double y, std::size_t i, CodeShare& share) const;
  // Returns how many elements the reference itself has otherwise than the double answer.
  double own_others() const { return own_others_; }

  // Raises σ to at least 4·u_acc·sizes[k] in part k of as many equal parts: the size of its
  // operands. A formula that cancels there (1 - p, tanh(x) + 1) has lost as many digits.
  void raise_floor(std::span<const double> sizes);

  // Hashes the answers: others have another one.
  std::uint64_t digest() const;

  // An output that is right by this other one is right, too: what quantises as the reference does
  // is near its native answer, what does not is near the double one.
  void or_by(ErrorTolerance other) { other_ = std::make_shared<ErrorTolerance>(std::move(other)); }
  const ErrorTolerance* other() const { return other_.get(); }

 private:
  std::vector<std::int64_t> shape_;
  KScale scale_;
  std::vector<double> own_, own_condition_;
  std::span<const double> answer_;
  ModeratedCondition condition_, roundings_;
  std::vector<double> floor_;  // floor of σ in as many equal parts; empty: none
  std::shared_ptr<ErrorTolerance> other_;
  std::vector<double> noise_;  // noise of each block; empty: none
  std::size_t block_ = 1;
  CodeGrid grid_;
  std::vector<bool> is_code_;  // elements whose number before rounding is not known; empty: none
  double least_likely_ = 0;    // probability that another code comes there
  double own_others_ = 0;

  void hold_against_codes(const KAnswer& answer);
  double reachable(std::size_t i) const;  // the answer, or the end of the range
  bool is_code(std::size_t i) const { return !is_code_.empty() && is_code_[i]; }
  // Probability that another code comes of it by an error of this σ.
  double likely_other(std::size_t i, double sigma) const;
  double sigma(std::size_t i, bool is_wide, const KScale& scale) const;
  double least(std::size_t i) const;  // floor of σ
};

}  // namespace kbench

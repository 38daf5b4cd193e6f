// Criterion K: how far an output is from the double-precision answer, in units of the error that
// honest arithmetic makes. Source: shared/research/corr.md §3.2, which follows Higham and Mary 2019
// (the error of a sum of n terms grows like √n·u) and Parker's Monte Carlo arithmetic (the gauge).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/tensor_view.hpp"

namespace kbench {

// What the arithmetic may do, as unit roundoffs (schema/dtype.hpp).
struct KScale {
  double u_out = 0;        // of the output's dtype
  double u_int = 0;        // of intermediates, where the Definition lets them be rounded; 0: exact
  double u_acc = 0x1p-24;  // of accumulators: float32
  double terms = 1;        // n, the length of a reduction
  double half_smallest = 0;  // half the output dtype's smallest subnormal: underflow is no mistake
};

// σ of one element with double answer r and gauge M; G = hypot(M, |r|):
// σ² = (u_out·|r|/√3)² + (u_int·G/√3)² + (½·u_acc·√n·G)².
double k_sigma(double r, double gauge, const KScale& scale);

struct KStatistic {
  double largest_z = 0;    // max over elements of (|y-r| - u_out·|r| - half_smallest)⁺ / σ
  double rms = 0;          // of |y-r| / σ over the elements
  std::size_t worst = 0;   // where largest_z is
  std::size_t count = 0;   // elements that counted: those whose r is finite
  std::size_t unlike = 0;  // of all: where one of y and r is NaN or an infinity, and not both alike
};

// `output` is floating; `answer` and `gauge` have its elements.
KStatistic k_statistic(const TensorView& output, std::span<const double> answer,
                       std::span<const double> gauge, const KScale& scale);

// Limits on the two: 6, and c(N) = max(1.1, √(1 + 6·√(0.8/N))): a right result rounded once has an
// E(e/σ)² of at most 1 and a variance of at most 0.8.
inline constexpr double k_largest_z = 6;
double k_rms_limit(std::size_t count);

// Whether the statistic is within both limits and nothing is unlike.
bool k_accepts(const KStatistic& statistic);

// What a reference works on: dtypes of its floating inputs and outputs.
struct KProblem {
  std::vector<DType> inputs, outputs;
  double terms = 1;  // the longest reduction
};

// The scale by which the reference's own native answer is compared with its double answer: its
// intermediates may be rounded to the coarsest dtype of 16 bits or more that goes in or comes out.
// Narrower ones are stored data: a reference that rounds to them on the way quantises.
KScale native_scale(const KProblem& problem, DType output);

// Whether a reference quantises inside: one of its native outputs is not what its arithmetic makes
// of the double answer. Such a reference is judged against its native answer, which alone has its
// rounding. Elements of `answers` and `gauges` are those of `native`; outputs that are not floating
// are left out by the caller.
bool quantises_inside(const KProblem& problem, std::span<const TensorView> native,
                      std::span<const std::span<const double>> answers,
                      std::span<const std::span<const double>> gauges);

}  // namespace kbench

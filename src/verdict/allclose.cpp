// The rules of KernelBench and robust-kbench: torch.allclose(reference, output), each with its
// tolerances. torch.allclose is met to the bit (tests/verdict/allclose_test.cpp); that these are
// the tolerances is our reading of KernelBench (commit 423217d) and robust-kbench (078f5ba).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "problem/element.hpp"
#include "verdict/error_statistics.hpp"
#include "verdict/rules.hpp"

namespace kbench {
namespace {

constexpr std::size_t allclose_block = 1024;
using FloatBlock = std::array<float, allclose_block>;

// Rounds as torch does between two operations: float16 and bfloat16 are calculated in float32 and
// rounded after each. Integers and bools become float32. Torch has no arithmetic for 8 bits and
// fewer; here they become float32 too.
void round_to(DType dtype, std::span<float> values) {
  if (dtype != DType::float16 && dtype != DType::bfloat16) return;
  std::array<std::byte, allclose_block * sizeof(float)> stored{};
  encode(dtype, values, stored.data(), 0);
  decode(dtype, stored.data(), 0, values);
}

struct Misses {
  std::size_t count = 0;
  std::size_t first = 0;
  std::vector<bool> missed;

  explicit Misses(std::size_t elements) : missed(elements) {}
  void add(std::size_t i) {
    if (count++ == 0) first = i;
    missed[i] = true;
  }
};

// Compares as torch.isclose does where both tolerances are 0.
Misses unequal(const TensorView& output, const TensorView& reference) {
  Misses misses(element_count(output.shape));
  for (std::size_t i = 0; i < misses.missed.size(); ++i) {
    if (element(output.dtype, output.data, i) != element(reference.dtype, reference.data, i))
      misses.add(i);
  }
  return misses;
}

// |reference - output| ≤ atol + rtol·|output|; infinities are equal or wrong, NaN is wrong.
Misses not_close(const TensorView& output, const TensorView& reference, float atol, float rtol) {
  const std::size_t count = element_count(output.shape);
  const DType dtype = output.dtype;
  Misses misses(count);
  FloatBlock x{}, y{}, error{}, allowed{};
  round_to(dtype, std::span(&atol, 1));  // atol is of the tensor's dtype when it is added
  for (std::size_t first = 0; first < count; first += allclose_block) {
    const std::size_t n = std::min(allclose_block, count - first);
    decode(dtype, output.data, first, std::span(x).first(n));
    decode(dtype, reference.data, first, std::span(y).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      error[i] = y[i] - x[i];
      allowed[i] = rtol * x[i];
    }
    round_to(dtype, std::span(error).first(n));
    round_to(dtype, std::span(allowed).first(n));
    for (std::size_t i = 0; i < n; ++i) allowed[i] = atol + std::fabs(allowed[i]);
    round_to(dtype, std::span(allowed).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      const float e = std::fabs(error[i]);
      if (x[i] != y[i] && !(std::isfinite(e) && e <= allowed[i])) misses.add(first + i);
    }
  }
  return misses;
}

std::string misses_text(const Misses& misses, const TensorView& output, const TensorView& reference,
                        double atol, double rtol) {
  std::array<double, 2> values{};
  decode(output.dtype, output.data, misses.first, std::span(values).first(1));
  decode(reference.dtype, reference.data, misses.first, std::span(values).last(1));
  return fmt::format(
      "{} of {} elements are further off than atol {} + rtol {} x |output|; first at {}: {}, "
      "reference {}",
      misses.count, element_count(output.shape), atol, rtol, place_text(misses.first, output.shape),
      values[0], values[1]);
}

void add_errors(Correctness& correctness, const TensorView& output, const TensorView& reference) {
  const ErrorStatistics errors = error_statistics(output, reference, 0, 0);
  correctness.max_absolute_error = python_max(correctness.max_absolute_error, errors.max_absolute);
  correctness.max_relative_error = python_max(correctness.max_relative_error, errors.max_relative);
}

// Both tolerances are what `usual` says of the output's dtype, where the user gave none.
Verdict judge_allclose(const VerdictContext& context, std::span<const TensorView> outputs,
                       std::span<const TensorView> reference, double (*usual)(DType)) {
  Verdict verdict;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const std::string which = output_name(context, i);
    if (i >= outputs.size()) return refuse(Status::incorrect_shape, which + " is missing");
    const TensorView &x = outputs[i], &y = reference[i];
    if (auto refused = refuse_unlike(which, x, y)) return *refused;
    const double atol = context.tolerance.atol.value_or(usual(y.dtype));
    const double rtol = context.tolerance.rtol.value_or(usual(y.dtype));
    const Misses misses = atol == 0 && rtol == 0
                              ? unequal(x, y)
                              : not_close(x, y, static_cast<float>(atol), static_cast<float>(rtol));
    add_errors(verdict.correctness, x, y);
    if (misses.count == 0) continue;
    verdict.status = Status::incorrect_numerical;
    if (!verdict.detail.empty()) continue;
    verdict.detail = which + ": " + misses_text(misses, x, y, atol, rtol);
    draw_misses(verdict, context, i, misses.missed, x.shape);
  }
  return verdict;
}

double usual_of_kernelbench(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return type.kind == DTypeKind::floating && type.bits < 32 ? 1e-2 : 1e-4;
}

double usual_of_robust_kbench(DType) { return 1e-5; }

}  // namespace

Verdict judge_kernelbench(const VerdictContext& context, std::span<const TensorView> outputs,
                          std::span<const TensorView> reference) {
  return judge_allclose(context, outputs, reference, &usual_of_kernelbench);
}

Verdict judge_robust_kbench(const VerdictContext& context, std::span<const TensorView> outputs,
                            std::span<const TensorView> reference) {
  return judge_allclose(context, outputs, reference, &usual_of_robust_kbench);
}

}  // namespace kbench

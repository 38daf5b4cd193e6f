#include "verdict/criterion_k.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "problem/element.hpp"
#include "schema/dtype.hpp"

namespace kbench {
namespace {

// Half the smallest positive number of a floating dtype.
double half_smallest(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return 0x1p-150;
    case DType::float16:
      return 0x1p-25;
    case DType::bfloat16:
      return 0x1p-134;
    case DType::float8_e4m3fn:
      return 0x1p-10;
    case DType::float8_e5m2:
      return 0x1p-17;
    case DType::float4_e2m1:
      return 0.25;
    default:
      return 0;
  }
}

bool are_alike(double y, double r) {
  if (std::isnan(r)) return std::isnan(y);
  return std::isfinite(r) ? std::isfinite(y) : y == r;
}

bool may_be_intermediate(DType dtype) {
  return info(dtype).kind == DTypeKind::floating && info(dtype).bits >= 16;
}

}  // namespace

double k_sigma(double r, double gauge, const KScale& scale) {
  const double g = std::hypot(gauge, r);
  const double out = scale.u_out * std::fabs(r) / std::numbers::sqrt3;
  const double intermediate = scale.u_int * g / std::numbers::sqrt3;
  const double accumulated = 0.5 * scale.u_acc * std::sqrt(scale.terms) * g;
  return std::hypot(out, intermediate, accumulated);
}

KStatistic k_statistic(const TensorView& output, std::span<const double> answer,
                       std::span<const double> gauge, const KScale& scale) {
  KStatistic statistic;
  double squares = 0;
  std::array<double, 1024> block{};
  for (std::size_t first = 0; first < answer.size(); first += block.size()) {
    const std::size_t count = std::min(block.size(), answer.size() - first);
    decode(output.dtype, output.data, first, std::span(block).first(count));
    for (std::size_t k = 0; k < count; ++k) {
      const double y = block[k], r = answer[first + k];
      if (!are_alike(y, r)) ++statistic.unlike;
      if (!std::isfinite(y) || !std::isfinite(r)) continue;
      ++statistic.count;
      const double error = std::max(std::fabs(y - r) - scale.half_smallest, 0.0);
      if (error == 0) continue;
      const double sigma = k_sigma(r, gauge[first + k], scale);
      const double beyond = std::max(error - scale.u_out * std::fabs(r), 0.0);
      const double z = beyond == 0 ? 0 : beyond / sigma;
      if (z > statistic.largest_z) {
        statistic.largest_z = z;
        statistic.worst = first + k;
      }
      squares += (error / sigma) * (error / sigma);
    }
  }
  if (statistic.count > 0) {
    statistic.rms = std::sqrt(squares / static_cast<double>(statistic.count));
  }
  return statistic;
}

double k_rms_limit(std::size_t count) {
  const double n = static_cast<double>(std::max<std::size_t>(count, 1));
  return std::max(1.1, std::sqrt(1 + 6 * std::sqrt(0.8 / n)));
}

bool k_accepts(const KStatistic& statistic) {
  return statistic.unlike == 0 && statistic.largest_z <= k_largest_z &&
         statistic.rms <= k_rms_limit(statistic.count);
}

KScale native_scale(const KProblem& problem, DType output) {
  KScale scale;
  scale.u_out = unit_roundoff(output);
  scale.half_smallest = half_smallest(output);
  scale.terms = std::max(problem.terms, 1.0);
  scale.u_int = scale.u_acc;
  for (const auto* dtypes : {&problem.inputs, &problem.outputs}) {
    for (const DType dtype : *dtypes) {
      if (may_be_intermediate(dtype)) scale.u_int = std::max(scale.u_int, unit_roundoff(dtype));
    }
  }
  return scale;
}

bool quantises_inside(const KProblem& problem, std::span<const TensorView> native,
                      std::span<const std::span<const double>> answers,
                      std::span<const std::span<const double>> gauges) {
  for (std::size_t i = 0; i < native.size(); ++i) {
    const KScale scale = native_scale(problem, native[i].dtype);
    if (!k_accepts(k_statistic(native[i], answers[i], gauges[i], scale))) return true;
  }
  return false;
}

}  // namespace kbench

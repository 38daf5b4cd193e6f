#include "verdict/error_statistics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <thread>

#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr std::size_t statistics_block = 4096;  // elements: both buffers stay in the L1 cache
constexpr std::size_t elements_per_thread = 1 << 18;
constexpr float epsilon = 1e-8F;
constexpr std::int32_t magnitude_mask = 0x7fffffff;
constexpr std::int32_t infinity_bits = 0x7f800000;

using StatisticsBlock = std::array<float, statistics_block>;

// Magnitudes are compared as integers: that orders them as numbers, with NaN above infinity, so
// that a NaN wins every maximum as it does in torch.
struct Partial {
  std::int32_t absolute = 0;
  std::int32_t relative = 0;
  std::int32_t output = 0;
  std::int32_t infinities = 0;
  std::int32_t beyond = 0;
};

KBENCH_SIMD
Partial scan(const float* x, const float* y, std::size_t count, float atol, float rtol) {
  Partial part;
  for (std::size_t i = 0; i < count; ++i) {
    const float absolute = std::fabs(x[i] - y[i]);
    const float relative = absolute / (std::fabs(y[i]) + epsilon);
    const std::int32_t absolute_bits = std::bit_cast<std::int32_t>(absolute);
    const std::int32_t relative_bits = std::bit_cast<std::int32_t>(relative) & magnitude_mask;
    const std::int32_t output_bits = std::bit_cast<std::int32_t>(x[i]) & magnitude_mask;
    part.absolute = std::max(part.absolute, absolute_bits);
    part.relative = std::max(part.relative, relative_bits);
    part.output = std::max(part.output, output_bits);
    part.infinities += output_bits == infinity_bits;
    part.beyond += (absolute > atol) & (relative > rtol);
  }
  return part;
}

void merge(ErrorStatistics& all, const ErrorStatistics& part) {
  const auto larger = [](float a, float b) {
    return std::bit_cast<std::int32_t>(a) > std::bit_cast<std::int32_t>(b) ? a : b;
  };
  all.count += part.count;
  all.beyond += part.beyond;
  all.max_absolute = larger(all.max_absolute, part.max_absolute);
  all.max_relative = larger(all.max_relative, part.max_relative);
  all.output_has_infinity |= part.output_has_infinity;
  all.output_has_nan |= part.output_has_nan;
}

ErrorStatistics scan_range(const TensorView& output, const TensorView& reference, std::size_t begin,
                           std::size_t end, std::array<float, 2> tolerance) {
  ErrorStatistics all;
  StatisticsBlock x, y;
  for (std::size_t first = begin; first < end; first += statistics_block) {
    const std::size_t count = std::min(statistics_block, end - first);
    decode(output.dtype, output.data, first, std::span(x).first(count));
    decode(reference.dtype, reference.data, first, std::span(y).first(count));
    const Partial part = scan(x.data(), y.data(), count, tolerance[0], tolerance[1]);
    merge(all,
          {count, static_cast<std::uint64_t>(part.beyond), std::bit_cast<float>(part.absolute),
           std::bit_cast<float>(part.relative), part.infinities > 0, part.output > infinity_bits});
  }
  return all;
}

// Calls look(index, x, y) for every element in order.
template <class Look>
void for_each_pair(const TensorView& output, const TensorView& reference, Look look) {
  const std::size_t total = element_count(output.shape);
  StatisticsBlock x, y;
  for (std::size_t first = 0; first < total; first += statistics_block) {
    const std::size_t count = std::min(statistics_block, total - first);
    decode(output.dtype, output.data, first, std::span(x).first(count));
    decode(reference.dtype, reference.data, first, std::span(y).first(count));
    for (std::size_t i = 0; i < count; ++i)
      if (!look(first + i, x[i], y[i])) return;
  }
}

}  // namespace

ErrorStatistics error_statistics(const TensorView& output, const TensorView& reference, float atol,
                                 float rtol) {
  const std::size_t count = element_count(output.shape);
  const std::size_t wanted = std::clamp<std::size_t>(
      count / elements_per_thread, 1, std::max(1U, std::thread::hardware_concurrency()));
  const std::size_t share =
      (count / wanted + statistics_block) / statistics_block * statistics_block;
  std::vector<ErrorStatistics> parts(wanted);
  const auto work = [&](std::size_t i) {
    parts[i] = scan_range(output, reference, std::min(i * share, count),
                          std::min((i + 1) * share, count), {atol, rtol});
  };
  in_parallel(wanted, {}, work);
  ErrorStatistics all;
  for (const ErrorStatistics& part : parts) merge(all, part);
  return all;
}

Worst worst_element(const TensorView& output, const TensorView& reference, float atol, float rtol) {
  Worst worst{element_count(output.shape), 0, 0};
  float largest = -1;
  for_each_pair(output, reference, [&](std::size_t index, float x, float y) {
    const float absolute = std::fabs(x - y);
    if (absolute > largest && absolute > atol && absolute / (std::fabs(y) + epsilon) > rtol) {
      largest = absolute;
      worst = {index, x, y};
    }
    return true;
  });
  return worst;
}

std::vector<bool> beyond_limits(const TensorView& output, const TensorView& reference, float atol,
                                float rtol) {
  std::vector<bool> beyond(element_count(output.shape));
  for_each_pair(output, reference, [&](std::size_t index, float x, float y) {
    const float absolute = std::fabs(x - y);
    beyond[index] =
        !std::isfinite(x) || (absolute > atol && absolute / (std::fabs(y) + epsilon) > rtol);
    return true;
  });
  return beyond;
}

Worst first_not_finite(const TensorView& output, const TensorView& reference) {
  Worst worst{element_count(output.shape), 0, 0};
  for_each_pair(output, reference, [&](std::size_t index, float x, float y) {
    if (std::isfinite(x)) return true;
    worst = {index, x, y};
    return false;
  });
  return worst;
}

}  // namespace kbench

#include "verdict/coarse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr std::size_t coarse_block = 1024, fewest = 8;
constexpr double most_part = 0.9;

using DoubleBlock = std::array<double, coarse_block>;

// Each number as the dtype has it.
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

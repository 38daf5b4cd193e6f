#include "verdict/ties.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <variant>

#include "problem/element.hpp"
#include "schema/dtype.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

std::int64_t low_half(std::int64_t byte) { return byte & 0xF; }
std::int64_t high_half(std::int64_t byte) { return (byte >> 4) & 0xF; }

std::int64_t half(std::int64_t byte, std::size_t i) {
  return i % 2 == 0 ? low_half(byte) : high_half(byte);
}

bool is_packed(const TensorView& tensor) { return tensor.dtype == DType::float4_e2m1; }

std::int64_t integer(const TensorView& tensor, std::size_t i) {
  if (is_packed(tensor)) return half(std::to_integer<std::int64_t>(tensor.data[i / 2]), i);
  return std::get<std::int64_t>(element(tensor.dtype, tensor.data, i));
}

// Codes of 4 bits: the first is the sign, the others are in the order of the numbers.
bool are_beside(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t sign = 8;
  return (a & sign) == (b & sign) && std::abs(a - b) <= 1;
}

}  // namespace

Ties::Ties(const Alternates& moved, const TensorView& own)
    : moved_(moved), own_(own), has_halves_(info(own.dtype).bits == 8) {}

template <typename Fits>
bool Ties::any(std::size_t i, const Fits& fits) const {
  if (fits(integer(own_, i))) return true;
  const auto index = static_cast<std::int64_t>(is_packed(own_) ? i / 2 : i);
  const auto at = std::lower_bound(
      moved_.seen.begin(), moved_.seen.end(), index,
      [](const Alternate& one, std::int64_t wanted) { return one.index < wanted; });
  for (auto one = at; one != moved_.seen.end() && one->index == index; ++one)
    if (fits(is_packed(own_) ? half(one->value, i) : one->value)) return true;
  return false;
}

bool Ties::is_seen(std::size_t i, std::int64_t value) const {
  if (any(i, [&](std::int64_t one) { return one == value; })) return true;
  return has_halves_ &&
         any(i, [&](std::int64_t one) { return low_half(one) == low_half(value); }) &&
         any(i, [&](std::int64_t one) { return high_half(one) == high_half(value); });
}

bool Ties::is_beside(std::size_t i, std::int64_t value) const {
  if (is_packed(own_)) return any(i, [&](std::int64_t one) { return are_beside(one, value); });
  if (any(i, [&](std::int64_t one) { return std::abs(one - value) <= 1; })) return true;
  return has_halves_ &&
         any(i, [&](std::int64_t one) { return are_beside(low_half(one), low_half(value)); }) &&
         any(i, [&](std::int64_t one) { return are_beside(high_half(one), high_half(value)); });
}

TieMisses tie_misses(const TensorView& output, const TensorView& native, const Ties& ties) {
  TieMisses misses;
  const std::size_t count = element_count(output.shape);
  misses.missed.resize(count);
  misses.first = count;
  const double likely = ties.likely();
  misses.limit = likely > 0 ? likely + k_largest_z * std::sqrt(likely + 1) : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t value = integer(output, i);
    if (value == integer(native, i)) continue;
    ++misses.others;
    if (ties.is_seen(i, value)) continue;
    misses.missed[i] = true;
    misses.first = std::min(misses.first, i);
    ++misses.unseen;
    if (!ties.is_beside(i, value)) ++misses.far;
  }
  return misses;
}

}  // namespace kbench

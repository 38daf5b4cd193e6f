#include "gpu/lanes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace kbench::gpu {
namespace {

constexpr std::int64_t largest_divisor = std::int64_t{1} << 32;

// Registers have 32 bits: what is beyond says nothing, and would grow in loops.
std::int64_t wrapped(std::int64_t value) { return static_cast<std::int32_t>(value); }

bool is_constant(const Lanes& value) { return value.divisor == 0 && is_same_in_all_lanes(value); }

Lanes scaled(const Lanes& a, std::int64_t factor) {
  if (factor == 0) return constant(0);
  Lanes result = a;
  result.divisor = a.divisor * std::abs(factor);
  // The power of two in a large divisor is enough, and stays in range.
  if (result.divisor > largest_divisor) result.divisor &= -result.divisor;
  result.divisor = std::min(result.divisor, largest_divisor);
  for (std::int64_t& offset : result.offset) offset = wrapped(offset * factor);
  return result;
}

// The largest power of two that divides all bases; 0 when these are 0.
std::int64_t common_power(const std::array<Lanes, 3>& numbers) {
  std::int64_t divisor = 0;
  for (const Lanes& one : numbers) divisor = std::gcd(divisor, one.divisor);
  return divisor & -divisor;
}

std::uint32_t lookup(const std::array<std::uint32_t, 3>& words, unsigned table) {
  std::uint32_t result = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1U) == 0) continue;
    const std::uint32_t a = (row & 4U) != 0 ? words[0] : ~words[0];
    const std::uint32_t b = (row & 2U) != 0 ? words[1] : ~words[1];
    const std::uint32_t c = (row & 1U) != 0 ? words[2] : ~words[2];
    result |= a & b & c;
  }
  return result;
}

std::uint32_t bits(std::int64_t value) { return static_cast<std::uint32_t>(value); }

// The result in one lane, where the bits above `low` of those numbers whose base is not known may
// be any; nothing where it is not the same for all of these.
std::optional<std::uint32_t> sure_result(const std::array<Lanes, 3>& numbers, std::size_t lane,
                                         std::uint32_t low, unsigned table) {
  std::optional<std::uint32_t> result;
  for (unsigned high = 0; high < 8; ++high) {
    std::array<std::uint32_t, 3> words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = bits(numbers[i].offset[lane]);
      if (numbers[i].divisor != 0)
        words[i] = (words[i] & low) | ((high >> i & 1U) != 0 ? ~low : 0U);
    }
    const std::uint32_t word = lookup(words, table);
    if (result && *result != word) return std::nullopt;
    result = word;
  }
  return result;
}

// Every lane's bits above those below `power` are those of the first one.
bool is_same_above(const Lanes& number, std::int64_t power) {
  const std::uint32_t mask = ~(bits(power) - 1);
  return std::all_of(number.offset.begin(), number.offset.end(), [&](std::int64_t offset) {
    return (bits(offset) & mask) == (bits(number.offset[0]) & mask);
  });
}

}  // namespace

Lanes any_number() { return {true, 1, {}}; }

Lanes constant(std::int64_t value) {
  Lanes result{true, 0, {}};
  result.offset.fill(wrapped(value));
  return result;
}

Lanes lane_number(std::int64_t divisor) {
  Lanes result{true, divisor, {}};
  std::iota(result.offset.begin(), result.offset.end(), 0);
  return result;
}

bool is_same_in_all_lanes(const Lanes& value) {
  return value.is_known &&
         std::all_of(value.offset.begin(), value.offset.end(),
                     [&](std::int64_t offset) { return offset == value.offset[0]; });
}

Lanes sum(const Lanes& a, const Lanes& b) {
  if (!a.is_known || !b.is_known) return {};
  Lanes result{true, std::gcd(a.divisor, b.divisor), {}};
  for (std::size_t i = 0; i < warp_lanes; ++i)
    result.offset[i] = wrapped(a.offset[i] + b.offset[i]);
  return result;
}

Lanes negative(const Lanes& a) { return a.is_known ? scaled(a, -1) : Lanes{}; }

Lanes product(const Lanes& a, const Lanes& b) {
  if (!a.is_known || !b.is_known) return {};
  if (is_constant(a)) return scaled(b, a.offset[0]);
  if (is_constant(b)) return scaled(a, b.offset[0]);
  return is_same_in_all_lanes(a) && is_same_in_all_lanes(b) ? any_number() : Lanes{};
}

Lanes shifted_left(const Lanes& a, const Lanes& by) {
  if (!a.is_known || !is_constant(by) || by.offset[0] < 0 || by.offset[0] > 31)
    return is_same_in_all_lanes(a) && is_same_in_all_lanes(by) ? any_number() : Lanes{};
  return scaled(a, std::int64_t{1} << by.offset[0]);
}

Lanes shifted_right(const Lanes& a, const Lanes& by) {
  const bool is_uniform = is_same_in_all_lanes(a) && is_same_in_all_lanes(by);
  const Lanes otherwise = is_uniform ? any_number() : Lanes{};
  if (!a.is_known || !is_constant(by) || by.offset[0] < 0 || by.offset[0] > 31) return otherwise;
  const std::int64_t unit = std::int64_t{1} << by.offset[0];
  if (a.divisor % unit != 0) return otherwise;
  Lanes result = a;
  result.divisor = a.divisor / unit;
  for (std::int64_t& offset : result.offset) offset >>= by.offset[0];
  return result;
}

Lanes bitwise(const std::array<Lanes, 3>& numbers, unsigned table) {
  const auto is_unknown = [](const Lanes& one) { return !one.is_known; };
  if (std::any_of(numbers.begin(), numbers.end(), is_unknown)) return {};
  // Below `power` bits are those of the offsets; above they are some number, the same in all lanes
  // when the offsets' are.
  const std::int64_t power = common_power(numbers);
  const std::uint32_t mask = power == 0 ? ~0U : bits(power) - 1;
  Lanes result{true, 0, {}};
  bool is_sure = true;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const auto word = sure_result(numbers, i, mask, table);
    is_sure &= word.has_value();
    result.offset[i] = wrapped(word.value_or(0));
  }
  if (is_sure) return result;
  const bool is_same = std::all_of(numbers.begin(), numbers.end(), [power](const Lanes& one) {
    return power == 0 || is_same_above(one, power);
  });
  if (!is_same) return {};
  result.divisor = power;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const std::uint32_t word =
        lookup({bits(numbers[0].offset[i]), bits(numbers[1].offset[i]), bits(numbers[2].offset[i])},
               table);
    result.offset[i] = wrapped(word & mask);
  }
  return result;
}

Lanes either(const Lanes& a, const Lanes& b) {
  if (a == b) return a;
  if (!a.is_known || !b.is_known) return {};
  const std::int64_t apart = b.offset[0] - a.offset[0];
  for (std::size_t i = 0; i < warp_lanes; ++i)
    if (b.offset[i] - a.offset[i] != apart) return {};
  Lanes result = a;
  result.divisor = std::gcd(std::gcd(a.divisor, b.divisor), apart);
  return result;
}

}  // namespace kbench::gpu

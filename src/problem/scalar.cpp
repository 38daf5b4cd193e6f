#include "problem/scalar.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace kbench {
namespace {

double as_double(const ScalarValue& literal) {
  if (const auto* big = std::get_if<BigInteger>(&literal)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double value = 0;
    const char* end = big->digits.data() + big->digits.size();
    const bool fits = std::from_chars(big->digits.data(), end, value).ec == std::errc();
    return fits ? value : big->digits.starts_with('-') ? -infinity : infinity;
  }
  if (const auto* value = std::get_if<double>(&literal)) return *value;
  if (const auto* value = std::get_if<bool>(&literal)) return *value ? 1 : 0;
  return static_cast<double>(std::get<std::int64_t>(literal));
}

std::int64_t highest_integer(int bits) {
  return std::numeric_limits<std::int64_t>::max() >> (64 - bits);
}

// An integer literal, or a whole number, that the dtype can hold.
std::optional<std::int64_t> as_integer(const ScalarValue& literal, int bits) {
  std::int64_t value = 0;
  if (const auto* integer = std::get_if<std::int64_t>(&literal)) {
    value = *integer;
  } else {
    const double number = as_double(literal);
    if (number != std::trunc(number) || std::abs(number) >= 0x1p63) return std::nullopt;
    value = static_cast<std::int64_t>(number);
  }
  const std::int64_t highest = highest_integer(bits);
  if (value > highest || value < -highest - 1) return std::nullopt;
  return value;
}

// Rounded, a number may be up to half a unit in the last place above the largest.
std::optional<double> as_floating(const ScalarValue& literal, DType dtype) {
  const double value = as_double(literal);
  const bool is_written_so = std::holds_alternative<double>(literal) && !std::isfinite(value);
  const double largest = info(dtype).largest * (1 + unit_roundoff(dtype) / 2);
  if (!is_written_so && !(std::abs(value) <= largest)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Scalar> bind_scalar(DType dtype, const ScalarValue& literal) {
  switch (info(dtype).kind) {
    case DTypeKind::floating:
      return as_floating(literal, dtype);
    case DTypeKind::integer:
      return as_integer(literal, info(dtype).bits);
    case DTypeKind::boolean:
      break;
  }
  const double value = as_double(literal);
  if (value != 0 && value != 1) return std::nullopt;
  return value == 1;
}

std::string text_of(const ScalarValue& literal) {
  if (const auto* big = std::get_if<BigInteger>(&literal)) return big->digits;
  if (const auto* value = std::get_if<double>(&literal)) return fmt::format("{}", *value);
  if (const auto* value = std::get_if<bool>(&literal)) return *value ? "true" : "false";
  return fmt::format("{}", std::get<std::int64_t>(literal));
}

std::string range_text(DType dtype) {
  const DTypeInfo& about = info(dtype);
  if (about.kind == DTypeKind::boolean) return "bool holds true and false";
  if (about.kind == DTypeKind::floating)
    return fmt::format("{} holds numbers up to {:.5g}", about.name, about.largest);
  const std::int64_t highest = highest_integer(about.bits);
  return fmt::format("{} holds whole numbers from {} to {}", about.name, -highest - 1, highest);
}

}  // namespace kbench

#include "schema/lax.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "base/text.hpp"
#include "syntax/unicode.hpp"

namespace kbench {
namespace {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Removes Python's underscores between digits; others stay for the number parser to refuse.
std::string without_underscores(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i > 0 && i + 1 < text.size() && text[i - 1] != '_';
    if (text[i] != '_' || !between) out += text[i];
  }
  return out;
}

// Returns Python's value of digits out of range, infinity or zero: from_chars leaves it unset.
double out_of_range(std::string_view digits) {
  const auto exponent = digits.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos && digits.substr(exponent + 1, 1) == "-";
  return tiny ? 0.0 : std::numeric_limits<double>::infinity();
}

std::optional<double> parse_word(const std::string& word) {
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf" || word == "infinity") return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<double> parse_unsigned(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text[0] != '.' && !python::is_digit(text[0])) return parse_word(lower(text));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  return error == std::errc::result_out_of_range ? out_of_range(text) : value;
}

std::optional<double> parse_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool has_sign = negative || text.starts_with('+');
  auto size = parse_unsigned(text.substr(has_sign ? 1 : 0));
  if (size && negative) *size = -*size;
  return size;
}

std::optional<std::int64_t> whole(double value) {
  if (!(std::abs(value) < 9.2e18) || value != std::trunc(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

bool is_digits(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), python::is_digit);
}

// Refuses 1e400: it is beyond a double, and no infinity that somebody wrote.
std::optional<ScalarValue> number_or_digits(std::string_view text) {
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  if (std::isinf(*number) && std::any_of(text.begin(), text.end(), python::is_digit))
    return BigInteger{std::string(text)};
  return *number;
}

}  // namespace

std::optional<std::int64_t> lax_integer(const json::Value& value) {
  using json::Kind;
  if (value.kind == Kind::boolean) return value.truth ? 1 : 0;
  if (value.kind == Kind::integer) return parse_integer(value.text);
  if (value.kind == Kind::number) {
    const auto number = parse_number(value.text);
    return number ? whole(*number) : std::nullopt;
  }
  if (value.kind != Kind::string) return std::nullopt;
  std::string text = without_underscores(trim(value.text));
  // "4.0" is an integer; "4.", "4.5" and "4e0" are not.
  if (const auto dot = text.find('.'); dot != std::string::npos && dot > 0) {
    if (dot + 1 == text.size() || text.find_first_not_of('0', dot + 1) != std::string::npos)
      return std::nullopt;
    text.resize(dot);
  }
  return parse_integer(text);
}

std::optional<double> lax_number(const json::Value& value) {
  using json::Kind;
  if (value.kind == Kind::boolean) return value.truth ? 1.0 : 0.0;
  if (value.kind == Kind::integer || value.kind == Kind::number) return parse_number(value.text);
  if (value.kind != Kind::string) return std::nullopt;
  return parse_number(without_underscores(trim(value.text)));
}

std::optional<bool> lax_bool(const json::Value& value) {
  using json::Kind;
  if (value.kind == Kind::boolean) return value.truth;
  if (value.kind == Kind::integer || value.kind == Kind::number) {
    const auto number = parse_number(value.text);
    if (number && (*number == 0 || *number == 1)) return *number == 1;
    return std::nullopt;
  }
  if (value.kind != Kind::string) return std::nullopt;
  const std::string word = lower(value.text);
  for (const std::string_view yes : {"true", "1", "yes", "on", "t", "y"})
    if (word == yes) return true;
  for (const std::string_view no : {"false", "0", "no", "off", "f", "n"})
    if (word == no) return false;
  return std::nullopt;
}

std::optional<ScalarValue> lax_scalar(const json::Value& value) {
  using json::Kind;
  if (value.kind == Kind::boolean) return value.truth;
  if (value.kind == Kind::integer) {
    if (const auto integer = parse_integer(value.text)) return *integer;
    return BigInteger{std::string(value.text)};
  }
  if (value.kind == Kind::number) return number_or_digits(value.text);
  if (value.kind != Kind::string) return std::nullopt;
  if (const auto integer = lax_integer(value)) return *integer;
  const std::string_view text = trim(value.text);
  if (is_digits(text)) return BigInteger{std::string(text)};
  if (auto number = number_or_digits(without_underscores(text))) return number;
  const auto truth = lax_bool(value);
  return truth ? std::optional<ScalarValue>(*truth) : std::nullopt;
}

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr Range ranges[] = {
    {Rule::non_negative, true, unbounded, false, "a number >= 0"},
    {Rule::non_negative_or_nan, true, unbounded, true, "a number >= 0 or NaN"},
    {Rule::positive, false, unbounded, false, "a number > 0"},
    {Rule::fraction, false, 1, false, "a number > 0 and <= 1"},
    {Rule::unit, true, 1, false, "a number >= 0 and <= 1"},
    {Rule::setting, false, largest_setting, false, "a number > 0 and <= 1000000000"},
    {Rule::setting_or_zero, true, largest_setting, false, "a number >= 0 and <= 1000000000"},
};

}  // namespace

bool Range::holds(double value) const {
  if (std::isnan(value)) return with_nan;
  return (value > 0 || (with_zero && value == 0)) && value <= highest;
}

const Range* range_of(Rule rule) {
  if (rule == Rule::any) return nullptr;  // the rule of nearly all numbers
  const auto* range = std::find_if(std::begin(ranges), std::end(ranges),
                                   [&](const Range& one) { return one.rule == rule; });
  return range == std::end(ranges) ? nullptr : range;
}

}  // namespace kbench

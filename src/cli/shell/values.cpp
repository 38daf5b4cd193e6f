#include "cli/shell/values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <system_error>

namespace kbench {
namespace {

template <class T>
std::optional<T> parse(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

template <class T>
ValueCheck integer_of(T lowest, T highest) {
  return [=](const std::string& text) -> std::string {
    const auto value = parse<T>(text);
    if (value && *value >= lowest && *value <= highest) return "";
    return fmt::format("expected an integer from {} to {}, found {}", lowest, highest, text);
  };
}

// `what` says which numbers are good.
ValueCheck number_of(const std::function<bool(double)>& is_good, const std::string& what) {
  return [=](const std::string& text) -> std::string {
    const auto value = parse<double>(text);
    return value && is_good(*value) ? "" : fmt::format("expected {}, found {}", what, text);
  };
}

}  // namespace

std::optional<std::int64_t> parse_integer(const std::string& text) {
  return parse<std::int64_t>(text);
}

ValueCheck integer(std::int64_t lowest, std::int64_t highest) {
  return integer_of(lowest, highest);
}

ValueCheck unsigned_integer() { return integer_of<std::uint64_t>(0, UINT64_MAX); }

ValueCheck positive(double highest) {
  return number_of(
      [=](double value) { return value > 0 && value <= highest; },
      highest < any_size ? fmt::format("a number > 0 and <= {}", highest) : "a finite number > 0");
}

ValueCheck number(double lowest, double highest) {
  return number_of([=](double value) { return value >= lowest && value <= highest; },
                   highest < any_size ? fmt::format("a number from {} to {}", lowest, highest)
                                      : fmt::format("a finite number >= {}", lowest));
}

std::optional<double> parse_share(const std::string& text) {
  const bool is_percent = text.ends_with('%');
  const auto value = parse<double>(is_percent ? text.substr(0, text.size() - 1) : text);
  const double highest = is_percent ? 99.999 : 0.99999;
  if (!value || !(*value > 0 && *value <= highest)) return std::nullopt;
  return *value / (is_percent ? 100 : 1);
}

ValueCheck share() {
  return [](const std::string& text) {
    return parse_share(text) ? "" : "it is a share between 0 and 1, as 0.5% or 0.005";
  };
}

}  // namespace kbench

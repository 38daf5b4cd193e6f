#include "schema/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "schema/lax.hpp"

namespace kbench {
namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [last, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && last == end ? std::optional(number) : std::nullopt;
}

std::string number_text(double number) {
  std::string text = fmt::format("{}", number);
  const bool looks_whole = text.find_first_not_of("-0123456789") == text.npos;
  return looks_whole ? text + ".0" : text;
}

}  // namespace

std::string parameter_text(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return std::get<std::string>(value);
}

ParameterValue parameter_value(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto integer = whole_number<std::int64_t>(text)) return *integer;
  if (const auto number = whole_number<double>(text); number && std::isfinite(*number))
    return *number;
  return std::string(text);
}

std::optional<ParameterValue> parameter_value(const json::Value& value) {
  switch (value.kind) {
    case json::Kind::boolean:
      return value.truth;
    case json::Kind::string:
      return std::string(value.text);
    case json::Kind::integer: {
      const auto integer = lax_integer(value);
      return integer ? std::optional<ParameterValue>(*integer) : std::nullopt;
    }
    case json::Kind::number: {
      const auto number = lax_number(value);
      return number ? std::optional<ParameterValue>(*number) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::string configuration_text(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, parameter_text(value));
  return text;
}

std::variant<Configuration, std::string> parse_configuration(std::string_view text) {
  Configuration configuration;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name(trim(part.substr(0, equals)));
    if (equals == part.npos || name.empty())
      return fmt::format("\"{}\" is no <name>=<value>, as in BLOCK=128,VEC=4", part);
    if (configuration.contains(name)) return fmt::format("{} stands there twice", name);
    const std::string_view value = trim(part.substr(equals + 1));
    if (value.empty()) return fmt::format("{} has no value", name);
    configuration[name] = parameter_value(value);
  }
  return configuration;
}

bool same_configuration(const Configuration& a, const Configuration& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& item) {
           const ParameterValue* const other = b.find(item.first);
           return other != nullptr && *other == item.second;
         });
}

}  // namespace kbench

#include "tune/recorded_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "schema/lax.hpp"

namespace kbench {

std::optional<ParameterValue> listed_value(const SpaceParameter& parameter,
                                           const ParameterValue& value) {
  const auto number = [](const ParameterValue& of) -> std::optional<double> {
    if (const auto* integer = std::get_if<std::int64_t>(&of)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&of)) return *real;
    return std::nullopt;
  };
  const auto& values = parameter.values;
  auto at = std::find(values.begin(), values.end(), value);
  if (at == values.end() && number(value)) {
    at = std::find_if(values.begin(), values.end(),
                      [&](const ParameterValue& other) { return number(other) == number(value); });
  }
  return at == values.end() ? std::nullopt : std::optional(*at);
}

void RecordedFile::error(const json::Value& at, std::string message, std::string hint) const {
  out.error(locate(source, at.begin), std::move(message), std::move(hint));
}

void RecordedFile::warning(const json::Value& at, std::string message, std::string hint) const {
  out.warning(locate(source, at.begin), std::move(message), std::move(hint));
}

const json::Value* RecordedFile::member(const json::Value& object, std::string_view key,
                                        json::Kind kind) const {
  const json::Value* const value = object.find(key);
  if (value != nullptr && value->kind == kind) return value;
  if (value == nullptr) {
    error(object, fmt::format("there is no \"{}\"", key));
  } else if (value->kind != json::Kind::broken) {
    error(*value, fmt::format("\"{}\" is no {}", key, json::kind_name(kind)));
  }
  return nullptr;
}

bool RecordedFile::take_number(const json::Value* value, RecordedEntry& entry) {
  const bool is_number =
      value != nullptr && (value->kind == json::Kind::integer || value->kind == json::Kind::number);
  if (!is_number) return false;
  entry.value = lax_number(*value);
  if (entry.value && std::isfinite(*entry.value)) return true;
  entry.value.reset();
  entry.failure = "no finite value";
  return true;
}

std::string RecordedFile::text(std::string_view key) const {
  const json::Value* const value = root.find(key);
  return value != nullptr && value->is_string() ? std::string(value->text) : "";
}

void RecordedFile::set_objective(RecordedSearch& record, const std::string& name,
                                 const json::Value& at) const {
  record.objective = name;
  if (name == "time") record.unit = "ms";
  const auto known = is_higher_better(name);
  if (!known && !wanted.is_higher_better) {
    warning(at, fmt::format("it is not known whether more \"{}\" is better: less is taken to be",
                            name));
  }
  record.is_higher_better = wanted.is_higher_better.value_or(known.value_or(false));
}

}  // namespace kbench

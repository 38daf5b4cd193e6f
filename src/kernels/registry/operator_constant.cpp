#include "kernels/registry/operator_constant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/registry/scalar_type.hpp"

namespace kbench {
namespace {

using json::Kind;
using ops::BaseType;

struct NamedNumber {
  std::string_view name;
  std::string_view number;
};
// Source: PyTorch, ATen/core/Reduction.h and c10/core/MemoryFormat.h.
constexpr NamedNumber reductions[] = {{"Mean", "1"}, {"Sum", "2"}};
constexpr NamedNumber memory_formats[] = {{"contiguous_format", "0"},
                                          {"preserve_format", "1"},
                                          {"channels_last", "2"},
                                          {"channels_last_3d", "3"}};

template <std::size_t count>
std::optional<std::string> number_of(std::string_view word, const NamedNumber (&all)[count]) {
  const auto found = std::find_if(std::begin(all), std::end(all),
                                  [&](const NamedNumber& one) { return one.name == word; });
  return found == std::end(all) ? std::nullopt : std::optional(std::string(found->number));
}

bool is_memory_format(std::string_view number) {
  return std::any_of(std::begin(memory_formats), std::end(memory_formats),
                     [&](const NamedNumber& one) { return one.number == number; });
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_good = error == std::errc() && end == text.data() + text.size();
  return is_good ? std::optional(value) : std::nullopt;
}

std::optional<std::string> floating_of(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0') return std::nullopt;
  const bool is_word = lower(copy).find('n') != std::string::npos;  // inf, nan
  if (!is_word && !std::isfinite(value)) return std::nullopt;
  const bool is_decimal = copy.find_first_not_of("0123456789+-.eE") == std::string::npos;
  return is_decimal ? copy : fmt::format("{}", value);
}

std::optional<std::string> scalar_type_of(const ScalarTypeInfo* type) {
  return type == nullptr ? std::nullopt : std::optional(std::string(type->name));
}

// "Long", "int64", and "long" as schemas write it.
std::optional<std::string> scalar_type_named(std::string_view word) {
  if (const ScalarTypeInfo* const type = find_scalar_type(word)) return scalar_type_of(type);
  for (const ScalarTypeInfo& type : scalar_types()) {
    if (lower(std::string(type.name)) == word) return std::string(type.name);
  }
  return std::nullopt;
}

std::optional<std::string> integer_text(std::string_view text) {
  return integer_of(text) ? std::optional(std::string(text)) : std::nullopt;
}

// As PyTorch counts them.
std::optional<std::string> scalar_type_numbered(std::string_view text) {
  const auto code = integer_of(text);
  if (!code || *code < 0 || *code > INT8_MAX) return std::nullopt;
  return scalar_type_of(find_scalar_type(static_cast<int>(*code)));
}

std::optional<std::string> number_for(std::string_view text, BaseType type) {
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string_view::npos;
  switch (type) {
    case BaseType::integer:
    case BaseType::sym_int:
      return integer_text(text);
    case BaseType::floating:
      return floating_of(text);
    case BaseType::scalar:
      return is_whole ? integer_text(text) : floating_of(text);
    case BaseType::scalar_type:
      return scalar_type_numbered(text);
    case BaseType::memory_format:
      return is_memory_format(text) ? std::optional(std::string(text)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> word_for(std::string_view word, BaseType type) {
  switch (type) {
    case BaseType::integer:
    case BaseType::sym_int:
      return number_of(word, reductions);
    case BaseType::floating:
    case BaseType::scalar:
      return is_one_of(word, {"inf", "-inf", "nan"}) ? std::optional(std::string(word))
                                                     : std::nullopt;
    case BaseType::scalar_type:
      return scalar_type_named(word);
    case BaseType::memory_format:
      return number_of(word, memory_formats);
    case BaseType::string:
      return std::string(word);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> truth_for(bool value, BaseType type) {
  if (type != BaseType::boolean && type != BaseType::scalar) return std::nullopt;
  return value ? "True" : "False";
}

}  // namespace

std::optional<std::string> constant_of(const json::Value& value, BaseType type) {
  switch (value.kind) {
    case Kind::boolean:
      return truth_for(value.truth, type);
    case Kind::integer:
    case Kind::number:
      return number_for(value.text, type);
    case Kind::string:
      return word_for(value.text, type);
    default:
      return std::nullopt;
  }
}

std::optional<std::string> default_constant(std::string_view text, BaseType type) {
  if (text == "True" || text == "False") return truth_for(text == "True", type);
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'');
  if (is_quoted) return word_for(text.substr(1, text.size() - 2), type);
  const auto number = number_for(text, type);
  return number ? number : word_for(text, type);
}

std::string shown_constant(const json::Value& value) {
  switch (value.kind) {
    case Kind::boolean:
      return value.truth ? "true" : "false";
    case Kind::integer:
    case Kind::number:
      return std::string(value.text);
    case Kind::string:
      return fmt::format("\"{}\"", value.text);
    case Kind::null:
      return "null";
    default:
      return value.kind == Kind::array ? "a list" : "a map";
  }
}

}  // namespace kbench

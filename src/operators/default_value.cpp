#include "operators/default_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/words.hpp"
#include "operators/type_parser.hpp"

namespace kbench::ops {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
  }) && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

bool is_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  std::strtod(copy.c_str(), &end);
  return !copy.empty() && *end == '\0' && std::isspace(static_cast<unsigned char>(copy[0])) == 0;
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_truth(std::string_view text) { return is_one_of(text, {"True", "False"}); }

bool is_string(std::string_view text) {
  return text.size() >= 2 && (text[0] == '"' || text[0] == '\'') &&
         skip_group(text, 0) == text.size();
}

// A single value of the base type. Words stand for constants: Mean, long, contiguous_format.
// The name of a constant.
bool is_constant(std::string_view text) {
  return is_word(text) && !is_truth(text) && text != "None";
}

// Numbers may be constants: "Mean" of a reduction.
bool takes_constants(BaseType base) {
  constexpr BaseType all[] = {BaseType::integer, BaseType::sym_int, BaseType::scalar_type,
                              BaseType::memory_format, BaseType::layout};
  return std::find(std::begin(all), std::end(all), base) != std::end(all);
}

bool fits(BaseType base, std::string_view text) {
  if (takes_constants(base) && is_constant(text)) return true;
  switch (base) {
    case BaseType::integer:
    case BaseType::sym_int:
      return is_integer(text);
    case BaseType::floating:
      return is_number(text);
    case BaseType::boolean:
      return is_truth(text);
    case BaseType::scalar:
      return is_number(text) || is_truth(text);
    case BaseType::string:
      return is_string(text);
    case BaseType::device:
      return is_word(text) || is_string(text);
    default:
      return false;
  }
}

bool is_list(std::string_view text) { return text.starts_with('[') && text.ends_with(']'); }

bool fits_list(const Type& type, std::string_view text) {
  for (const Piece& item : split_at_commas({text.substr(1, text.size() - 2), 0})) {
    if (!fits(type.base, item.text)) return false;
  }
  return true;
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool is_quote = text[i] == '"' || text[i] == '\'';
    const std::size_t end = is_quote ? std::min(skip_group(text, i), text.size()) : i + 1;
    if (text[i] != ' ') out += text.substr(i, end - i);
    i = end;
  }
  return out;
}

// Why `text` is no default of the type, "" where it is one.
std::string problem(const Type& type, std::string_view text) {
  if (type.is_optional() && text == "None") return "";
  if (text == "None")
    return fmt::format("None is no default of {}, which is not optional", ops::text(type));
  const bool wants_list = type.has_list();
  if (wants_list && !is_list(text)) {
    const auto list =
        std::find_if(type.modifiers.begin(), type.modifiers.end(),
                     [](const Modifier& m) { return m.kind == Modifier::Kind::list; });
    if (!list->size) return fmt::format("Expected a list default '[...]' but found: '{}'", text);
  }
  const bool is_good = wants_list && is_list(text) ? fits_list(type, text) : fits(type.base, text);
  return is_good ? "" : fmt::format("'{}' is no default of {}", text, ops::text(type));
}

}  // namespace

std::string parse_default(Piece argument, std::size_t equals, const Type* type,
                          std::vector<Flaw>& flaws) {
  const Piece value = argument.from(equals + 1);
  const std::string text = without_blanks(value.text);
  if (text.find('=') != std::string::npos) {
    flaws.push_back({Level::error, argument.at,
                     fmt::format("illegal argument with default value: '{}'", argument.text),
                     "a default holds no \"=\""});
    return text;
  }
  if (text != value.text) {
    flaws.push_back(blank_flaw(value.at, text));
  }
  if (std::string why = type == nullptr ? "" : problem(*type, text); !why.empty())
    flaws.push_back({Level::error, value.trimmed().at, std::move(why), ""});
  return text;
}

}  // namespace kbench::ops

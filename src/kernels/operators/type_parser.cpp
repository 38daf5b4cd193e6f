#include "kernels/operators/type_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "base/text.hpp"
#include "base/words.hpp"

namespace kbench::ops {
namespace {

constexpr std::size_t most_modifiers = 8;  // "?" and "[]" of a type

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

// Tells whether a word names a constant: Mean, long, contiguous_format.
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
  for (const Piece& item : split_at_commas({text.substr(1, text.size() - 2), 0}))
    if (!fits(type.base, item.text)) return false;
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

// Says why `text` is no default of the type; "" where it is one.
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
  if (text != value.text) flaws.push_back(blank_flaw(value.at, text));
  if (std::string why = type == nullptr ? "" : problem(*type, text); !why.empty())
    flaws.push_back({Level::error, value.trimmed().at, std::move(why), ""});
  return text;
}

namespace {

bool is_alias_letter(char c) { return c >= 'a' && c <= 'z'; }

// "a", "a|b|c"
bool is_alias_set(std::string_view text) {
  if (text.size() % 2 == 0) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i % 2 == 0 ? !is_alias_letter(text[i]) : text[i] != '|') return false;
  return true;
}

// Reads the inside of "Tensor(a! -> b)".
Alias parse_alias(Piece piece, std::vector<Flaw>& flaws) {
  const std::size_t arrow = piece.text.find(" -> ");
  std::string_view before = piece.text.substr(0, arrow);
  const std::string_view after = arrow == npos ? "" : piece.text.substr(arrow + 4);
  Alias alias;
  alias.is_write = before.ends_with('!');
  if (alias.is_write) before.remove_suffix(1);
  alias.before = before;
  alias.after = after;
  const bool is_known =
      is_alias_set(before) && (arrow == npos || after == "*" || is_alias_set(after));
  if (!is_known) {
    error(flaws, piece.at, fmt::format("unrecognized alias annotation {}", piece.text),
          "(a) for memory that is shared, (a!) for memory that is written");
  } else if (alias.is_write && before.size() > 1) {
    error(flaws, piece.at,
          fmt::format("alias set larger than 1 is not mutable, got {} instead.", piece.text));
  } else if (before.size() > 1 && after.size() > 1) {
    error(flaws, piece.at,
          fmt::format("before alias set and after alias set cannot be larger than 1 at the same "
                      "time, got {} instead.",
                      piece.text));
  }
  return alias;
}

// Takes one of "?", "[]" and "[2]" from the beginning of `text`: its length, 0 for none.
std::size_t take_modifier(std::string_view text, Modifier& out) {
  if (text.starts_with('?')) {
    out = {Modifier::Kind::optional, std::nullopt};
    return 1;
  }
  const std::size_t close = text.find(']');
  if (!text.starts_with('[') || close == npos) return 0;
  out = {Modifier::Kind::list, std::nullopt};
  if (close == 1) return 2;
  std::int64_t size = 0;
  const char* const end = text.data() + close;
  const auto [last, failure] = std::from_chars(text.data() + 1, end, size);
  if (failure != std::errc() || last != end || size < 0) return 0;
  if (size > 0) out.size = size;
  return close + 1;
}

std::vector<std::string> known_types() {
  std::vector<std::string> names;
  for (const BaseTypeInfo& row : base_types())
    if (row.type != BaseType::custom_class) names.emplace_back(row.name);
  return names;
}

bool find_base(std::string_view name, Type& type) {
  const std::string_view prefix = info(BaseType::custom_class).name;
  if (name.starts_with(prefix) && name.size() > prefix.size()) {
    type.base = BaseType::custom_class;
    type.class_name = name.substr(prefix.size());
    return true;
  }
  const auto found = find_base_type(name);
  if (found) type.base = *found;
  return found.has_value();
}

Type parse_type(Piece piece, std::vector<Flaw>& flaws) {
  Type type;
  const std::size_t end = std::min(piece.text.find_first_of("?["), piece.text.size());
  const std::string_view base = piece.text.substr(0, end);
  std::string_view rest = piece.text.substr(end);
  bool is_good = find_base(base, type);
  while (is_good && !rest.empty()) {
    Modifier modifier;
    const std::size_t length = take_modifier(rest, modifier);
    is_good = length > 0 && type.modifiers.size() < most_modifiers;
    rest.remove_prefix(length);
    if (is_good) type.modifiers.push_back(modifier);
  }
  if (!is_good)
    error(flaws, piece.at, fmt::format("unrecognized type {}", piece.text),
          did_you_mean(base == "double" ? "float" : base, known_types()));
  return type;
}

// Reads the type of `piece`, and the alias that stands in it.
Type parse_annotated(Piece piece, std::optional<Alias>& alias, std::vector<Flaw>& flaws) {
  constexpr std::string_view opening = "Tensor(";
  if (!piece.text.starts_with(opening)) return parse_type(piece, flaws);
  const std::size_t close = piece.text.find(')');
  if (close == npos) {
    error(flaws, piece.at, fmt::format("unrecognized type {}", piece.text), "a ) is missing");
    return {};
  }
  alias = parse_alias(piece.until(close).from(opening.size()), flaws);
  const Piece behind = piece.from(close + 1);
  if (behind.text != "" && behind.text != "?" && behind.text != "[]") {
    error(flaws, behind.at,
          fmt::format("unrecognized alias analysis form with Tensor: {}", behind.text),
          "Tensor(a), Tensor(a)? and Tensor(a)[] can be written");
    return {};
  }
  Type type;
  Modifier modifier;
  if (take_modifier(behind.text, modifier) > 0) type.modifiers.push_back(modifier);
  return type;
}

// Finds the blank between type and name: the last one outside of brackets.
std::size_t find_name(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  const std::size_t close = text.rfind(')');
  return close != npos && blank != npos && blank < close ? npos : blank;
}

void check_identifier(Piece name, std::vector<Flaw>& flaws) {
  if (!is_identifier(name.text))
    error(flaws, name.at, fmt::format("\"{}\" is no name", name.text),
          "names are made of letters, digits and _");
}

Piece type_before(Piece piece, std::size_t blank, std::vector<Flaw>& flaws) {
  const Piece type = piece.until(blank);
  if (type.trimmed().text != type.text)
    flaws.push_back(blank_flaw(type.trimmed().end(), "one blank"));
  return type.trimmed();
}

}  // namespace

Flaw blank_flaw(std::size_t at, std::string_view should_be) {
  return {Level::warning, at, "blanks that torchgen does not take",
          fmt::format("here stands {}", should_be), true};
}

Argument parse_argument(Piece piece, std::vector<Flaw>& flaws) {
  Argument argument;
  argument.begin = piece.at;
  const std::size_t equals = piece.text.find('=');
  const Piece head = piece.until(std::min(equals, piece.text.size()));
  const std::size_t blank = find_name(head.trimmed().text);
  if (blank == npos) {
    error(flaws, piece.at, fmt::format("illegal argument '{}'", piece.text),
          "an argument is a type, a blank and a name, as in \"Tensor self\"");
    return argument;
  }
  const Piece name = head.trimmed().from(blank + 1);
  check_identifier(name, flaws);
  argument.name = name.text;
  const Piece type = type_before(head.trimmed(), blank, flaws);
  const std::size_t before = flaws.size();
  argument.type = parse_annotated(type, argument.alias, flaws);
  if (equals == npos) return argument;
  if (name.end() != head.end()) flaws.push_back(blank_flaw(name.end(), "no blank"));
  const Type* const known = flaws.size() == before ? &argument.type : nullptr;
  argument.default_value = parse_default(piece, equals, known, flaws);
  return argument;
}

Return parse_return(Piece piece, std::vector<Flaw>& flaws) {
  Return value;
  value.begin = piece.at;
  const std::size_t blank = find_name(piece.text);
  Piece type = piece;
  if (blank != npos) {
    const Piece name = piece.from(blank + 1);
    check_identifier(name, flaws);
    value.name = name.text;
    type = type_before(piece, blank, flaws);
  }
  value.type = parse_annotated(type, value.alias, flaws);
  return value;
}

}  // namespace kbench::ops

#include "torch/format_string.hpp"

#include <algorithm>
#include <cctype>

namespace kbench {
namespace {

// An expression inside the braces, from `begin` to its '}' (at depth 0).
struct Field {
  std::string expression;
  bool debug = false;   // f"{x=}"
  std::size_t end = 0;  // just after the '}'
};

bool ends_expression(std::string_view text, std::size_t i) {
  if (text[i] == '!') return i + 1 < text.size() && text[i + 1] != '=';
  return text[i] == ':' || text[i] == '}';
}

// Where the expression that begins at `begin` ends.
std::size_t expression_end(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (depth == 0 && ends_expression(text, i)) return i;
    if (std::string_view("([{").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(text[i]) != std::string_view::npos) --depth;
  }
  return text.size();
}

bool is_debug(std::string_view expression) {
  if (expression.size() < 2 || expression.back() != '=') return false;
  return std::string_view("=!<>").find(expression[expression.size() - 2]) == std::string_view::npos;
}

Field read_field(std::string_view text, std::size_t begin) {
  Field field;
  field.end = expression_end(text, begin);
  field.expression = text.substr(begin, field.end - begin);
  field.debug = is_debug(field.expression);
  if (field.debug) field.expression.pop_back();
  int braces = 1;  // a format specification may hold fields of its own
  for (; field.end < text.size() && braces > 0; ++field.end) {
    if (text[field.end] == '{') ++braces;
    if (text[field.end] == '}') --braces;
  }
  return field;
}

}  // namespace

bool is_format_string(std::string_view literal) {
  const std::size_t quote = literal.find_first_of("'\"");
  const std::string_view prefix = literal.substr(0, quote);
  return prefix.find_first_of("fF") != std::string_view::npos;
}

std::string format_call(std::string_view literal) {
  const std::size_t quote = literal.find_first_of("'\"");
  const std::string_view mark = literal.substr(quote, 3);
  const std::size_t width =
      literal.size() - quote >= 6 && mark[0] == mark[1] && mark[0] == mark[2] ? 3 : 1;
  const std::string_view text = literal.substr(quote + width, literal.size() - quote - 2 * width);
  std::string words, fields;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "{{" || text.substr(i, 2) == "}}") {
      words += text[i] == '{' ? '(' : ')';  // aten::format has no escape for a brace
      i += 2;
    } else if (text[i] == '{') {
      const Field field = read_field(text, i + 1);
      words += (field.debug ? field.expression + "=" : "") + "{}";
      fields += (fields.empty() ? "" : ", ") + ("(" + field.expression + ")");
      i = field.end;
    } else {
      words += text[i++];
    }
  }
  const std::string quotes(literal.substr(quote, width));
  const std::string plain = quotes + words + quotes;
  return fields.empty() ? plain : plain + ".format(" + fields + ")";
}

}  // namespace kbench

#include "reference/torch/text/format_string.hpp"

namespace kbench {
namespace {

// An expression inside the braces, from `begin` to its '}' (at depth 0).
struct Field {
  std::string expression;
  bool debug = false;      // f"{x=}"
  bool specified = false;  // f"{x:.2f}", f"{x!r}"
  std::size_t end = 0;     // just after the '}'
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
  field.specified = field.end < text.size() && text[field.end] != '}';
  int braces = 1;  // a format specification may hold fields of its own
  for (; field.end < text.size() && braces > 0; ++field.end) {
    if (text[field.end] == '{') ++braces;
    if (text[field.end] == '}') --braces;
  }
  return field;
}

// Returns the width of each of a literal's quotes: 1 or 3.
std::size_t quote_width(std::string_view literal) {
  const std::size_t quote = literal.find_first_of("'\"");
  const std::string_view mark = literal.substr(quote, 3);
  return literal.size() - quote >= 6 && mark[0] == mark[1] && mark[0] == mark[2] ? 3 : 1;
}

std::string_view between_quotes(std::string_view literal) {
  const std::size_t begin = literal.find_first_of("'\"") + quote_width(literal);
  return literal.substr(begin, literal.size() - begin - quote_width(literal));
}

}  // namespace

bool is_format_string(std::string_view literal) {
  const std::size_t quote = literal.find_first_of("'\"");
  const std::string_view prefix = literal.substr(0, quote);
  return prefix.find_first_of("fF") != std::string_view::npos;
}

bool has_specification(std::string_view literal) {
  const std::string_view text = between_quotes(literal);
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "{{") {
      i += 2;
    } else if (text[i] == '{') {
      const Field field = read_field(text, i + 1);
      if (field.specified || field.debug) return true;
      i = field.end;
    } else {
      ++i;
    }
  }
  return false;
}

bool is_plain_format(std::string_view literal) {
  for (std::size_t i = literal.find_first_of("{}"); i != std::string_view::npos;
       i = literal.find_first_of("{}", i + 2)) {
    if (literal.substr(i, 2) != "{}") return false;
  }
  return true;
}

std::string format_call(std::string_view literal) {
  const std::size_t quote = literal.find_first_of("'\"");
  const std::string_view text = between_quotes(literal);
  std::string words, fields;
  const auto add_field = [&](const std::string& value) {
    words += "{}";
    fields += (fields.empty() ? "(" : ", (") + value + ")";
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "{{" || text.substr(i, 2) == "}}") {
      add_field(text[i] == '{' ? "'{'" : "'}'");  // aten::format has no escape for a brace
      i += 2;
    } else if (text[i] == '{') {
      const Field field = read_field(text, i + 1);
      if (field.debug) words += field.expression + "=";
      add_field(field.expression);
      i = field.end;
    } else {
      words += text[i++];
    }
  }
  const std::string quotes(literal.substr(quote, quote_width(literal)));
  const std::string plain = quotes + words + quotes;
  return fields.empty() ? plain : plain + ".format(" + fields + ")";
}

}  // namespace kbench

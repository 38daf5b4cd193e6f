#include "syntax/python.hpp"

#include "syntax/expression_parser.hpp"
#include "syntax/module_reader.hpp"

namespace kbench::python {

std::variant<std::vector<Token>, SyntaxError> tokenize(std::string_view text) {
  auto lexed = lex(text, Source::module);
  if (auto* error = std::get_if<SyntaxError>(&lexed)) return *error;
  std::vector<Token> tokens;
  for (const Lexeme& lexeme : std::get<0>(lexed)) {
    tokens.push_back({lexeme.kind, lexeme.begin, lexeme.end});
  }
  return tokens;
}

std::variant<Module, SyntaxError> parse_module(std::string_view text) {
  auto lexed = lex(text, Source::module);
  if (auto* error = std::get_if<SyntaxError>(&lexed)) return *error;
  ModuleReader parser(text, std::get<0>(std::move(lexed)));
  Module module = parser.module();
  if (parser.error()) return *parser.error();
  return module;
}

std::variant<ExpressionPtr, SyntaxError> parse_expression(std::string_view text) {
  auto lexed = lex(text, Source::expression);
  if (auto* error = std::get_if<SyntaxError>(&lexed)) return *error;
  ExpressionParser parser(text, std::get<0>(std::move(lexed)));
  NodeId root = parser.whole_expression();
  if (parser.error()) return *parser.error();
  return to_expression(parser, text, root);
}

}  // namespace kbench::python

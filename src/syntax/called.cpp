#include "syntax/called.hpp"

#include <variant>
#include <vector>

#include "syntax/python.hpp"

namespace kbench::python {

Calls::Calls(std::string_view text) {
  const auto read = tokenize(text);
  const auto* tokens = std::get_if<std::vector<Token>>(&read);
  if (tokens == nullptr) return;
  const auto is = [&](std::size_t i, std::string_view wanted) {
    if (i >= tokens->size()) return false;
    const Token& token = (*tokens)[i];
    return token.kind == TokenKind::op &&
           text.substr(token.begin, token.end - token.begin) == wanted;
  };
  // "@" begins a line where it is a decorator's.
  const auto begins_line = [&](std::size_t i) {
    if (i == 0) return true;
    const TokenKind before = (*tokens)[i - 1].kind;
    return before == TokenKind::newline || before == TokenKind::indent ||
           before == TokenKind::dedent;
  };
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    if ((is(i, "@") || is(i, "@=")) && !begins_line(i)) multiplies_matrices_ = true;
    const Token& token = (*tokens)[i];
    if (token.kind != TokenKind::name || !is(i + 1, "(")) continue;
    Names& names = i > 0 && is(i - 1, ".") ? attributes_ : names_;
    std::string_view name = text.substr(token.begin, token.end - token.begin);
    if (name.ends_with('_')) name.remove_suffix(1);
    names.emplace(name);
  }
}

}  // namespace kbench::python

#include "syntax/called.hpp"

#include <variant>
#include <vector>

#include "syntax/python.hpp"

namespace kbench::python {
namespace {

std::string_view word(std::string_view text, const Token& token) {
  return text.substr(token.begin, token.end - token.begin);
}

bool is_op(std::string_view text, const Token& token, std::string_view wanted) {
  return token.kind == TokenKind::op && word(text, token) == wanted;
}

bool is_loop(std::string_view text, const Token& token) {
  return token.kind == TokenKind::name &&
         (word(text, token) == "for" || word(text, token) == "while");
}

bool ends_line(const Token& token) {
  return token.kind == TokenKind::newline || token.kind == TokenKind::indent ||
         token.kind == TokenKind::dedent;
}

}  // namespace

Calls::Calls(std::string_view text) {
  const auto read = tokenize(text);
  const auto* tokens = std::get_if<std::vector<Token>>(&read);
  if (tokens == nullptr) return;
  for (std::size_t i = 1; i < tokens->size(); ++i) {
    const Token &before = (*tokens)[i - 1], &token = (*tokens)[i];
    if (is_op(text, token, "@=") || (is_op(text, token, "@") && !ends_line(before)))
      multiplies_matrices_ = true;  // else "@" is a decorator's
    if (is_loop(text, before)) has_loops_ = true;
    if (before.kind != TokenKind::name || !is_op(text, token, "(")) continue;
    std::string_view name = word(text, before);
    if (name.ends_with('_')) name.remove_suffix(1);
    const bool is_attribute = i > 1 && is_op(text, (*tokens)[i - 2], ".");
    (is_attribute ? attributes_ : names_).emplace(name);
  }
}

}  // namespace kbench::python

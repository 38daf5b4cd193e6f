#include "syntax/called.hpp"

#include <algorithm>
#include <iterator>
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
      multiplies_matrices_ = true;  // an "@" elsewhere is a decorator's
    if (is_loop(text, before)) has_loops_ = true;
    if (before.kind != TokenKind::name || !is_op(text, token, "(")) continue;
    std::string_view name = word(text, before);
    if (name.ends_with('_')) name.remove_suffix(1);
    const bool is_attribute = i > 1 && is_op(text, (*tokens)[i - 2], ".");
    (is_attribute ? attributes_ : names_).emplace(name);
  }
}

namespace {

constexpr std::string_view copying[] = {"alias",      "bfloat16",       "bool",      "byte",
                                        "char",       "chunk",          "clone",     "copy",
                                        "contiguous", "detach",         "dim",       "double",
                                        "empty",      "empty_like",     "expand",    "expand_as",
                                        "flatten",    "float",          "half",      "int",
                                        "len",        "list",           "long",      "movedim",
                                        "narrow",     "inference_mode", "no_grad",   "new_empty",
                                        "numel",      "permute",        "ravel",     "reshape",
                                        "reshape_as", "select",         "short",     "size",
                                        "split",      "squeeze",        "swapaxes",  "t",
                                        "to",         "transpose",      "tuple",     "type",
                                        "type_as",    "unbind",         "unflatten", "unsqueeze",
                                        "view",       "view_as"};
constexpr std::string_view calculating[] = {"+",  "-",  "*",  "/",  "//",  "%",   "**",  "@",
                                            "&",  "|",  "^",  "~",  "<<",  ">>",  "<",   ">",
                                            "<=", ">=", "+=", "-=", "*=",  "/=",  "//=", "%=",
                                            "@=", "&=", "|=", "^=", "<<=", ">>=", "**="};
constexpr std::string_view branching[] = {"if", "for", "while", "lambda", "match", "try", "yield"};

template <class Words>
bool has(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

class Reader {
 public:
  Reader(std::string_view text, std::vector<Token> tokens, std::span<const std::string> inputs)
      : text_(text), tokens_(std::move(tokens)), inputs_(inputs) {
    for (std::size_t i = 1; i < tokens_.size(); ++i)
      if (word(i - 1) == "def") own_.insert(word(i));
  }

  bool only_copies() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (word(i) == "assert") i = end_of_line(i);
      if (i < tokens_.size() && !is_harmless(i)) return false;
    }
    return true;
  }

 private:
  std::string_view word(std::size_t i) const {
    if (i >= tokens_.size()) return "";
    const Token& token = tokens_[i];
    const bool is_word = token.kind == TokenKind::name || token.kind == TokenKind::op;
    return is_word ? text_.substr(token.begin, token.end - token.begin) : "";
  }

  std::size_t end_of_line(std::size_t i) const {
    while (i < tokens_.size() && tokens_[i].kind != TokenKind::newline) ++i;
    return i;
  }

  bool is_harmless(std::size_t i) {
    return tokens_[i].kind == TokenKind::name ? is_harmless_name(i) : is_harmless_operator(i);
  }

  bool is_harmless_name(std::size_t i) const {
    std::string_view name = word(i);
    if (has(branching, name) || (subscripts_ > 0 && has(inputs_, name))) return false;
    if (word(i + 1) != "(" || own_.contains(name)) return true;
    if (name.ends_with('_')) name.remove_suffix(1);
    return has(copying, name);
  }

  // A sign, a star before arguments and an "@" before a decorator calculate nothing.
  bool is_harmless_operator(std::size_t i) {
    const std::string_view op = word(i);
    if (op == "[") ++subscripts_;
    if (op == "]") --subscripts_;
    return !has(calculating, op) || stands_before_a_value(op, i == 0 ? "" : word(i - 1));
  }

  static bool stands_before_a_value(std::string_view op, std::string_view before) {
    constexpr std::string_view begins[] = {"(", ",", "[", "="};
    if (op == "@") return before.empty();
    return (op == "-" || op == "*" || op == "**") && has(begins, before);
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::span<const std::string> inputs_;
  std::set<std::string_view> own_;  // functions that it defines
  int subscripts_ = 0;
};

}  // namespace

bool only_copies(std::string_view text, std::span<const std::string> inputs) {
  auto read = tokenize(text);
  auto* tokens = std::get_if<std::vector<Token>>(&read);
  return tokens != nullptr && Reader(text, std::move(*tokens), inputs).only_copies();
}

}  // namespace kbench::python

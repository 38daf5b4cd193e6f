#include "problem/data/reference_text.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/words.hpp"

namespace kbench {
namespace {

using python::Token;
using python::TokenKind;
using Tokens = std::span<const Token>;

class Parser {
 public:
  Parser(const std::string& text, Tokens tokens) : text_(text), tokens_(tokens) {}

  std::vector<ReferenceStatement> block() {
    std::vector<ReferenceStatement> out;
    while (at_ < tokens_.size()) {
      const TokenKind kind = tokens_[at_].kind;
      if (kind == TokenKind::dedent || kind == TokenKind::end) break;
      if (kind == TokenKind::newline) {
        ++at_;
      } else if (kind == TokenKind::indent) {
        ++at_;
        auto body = block();
        if (at_ < tokens_.size() && tokens_[at_].kind == TokenKind::dedent) ++at_;
        if (!out.empty()) std::move(body.begin(), body.end(), std::back_inserter(out.back().body));
      } else {
        line(out);
      }
    }
    return out;
  }

 private:
  std::string_view word(const Token& token) const {
    return std::string_view(text_).substr(token.begin, token.end - token.begin);
  }

  void line(std::vector<ReferenceStatement>& out) {
    const std::size_t begin = at_;
    while (at_ < tokens_.size() &&
           is_one_of_kinds(tokens_[at_].kind, TokenKind::name, TokenKind::op))
      ++at_;
    simple_statements(tokens_.subspan(begin, at_ - begin), out);
  }
  static bool is_one_of_kinds(TokenKind kind, TokenKind a, TokenKind b) {
    return kind == a || kind == b || kind == TokenKind::number || kind == TokenKind::string;
  }

  // a = 1; b = 2
  void simple_statements(Tokens tokens, std::vector<ReferenceStatement>& out) {
    std::size_t begin = 0;
    for (const std::size_t end : ends(tokens, {";"})) {
      if (end > begin) out.push_back(statement(tokens.subspan(begin, end - begin)));
      begin = end + 1;
    }
  }

  // Returns the places of these words outside brackets, and the end.
  std::vector<std::size_t> ends(Tokens tokens, std::initializer_list<std::string_view> at) const {
    std::vector<std::size_t> out;
    int depth = 0;
    int lambdas = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view here = word(tokens[i]);
      if (is_one_of(here, {"(", "[", "{"})) ++depth;
      if (is_one_of(here, {")", "]", "}"})) --depth;
      if (depth == 0 && here == "lambda") ++lambdas;
      if (depth != 0 || !is_one_of(here, at)) continue;
      if (here == ":" && lambdas > 0) {
        --lambdas;
        continue;
      }
      out.push_back(i);
    }
    out.push_back(tokens.size());
    return out;
  }

  std::string text_of(Tokens tokens) const {
    return text_.substr(tokens.front().begin, tokens.back().end - tokens.front().begin);
  }

  void add_part(ReferenceStatement& out, Tokens tokens) const {
    if (tokens.empty()) return;
    auto parsed = python::parse_expression(text_of(tokens));
    if (auto* tree = std::get_if<python::ExpressionPtr>(&parsed))
      out.parts.push_back(std::move(*tree));
  }

  ReferenceStatement statement(Tokens tokens) {
    const std::string_view first = word(tokens.front());
    ReferenceStatement out;
    if (is_one_of(first, {"if", "elif", "else", "for", "while", "with", "try", "except", "finally",
                          "def", "class", "async"}))
      return compound(tokens);
    if (is_one_of(first, {"assert", "return", "raise", "continue", "break", "pass", "import",
                          "from", "global", "nonlocal", "del", "@"})) {
      out.keyword = first;
      if (first == "assert" || first == "return") looked_at(out, tokens.subspan(1));
      return out;
    }
    assignment(out, tokens);
    return out;
  }

  // Reads an expression, of an assert up to its message.
  void looked_at(ReferenceStatement& out, Tokens tokens) const {
    if (out.keyword == "assert") tokens = tokens.first(ends(tokens, {","}).front());
    if (tokens.empty()) return;
    out.text = text_of(tokens);
    add_part(out, tokens);
  }

  void assignment(ReferenceStatement& out, Tokens tokens) const {
    std::size_t begin = 0;
    for (const std::size_t end :
         ends(tokens, {"=", ":", "+=", "-=", "*=", "/=", "//=", "%=", "|=", "&=", "@=", "**="})) {
      const bool annotation = begin > 0 && word(tokens[begin - 1]) == ":";
      if (end > begin && !annotation) add_part(out, tokens.subspan(begin, end - begin));
      if (end < tokens.size() && word(tokens[end]).size() > 1) {
        out.is_augmented = true;
        out.text = word(tokens[end]);
      }
      begin = end + 1;
    }
  }

  ReferenceStatement compound(Tokens tokens) {
    if (word(tokens.front()) == "async" && tokens.size() > 1) tokens = tokens.subspan(1);
    ReferenceStatement out;
    out.keyword = word(tokens.front());
    const std::size_t end = ends(tokens, {":"}).front();
    const Tokens head = tokens.subspan(1, std::max<std::size_t>(end, 1) - 1);
    if (out.keyword == "def") {
      define(out, head);
    } else if (out.keyword == "for") {
      const std::size_t in = ends(head, {"in"}).front();
      add_part(out, head.first(in));
      if (in < head.size()) add_part(out, head.subspan(in + 1));
    } else if (is_one_of(out.keyword, {"if", "elif", "while"})) {
      looked_at(out, head);
    }
    if (end + 1 < tokens.size()) simple_statements(tokens.subspan(end + 1), out.body);
    return out;
  }

  void define(ReferenceStatement& out, Tokens head) const {
    if (head.empty()) return;
    out.name = word(head.front());
    int depth = 0;
    for (std::size_t i = 1; i < head.size(); ++i) {
      const std::string_view here = word(head[i]);
      if (is_one_of(here, {"(", "[", "{"})) ++depth;
      if (is_one_of(here, {")", "]", "}"})) --depth;
      if (depth == 0 && here == ")") return;
      const bool begins = is_one_of(word(head[i - 1]), {"(", ","});
      if (depth == 1 && begins && head[i].kind == TokenKind::name)
        out.parameters.emplace_back(here);
    }
  }

  const std::string& text_;
  Tokens tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<ReferenceStatement> reference_statements(const std::string& text) {
  const auto tokenized = python::tokenize(text);
  const auto* tokens = std::get_if<std::vector<Token>>(&tokenized);
  return tokens == nullptr ? std::vector<ReferenceStatement>() : Parser(text, *tokens).block();
}

}  // namespace kbench

// F-strings, by Python 3.11's own rules: the end of an expression is found by looking at quotes and
// brackets only, then what lies between is parsed.

#include "syntax/expression_parser.hpp"
#include "syntax/string_literal.hpp"

namespace kbench::python {

namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class FormatString {
 public:
  FormatString(std::string_view text, const StringLiteral& literal, unsigned depth)
      : text_(text.substr(0, literal.end)), raw_(literal.raw), at_(literal.begin), depth_(depth) {}

  std::optional<SyntaxError> check() {
    pieces(0);
    return error_;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool ended() const { return at_ >= text_.size(); }
  void fail(std::string message) { fail(at_, std::move(message)); }
  void fail(std::size_t offset, std::string message) {
    if (!error_) error_ = SyntaxError{std::move(message), offset};
    at_ = text_.size();
  }

  // Literals and expressions to the end; in a format specification (nesting > 0) to its '}'.
  void pieces(int nesting) {
    while (!ended()) {
      literal(nesting);
      if (ended() || peek() == '}') return;
      expression(nesting);
    }
  }

  void escape() {
    ++at_;
    if (peek() == 'N' && peek(1) == '{') {
      while (!ended() && peek() != '}') ++at_;
      at_ += !ended();
    } else if (peek() != '{' && peek() != '}') {
      at_ += !ended();
    }
  }

  // To the next lone brace.
  void literal(int nesting) {
    std::size_t begin = at_;
    while (!ended()) {
      char c = peek();
      if (c == '\\' && !raw_) {
        escape();
      } else if (c != '{' && c != '}') {
        ++at_;
      } else if (nesting == 0 && peek(1) == c) {
        escapes(begin, at_ + 1);
        if (ended()) return;
        at_ += 2;
        begin = at_;
      } else {
        if (nesting == 0 && c == '}') return fail("f-string: single '}' is not allowed");
        break;
      }
    }
    escapes(begin, at_);
  }

  void escapes(std::size_t begin, std::size_t end) {
    if (raw_ || error_) return;
    if (auto error = check_escapes(text_, begin, end, false)) {
      fail(error->offset, std::move(error->message));
    }
  }

  void expression(int nesting) {
    if (nesting >= 2) return fail("f-string: expressions nested too deeply");
    std::size_t begin = ++at_;
    find_end();
    if (!error_ && ended()) fail("f-string: expecting '}'");
    if (!error_) compile(begin);
    if (!error_) conversion();
    if (!error_ && peek() == ':') {
      ++at_;
      pieces(nesting + 1);
    }
    if (peek() != '}') return fail("f-string: expecting '}'");
    ++at_;
  }

  // Moves to the '!', ':', '=' or '}' that ends the expression.
  void find_end() {
    brackets_.clear();
    for (; !ended() && !ends_expression(); ++at_) {
      char c = peek();
      if (c == '\\') return fail("f-string expression part cannot include a backslash");
      if (c == '#') return fail("f-string expression part cannot include '#'");
      if (c == '"' || c == '\'') {
        skip_string();
      } else if (brackets_.empty() && at_comparison()) {
        ++at_;
      } else {
        bracket(c);
      }
    }
    if (!error_ && !brackets_.empty()) {
      fail(std::string("f-string: unmatched '") + brackets_.back() + "'");
    }
  }

  // != == <= >=
  bool at_comparison() const {
    return peek(1) == '=' && std::string_view("!=<>").find(peek()) != std::string_view::npos;
  }

  bool ends_expression() const {
    if (!brackets_.empty()) return false;
    char c = peek();
    if (c == ':' || c == '}') return true;
    return (c == '!' || c == '=') && peek(1) != '=';
  }

  // To the last quote of a string.
  void skip_string() {
    char quote = peek();
    auto triple_here = [&] { return peek(1) == quote && peek(2) == quote; };
    bool triple = triple_here();
    for (at_ += triple ? 3 : 1; !ended(); ++at_) {
      if (peek() == '\\') return fail("f-string expression part cannot include a backslash");
      if (peek() != quote || (triple && !triple_here())) continue;
      at_ += triple ? 2 : 0;
      return;
    }
    fail("f-string: unterminated string");
  }

  void bracket(char c) {
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() >= max_brackets) return fail("f-string: too many nested parenthesis");
      brackets_.push_back(c);
    } else if (c == ')' || c == ']' || c == '}') {
      if (brackets_.empty()) return fail(std::string("f-string: unmatched '") + c + "'");
      char open = brackets_.back();
      brackets_.pop_back();
      if (c == open + (open == '(' ? 1 : 2)) return;
      fail(std::string("f-string: closing parenthesis '") + c +
           "' does not match opening parenthesis '" + open + "'");
    }
  }

  void compile(std::size_t begin) {
    std::string_view inside = text_.substr(begin, at_ - begin);
    if (inside.find_first_not_of(" \t\n\f\r") == std::string_view::npos) {
      bool empty = peek() == '}';
      return fail(empty ? "f-string: empty expression not allowed"
                        : std::string("f-string: expression required before '") + peek() + "'");
    }
    auto lexed = lex(text_, begin, at_, Source::fragment);
    if (auto* error = std::get_if<SyntaxError>(&lexed)) return fail(error->offset, error->message);
    ExpressionParser parser(text_, std::get<std::vector<Lexeme>>(std::move(lexed)), depth_ + 1);
    parser.fragment();
    if (parser.error()) fail(parser.error()->offset, "f-string: " + parser.error()->message);
  }

  // "=", "!r" or nothing.
  void conversion() {
    if (peek() == '=') {
      ++at_;
      while (is_space(peek())) ++at_;
    }
    if (peek() != '!') return;
    ++at_;
    char c = peek();
    if (ended()) return fail("f-string: expecting '}'");
    if (c != 's' && c != 'r' && c != 'a') {
      return fail("f-string: invalid conversion character: expected 's', 'r', or 'a'");
    }
    ++at_;
  }

  std::string_view text_;
  bool raw_;
  std::size_t at_;
  unsigned depth_;
  std::string brackets_;
  std::optional<SyntaxError> error_;
};

}  // namespace

std::optional<SyntaxError> check_format(std::string_view text, const StringLiteral& literal,
                                        unsigned depth) {
  return FormatString(text, literal, depth).check();
}

}  // namespace kbench::python

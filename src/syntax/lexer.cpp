#include <algorithm>
#include <array>
#include <optional>

#include "syntax/lexeme.hpp"
#include "syntax/literal.hpp"
#include "syntax/unicode.hpp"

namespace kbench::python {

namespace {

constexpr std::array<std::string_view, 35> keywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

constexpr auto keyword_symbols = [] {
  std::array<std::uint64_t, keywords.size()> symbols{};
  std::transform(keywords.begin(), keywords.end(), symbols.begin(), pack);
  std::sort(symbols.begin(), symbols.end());
  return symbols;
}();

bool is_keyword(std::uint64_t symbol) {
  return std::binary_search(keyword_symbols.begin(), keyword_symbols.end(), symbol);
}

// Operators of more than one character, the longest first.
constexpr std::array<std::string_view, 25> long_operators = {
    "**=", "//=", ">>=", "<<=", "...", "!=", "%=", "&=", "**", "*=", "+=", "-=", "->",
    "//",  "/=",  ":=",  "<<",  "<=",  "<>", "==", ">=", ">>", "@=", "^=", "|="};
constexpr std::string_view single_operators = "%&()*+,-./:;<=>@[]^{|}~";

std::string in_hex(std::uint32_t value) {
  std::string digits;
  for (; value != 0 || digits.size() < 4; value >>= 4)
    digits.insert(0, 1, "0123456789ABCDEF"[value & 15]);
  return digits;
}

class Lexer {
 public:
  Lexer(std::string_view text, Source source) : text_(text), source_(source) {
    lexemes_.reserve(text.size() / 4 + 8);
  }

  std::variant<std::vector<Lexeme>, SyntaxError> run() {
    while (!error_ && at_ < text_.size()) step();
    if (!error_) finish();
    if (error_) return *std::move(error_);
    return std::move(lexemes_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void fail(std::size_t offset, std::string message) {
    if (!error_) error_ = SyntaxError{std::move(message), offset};
  }

  void push(TokenKind kind, std::size_t begin) { lexemes_.push_back({kind, false, 0, begin, at_}); }

  // Tells whether the current line has given a token yet.
  bool line_open() const {
    if (lexemes_.empty()) return false;
    TokenKind last = lexemes_.back().kind;
    return last == TokenKind::name || last == TokenKind::number || last == TokenKind::string ||
           last == TokenKind::op;
  }

  void step() {
    if (line_begins_ && brackets_.empty()) {
      start_line();
      return;
    }
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      skip_comment();
    } else if (is_line_break(c)) {
      line_break();
    } else if (c == '\\') {
      continuation();
    } else {
      token(c);
    }
  }

  void token(char c) {
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(at_);
    } else if (is_name_byte(c)) {
      name();
    } else {
      operation();
    }
  }

  void skip_comment() {
    while (at_ < text_.size() && !is_line_break(peek())) ++at_;
  }

  void skip_line_break() { at_ += peek() == '\r' && peek(1) == '\n' ? 2 : 1; }

  void line_break() {
    std::size_t begin = at_;
    skip_line_break();
    if (!brackets_.empty()) return;
    line_begins_ = true;
    if (line_open()) push(TokenKind::newline, begin);
  }

  void continuation() {
    std::size_t begin = at_++;
    if (!is_line_break(peek())) {
      fail(begin, at_ < text_.size() ? "unexpected character after line continuation character"
                                     : "unexpected EOF while parsing");
      return;
    }
    skip_line_break();
    if (at_ >= text_.size()) fail(begin, "unexpected EOF while parsing");
  }

  // Leading space. A backslash in it fixes the width at what stood before the first one.
  Width leading_space() {
    Width width;
    std::size_t fixed = 0;
    for (; !error_; ++at_) {
      char c = peek();
      if (c == ' ') {
        ++width.wide, ++width.narrow;
      } else if (c == '\t') {
        width.wide = (width.wide / 8 + 1) * 8;
        ++width.narrow;
      } else if (c == '\f') {
        width = {};
      } else if (c == '\\') {
        if (fixed == 0) fixed = width.wide;
        continuation();
        --at_;
      } else {
        break;
      }
    }
    return fixed == 0 ? width : Width{fixed, fixed};
  }

  void start_line() {
    std::size_t begin = at_;
    Width width = leading_space();
    line_begins_ = false;
    bool ends = at_ >= text_.size();
    // Python ends a module with a line break where it has none, but not a single expression.
    bool blank = peek() == '#' || is_line_break(peek()) || (ends && source_ == Source::module);
    if (!error_ && !blank) indent(width, begin);
  }

  void indent(Width width, std::size_t line_begin) {
    Indentation::Step step = indentation_.to(width);
    switch (step.fault) {
      case Indentation::Fault::none:
        break;
      case Indentation::Fault::mixed:
        return fail(line_begin, "inconsistent use of tabs and spaces in indentation");
      case Indentation::Fault::mismatch:
        return fail(line_begin, "unindent does not match any outer indentation level");
      case Indentation::Fault::too_deep:
        return fail(line_begin, "too many levels of indentation");
    }
    for (std::size_t i = 0; i < step.indents; ++i) push(TokenKind::indent, at_);
    for (std::size_t i = 0; i < step.dedents; ++i) push(TokenKind::dedent, at_);
  }

  void number() {
    std::size_t begin = at_;
    NumberScan scan = scan_number(text_, begin);
    at_ = scan.end;
    if (!scan.error.empty()) return fail(at_, std::move(scan.error));
    push(TokenKind::number, begin);
  }

  // Bytes of the string prefix that stands here, 0 where no string follows it.
  std::size_t prefix_size() const {
    std::string_view word = text_.substr(at_, 3);
    std::size_t quote = word.find_first_of("'\"");
    if (quote == std::string_view::npos) return 0;
    std::string prefix;
    for (char c : word.substr(0, quote)) prefix += static_cast<char>(c | 0x20);
    for (std::string_view known : {"r", "b", "u", "f", "rb", "br", "rf", "fr"})
      if (prefix == known) return quote;
    return 0;
  }

  void name() {
    std::size_t begin = at_;
    if (std::size_t prefix = prefix_size(); prefix != 0) {
      at_ += prefix;
      return string(begin);
    }
    bool ascii = true;
    for (; at_ < text_.size() && is_name_byte(peek()); ++at_)
      ascii = ascii && static_cast<unsigned char>(peek()) < 128;
    if (!ascii && !check_identifier(begin)) return;
    push(TokenKind::name, begin);
    lexemes_.back().symbol = pack(text_.substr(begin, at_ - begin));
    lexemes_.back().keyword = is_keyword(lexemes_.back().symbol);
  }

  bool check_identifier(std::size_t begin) {
    for (std::size_t i = begin; i < at_;) {
      CodePoint c = decode_utf8(text_, i);
      bool good = c.value < 128 ||
                  (i == begin ? starts_identifier(c.value) : continues_identifier(c.value));
      if (!good) return bad_character(i, c), false;
      i += c.size;
    }
    return true;
  }

  void bad_character(std::size_t offset, CodePoint c) {
    std::string code = "U+" + in_hex(c.value);
    if (!is_printable(c.value)) return fail(offset, "invalid non-printable character " + code);
    fail(offset,
         "invalid character '" + std::string(text_.substr(offset, c.size)) + "' (" + code + ")");
  }

  bool at_quotes(char quote, bool triple) const {
    return peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote));
  }

  // A string token from `begin`; at_ stands at its first quote.
  void string(std::size_t begin) {
    char quote = peek();
    bool triple = at_quotes(quote, true);
    for (at_ += triple ? 3 : 1; at_ < text_.size(); ++at_) {
      if (at_quotes(quote, triple)) {
        at_ += triple ? 3 : 1;
        return push(TokenKind::string, begin);
      }
      if (!triple && is_line_break(peek())) break;
      if (peek() != '\\') continue;
      at_ += peek(1) == '\r' && peek(2) == '\n' ? 2 : 1;
    }
    std::string line = std::to_string(line_of(text_, at_));
    fail(begin, std::string("unterminated ") + (triple ? "triple-quoted " : "") +
                    "string literal (detected at line " + line + ")");
  }

  std::size_t operator_size() const {
    std::string_view rest = text_.substr(at_, 3);
    if (single_operators.find(peek(1)) != std::string_view::npos) {
      for (std::string_view op : long_operators)
        if (rest.substr(0, op.size()) == op) return op.size();
    }
    return single_operators.find(peek()) != std::string_view::npos ? 1 : 0;
  }

  void operation() {
    std::size_t begin = at_;
    std::size_t size = operator_size();
    if (size == 0) return bad_operator();
    if (size == 1) bracket(peek());
    at_ += size;
    push(TokenKind::op, begin);
    lexemes_.back().symbol = pack(text_.substr(begin, size));
  }

  void bad_operator() {
    auto c = static_cast<unsigned char>(peek());
    if (!is_printable(c)) return bad_character(at_, {c, 1});
    fail(at_, "invalid syntax");
  }

  void bracket(char c) {
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() >= max_brackets) return fail(at_, "too many nested parentheses");
      brackets_.push_back(at_);
    } else if (c == ')' || c == ']' || c == '}') {
      close(c);
    }
  }

  void close(char c) {
    if (brackets_.empty()) return fail(at_, std::string("unmatched '") + c + "'");
    char open = text_[brackets_.back()];
    bool fits = (open == '(' && c == ')') || (open == '[' && c == ']') || (open == '{' && c == '}');
    if (fits) return brackets_.pop_back();
    std::string message = std::string("closing parenthesis '") + c +
                          "' does not match opening parenthesis '" + open + "'";
    std::size_t line = line_of(text_, brackets_.back());
    if (line != line_of(text_, at_)) message += " on line " + std::to_string(line);
    fail(at_, std::move(message));
  }

  void finish() {
    if (!brackets_.empty()) {
      std::size_t open = brackets_.back();
      return fail(open, std::string("'") + text_[open] + "' was never closed");
    }
    if (line_open()) push(TokenKind::newline, at_);
    for (std::size_t n = indentation_.to({}).dedents; n > 0; --n) push(TokenKind::dedent, at_);
    push(TokenKind::end, at_);
  }

  std::string_view text_;
  Source source_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  std::vector<std::size_t> brackets_;  // offsets of the open ones
  Indentation indentation_;
  std::vector<Lexeme> lexemes_;
  std::optional<SyntaxError> error_;
};

std::optional<SyntaxError> check_is_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\0') return SyntaxError{"source code string cannot contain null bytes", i};
    std::size_t size = static_cast<unsigned char>(text[i]) < 128 ? 1 : decode_utf8(text, i).size;
    if (size == 0) return SyntaxError{"source code is not valid UTF-8", i};
    i += size;
  }
  return {};
}

}  // namespace

std::variant<std::vector<Lexeme>, SyntaxError> lex(std::string_view text, Source source) {
  if (auto error = check_is_text(text)) return *std::move(error);
  return Lexer(text, source).run();
}

}  // namespace kbench::python

// The words of a JSON text: strings, numbers, escapes and what lies between them. Mistakes inside a
// word are reported here; the parser knows which word may follow which (json.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/json.hpp"

namespace kbench::json {

// One escape sequence: its bytes of source (0: it is none), what it stands for.
struct Escape {
  std::size_t length = 0;
  std::uint32_t code_point = 0;
};

// `text` starts with the backslash.
Escape read_escape(std::string_view text);

// Letters, digits and '_', which true, null and Infinity consist of.
bool is_word(char c);

// A place in bytes [begin, end) of a source's text, which it reads onward from there. Names the
// bytes by their offset in the whole text.
class Lexer {
 public:
  Lexer(const Source& source, std::size_t begin, std::size_t end, Memory& memory,
        Diagnostics& diagnostics)
      : source_(source),
        text_(std::string_view(source.text).substr(0, end)),
        at_(begin),
        memory_(memory),
        out_(diagnostics) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }

  void advance(std::size_t bytes = 1) { at_ += bytes; }

  // Steps past `c`, which is not '\0', if it stands here.
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  // Steps past white space, and past comments, which are reported.
  void skip_space() {
    skip_white();
    if (peek() == '#' || peek() == '/') skip_comments();
  }

  // A string, past its closing quote. A string without escapes is a view of the text. `kind`
  // becomes broken where the quote is missing.
  std::string_view string(Kind& kind);

  // A number, past it, as it is written; its kind goes into `kind`.
  std::string_view number(Kind& kind);

  // The word that stands here, not yet passed; "" if none does.
  std::string_view word() const;

  // A key without quotes, or in single ones, past it.
  std::string_view bare_key();

  // Tells whether a string stands here that a colon follows.
  bool at_key() const;

  // Goes on after a mistake: to the next place where the enclosing list can.
  void recover();

  // Describes what stands here, for a message: a quoted word or character.
  std::string seen() const;

  // Describes what stands here where it may be a string: the start of it, as it is written.
  std::string seen_value() const;

  // Goes to the end, and says nothing any more.
  void lose() {
    lost_ = true;
    at_ = text_.size();
  }
  bool lost() const { return lost_; }

  // Reports one mistake a line: another on the same line mostly follows from it.
  void error(std::size_t at, std::string message, std::string hint = "") {
    if (lost_ || !is_new_line(at)) return;
    const std::size_t end = source_.text.find('\n', at);
    line_begin_ = at == 0 ? 0 : source_.text.rfind('\n', at - 1) + 1;
    line_end_ = end == std::string::npos ? end : end + 1;
    out_.error(locate(source_, at), std::move(message), std::move(hint));
    if (++mistakes_ >= most_mistakes) lose();
  }

 private:
  // Contents of a string besides plain ASCII.
  struct Content {
    bool escapes = false;
    bool beyond_ascii = false;
  };

  void skip_white() {
    while (!at_end() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  // Tells whether the line of `at` is another than that of the last mistake.
  bool is_new_line(std::size_t at) const { return at < line_begin_ || at >= line_end_; }
  void skip_comments();
  bool skip_digits();
  bool skip_exponent();
  Content skip_content();
  void skip_quoted();
  std::string_view unescape(std::string_view raw, std::size_t offset);
  std::string_view since(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

  const Source& source_;
  std::string_view text_;  // ends where reading is to end
  std::size_t at_;
  Memory& memory_;
  Diagnostics& out_;
  static constexpr int most_mistakes = 100;
  std::size_t line_begin_ = 0, line_end_ = 0;  // line of the last mistake
  int mistakes_ = 0;
  bool lost_ = false;
};

}  // namespace kbench::json

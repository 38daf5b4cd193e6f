// A Python text as tokens that can be replaced, put back together with every line where it was.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/python.hpp"

namespace kbench {

bool is_opening(std::string_view word);  // ( [ {
bool is_closing(std::string_view word);

// A logical line: tokens [first, last) of the draft, without the line break.
struct DraftLine {
  std::size_t first = 0;
  std::size_t last = 0;
  int level = 0;  // of indentation
};

class Draft {
 public:
  // Nothing when the text is no Python; then `line` is where it stops to be.
  static std::optional<Draft> read(std::string_view text, int& line);

  std::size_t size() const { return tokens_.size(); }
  const std::vector<DraftLine>& lines() const { return lines_; }
  python::TokenKind kind(std::size_t token) const { return tokens_[token].kind; }
  bool is_name(std::size_t token) const;           // and no keyword
  std::string_view word(std::size_t token) const;  // "" beyond the end
  int line_of(std::size_t token) const;            // from 1
  bool starts_line(std::size_t token) const { return tokens_[token].starts_line; }
  // The token that closes the bracket at `open`.
  std::size_t closing(std::size_t open) const;
  // `token`, or the bracket that closes it: to go on without looking inside.
  std::size_t past(std::size_t token) const;

  void replace(std::size_t token, std::string with);
  // Leaves nothing but the line breaks of tokens [first, last), after `with`.
  void replace_all(std::size_t first, std::size_t last, const std::string& with);
  void insert_before(std::size_t token, std::string_view what);
  void insert_after(std::size_t token, std::string_view what);

  // Tokens [first, last) as they are now, with the blanks and line breaks between them; comments
  // are gone. `lead`: with what stands before the first one, too.
  std::string render(std::size_t first, std::size_t last, bool lead = false) const;

 private:
  struct Piece {
    python::TokenKind kind;
    std::size_t begin, end;
    std::optional<std::string> replacement;
    std::string before, after;
    bool removed = false;
    bool starts_line = false;
  };
  std::string gap_before(std::size_t token) const;

  std::string_view text_;
  std::vector<Piece> tokens_;  // without line breaks and indentation
  std::vector<DraftLine> lines_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace kbench

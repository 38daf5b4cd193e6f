// Tokens that are rewritten: those of a source, or those of a macro's body in it.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "syntax/cpp_tokens.hpp"

namespace kbench {

// Change to a text, by the bytes that it replaces.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;  // equal to `begin`: an insertion
  std::string text;
};

// Applies edits that do not overlap; insertions at one place come in the order of the list.
std::string with_edits(std::string_view text, std::vector<Edit> edits);

// Tokens with `edits` and `diagnostics`, which are those of the whole source.
struct Code {
  const Source& source;
  std::vector<CppToken> tokens;  // places are bytes of the source
  std::vector<Edit>& edits;
  Diagnostics& diagnostics;
  bool is_macro = false;
  std::set<std::string> parameters = {};  // parameters of the macro

  std::size_t size() const { return tokens.size(); }
  bool is(std::size_t i, std::string_view symbol) const {
    return i < size() && tokens[i].is(symbol);
  }
  bool is_word(std::size_t i, std::string_view word) const {
    return i < size() && tokens[i].is_word(word);
  }
  bool is_word(std::size_t i) const { return i < size() && tokens[i].kind == CppToken::Kind::word; }
  // Tells whether there are `count` symbols of one character with nothing between.
  bool is_run(std::size_t i, std::string_view symbol, std::size_t count) const;
  // Returns the source's text of [begin, end), tokens; one blank for a gap, lines and comments too.
  std::string text(std::size_t begin, std::size_t end) const;
  // Returns the line breaks of the source between the tokens; in a macro each with its backslash.
  std::string line_breaks(std::size_t begin, std::size_t end) const;

  void insert(std::size_t byte, std::string text) const;
  void replace(std::size_t token, std::string text) const;
  // Reports "not emulated: what", at this token.
  void refuse(std::size_t token, const std::string& what) const;
};

// Returns the token that closes the bracket at `open`, or opens that at `close`; Code::size() where
// there is none. Brackets of other kinds between count.
std::size_t closing(const Code& code, std::size_t open);
std::size_t opening(const Code& code, std::size_t close);
// Returns the same for '<' and '>' around arguments of a template.
std::size_t closing_angle(const Code& code, std::size_t open);
std::size_t opening_angle(const Code& code, std::size_t close);

// Rewrites one part of the language, as each of these does.
void translate_launches(const Code& code);
void translate_shared(const Code& code);
void translate_assembly(const Code& code);
void translate_torch_words(const Code& code);

}  // namespace kbench

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

// Changes to a text, by the bytes that they replace.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;  // the same as `begin`: an insertion
  std::string text;
};

// They do not overlap; insertions at one place come in the order of the list.
std::string with_edits(std::string_view text, std::vector<Edit> edits);

// What is found goes to `edits` and `diagnostics`, which are those of the whole source.
struct Code {
  const Source& source;
  std::vector<CppToken> tokens;  // by bytes of the source
  std::vector<Edit>& edits;
  Diagnostics& diagnostics;
  bool is_macro = false;
  std::set<std::string> parameters = {};  // of the macro

  std::size_t size() const { return tokens.size(); }
  bool is(std::size_t i, std::string_view symbol) const {
    return i < size() && tokens[i].is(symbol);
  }
  bool is_word(std::size_t i, std::string_view word) const {
    return i < size() && tokens[i].is_word(word);
  }
  bool is_word(std::size_t i) const { return i < size() && tokens[i].kind == CppToken::Kind::word; }
  // `count` symbols of one character with nothing between.
  bool is_run(std::size_t i, std::string_view symbol, std::size_t count) const;
  // The source's text of [begin, end), tokens; one blank for each gap, lines and comments included.
  std::string text(std::size_t begin, std::size_t end) const;
  // The line breaks of the source between the tokens; of a macro each has its backslash.
  std::string line_breaks(std::size_t begin, std::size_t end) const;

  void insert(std::size_t byte, std::string text) const;
  void replace(std::size_t token, std::string text) const;
  // "not emulated: what", at this token.
  void refuse(std::size_t token, const std::string& what) const;
};

// The token that closes the bracket at `open`, or opens that at `close`; Code::size() where there
// is none. Brackets of other kinds between count.
std::size_t closing(const Code& code, std::size_t open);
std::size_t opening(const Code& code, std::size_t close);
// Find the same for '<' and '>' around arguments of a template.
std::size_t closing_angle(const Code& code, std::size_t open);
std::size_t opening_angle(const Code& code, std::size_t close);

// Each rewrites its part of the language.
void translate_launches(const Code& code);
void translate_shared(const Code& code);
void translate_assembly(const Code& code);
void translate_torch_words(const Code& code);

}  // namespace kbench

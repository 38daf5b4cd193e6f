// Names that operators and their arguments may have.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/operators/parse.hpp"

namespace kbench::ops {

constexpr auto npos = std::string_view::npos;

// Part of a text that knows where it stands in it.
struct Piece {
  std::string_view text;
  std::size_t at = 0;

  bool empty() const { return text.empty(); }
  std::size_t end() const { return at + text.size(); }
  Piece from(std::size_t index) const { return {text.substr(index), at + index}; }
  Piece until(std::size_t index) const { return {text.substr(0, index), at}; }
  Piece trimmed() const;
};

// Returns the byte of `text` behind the one that closes what opens at `open`: brackets and quotes
// nest; npos where nothing closes it.
std::size_t skip_group(std::string_view text, std::size_t open);

// Splits a text into the parts between commas that stand in no brackets or quotes, blanks included;
// an empty text has none.
std::vector<Piece> split_at_commas(Piece list);

// Checks "ns::name.overload": one namespace at most, no name in _out, no unknown __i…__.
void check_name(Piece name, std::vector<Flaw>& flaws);

bool is_identifier(std::string_view name);
bool is_python_keyword(std::string_view name);
// Keywords of C++20, alternative spellings ("and") among them, and macros of its headers are taken.
bool is_taken_in_cpp(std::string_view name);

}  // namespace kbench::ops

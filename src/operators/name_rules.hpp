// What operators and their arguments may be called.
#pragma once

#include <string_view>
#include <vector>

#include "operators/parse.hpp"
#include "operators/piece.hpp"

namespace kbench::ops {

// "ns::name.overload": one namespace at most, no name in _out, no unknown __i…__.
void check_name(Piece name, std::vector<Flaw>& flaws);

bool is_identifier(std::string_view name);
bool is_python_keyword(std::string_view name);
// Keywords of C++20, alternative spellings ("and") among them, and macros of its headers.
bool is_taken_in_cpp(std::string_view name);

}  // namespace kbench::ops

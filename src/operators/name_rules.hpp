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
// Of C++20; alternative spellings ("and") count.
bool is_cpp_keyword(std::string_view name);

}  // namespace kbench::ops

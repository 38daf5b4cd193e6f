// Texts of others as literals of the languages that are generated: nothing in them is code.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// A string literal of C++, control characters by their numbers.
std::string quoted_in_cpp(std::string_view text);

// The rest of a line of C++ behind "//": nothing in it ends the line, or makes it two.
std::string comment_in_cpp(std::string_view text);

// A quoted argument of CMake, which is one element of a list.
std::string quoted_in_cmake(std::string_view text);

}  // namespace kbench

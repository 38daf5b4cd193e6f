// Numeric literals: language reference 2.4.4 to 2.4.7, with CPython's rule that a keyword may
// follow a number directly ("1if x else 2").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbench::python {

struct NumberScan {
  std::size_t end = 0;  // where the literal ends, or where it goes wrong
  std::string error;    // "" where the literal is right
};

// Reads the literal at `begin`, which is at a digit or at a '.' before a digit.
NumberScan scan_number(std::string_view text, std::size_t begin);

}  // namespace kbench::python

// A definition's arguments as C++.
#pragma once

#include <string>

#include "schema/definition.hpp"

namespace kbench {

// The names that the definition has in C++, where they may not be keywords, and the text that needs
// them.
struct CppHeader {
  std::string scope;       // its namespace
  std::string parameters;  // "kbench::Tensor x, double factor, kbench::Tensor y"
  std::string arguments;   // "x, factor, y"
  std::string text;        // of the header: const axes, struct Arguments, arguments(), which checks
};

CppHeader cpp_header(const Definition& definition);

}  // namespace kbench

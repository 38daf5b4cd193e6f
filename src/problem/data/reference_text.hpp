// A reference's statements, nested as they are in the text, with their expressions parsed.
#pragma once

#include <string>
#include <vector>

#include "syntax/python.hpp"

namespace kbench {

struct ReferenceStatement {
  std::string keyword;                       // def, for, if, assert, raise, …; "" an assignment
  std::vector<python::ExpressionPtr> parts;  // targets and then the value, or what is looked at
  bool is_augmented = false;                 // +=
  std::string text;                          // an assert's or if's condition; operator of x += 1
  std::string name;                          // a def's name
  std::vector<std::string> parameters;       // a def's parameters
  std::vector<ReferenceStatement> body;
};

// Returns nothing where the text is no Python. Expressions that are not parsed are left out.
std::vector<ReferenceStatement> reference_statements(const std::string& text);

}  // namespace kbench

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
  std::string text;                          // of an assert's or if's condition
  std::string name;                          // of a def
  std::vector<std::string> parameters;       // of a def
  std::vector<ReferenceStatement> body;
};

// Empty where the text is no Python. An expression that is not parsed is left out.
std::vector<ReferenceStatement> reference_statements(const std::string& text);

}  // namespace kbench

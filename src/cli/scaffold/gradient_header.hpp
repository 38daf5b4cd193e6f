// A definition's tensors and those of its gradient as C++, in types that cannot be mixed up.
#pragma once

#include <string>
#include <vector>

#include "schema/definition.hpp"

namespace kbench {

// Declaration of a solution's gradients.
struct NewGradient {
  OrderedMap<TensorSpec> residuals;
  std::vector<std::string> nondiff;
};

// The parameters of one function, as the host passes them, and the expressions that make the
// header's structs of them.
struct CppCall {
  std::string parameters;  // "kbench::Tensor x, kbench::Tensor y"
  std::string statements;  // lines: "  const Inputs x = inputs(x_, weight);"
};

// Structs Inputs, Outputs, Residuals, OutputGradients and InputGradients, each with a function that
// makes it and checks its parts; and templates forward_of and backward_of, which the host calls,
// over the functions that somebody writes.
struct GradientHeader {
  std::string scope;  // namespace of the header
  std::string text;
  CppCall run;
};

GradientHeader gradient_header(const Definition& definition, const NewGradient& gradient);

}  // namespace kbench

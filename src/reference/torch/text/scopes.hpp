// Functions inside functions, and what they take from around them. LibTorch has none: each becomes
// a function of its own, and what it took from around it becomes arguments.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/torch/text/draft.hpp"
#include "reference/torch/text/reference_text.hpp"

namespace kbench {

struct Scope {
  std::string name;       // as the author wrote it
  std::string unique;     // "helper", or "helper__in_run" inside of run
  int parent = -1;        // index of the scope around it
  std::size_t first = 0;  // of its statement: `def`, or the name in `name = lambda …`
  std::size_t body = 0;   // first token after the header's ':'
  std::size_t last = 0;
  bool is_lambda = false;
  std::vector<ParameterText> parameters;
  std::vector<std::string> free;  // what it takes from around it
};

// Every function of the text, outer ones before inner ones. Throws UnsupportedText.
std::vector<Scope> find_scopes(const Draft& draft);

// The innermost scope that holds a token; -1 for none.
int scope_at(const std::vector<Scope>& scopes, std::size_t token);

// Renames inner functions where they are called, hands them what they take from around them, and
// leaves `pass` where they stood.
void lift_inner_functions(Draft& draft, const std::vector<Scope>& scopes);

// To be called after all rewriting.
FunctionText function_text(const Draft& draft, const Scope& scope);

}  // namespace kbench

// Text of a reference, taken apart for LibTorch's own parser. Nothing is rewritten: imports,
// decorators, annotations and defaults are left out, and what stays keeps its line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kbench {

// Function without decorators, annotations and defaults: parameters get types where it is called.
struct FunctionText {
  std::string name;
  std::vector<std::string> parameters;
  std::string body;   // everything after the ':' of the header
  int line = 0;       // line of `def`
  int body_line = 0;  // line on which `body` starts
};

struct ReferenceText {
  std::vector<FunctionText> functions;
  std::map<std::string, std::string, std::less<>> constants;  // NAME = LITERAL at module level
  std::map<std::string, std::string, std::less<>> modules;  // local name → "torch.nn.functional"

  const FunctionText* function(std::string_view name) const;
};

// Construct that stops a reference before LibTorch has seen it.
struct UnsupportedText {
  std::string construct;  // "a class"
  int line = 0;
};

std::variant<ReferenceText, UnsupportedText> read_reference(std::string_view text);

}  // namespace kbench

// The text pass: a reference as its author wrote it, taken apart into pieces that LibTorch's own
// parser can read. No LibTorch here. Every piece keeps the line numbers of the author's text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kbench {

struct ParameterText {
  std::string name;
  std::string default_value;  // its expression, "" where there is none
  bool keyword_only = false;
  bool rest = false;  // *args or **kwargs: takes what is left, which must be nothing
};

// A function without decorators, annotations and defaults: parameters get their types where it is
// called.
struct FunctionText {
  std::string name;
  std::vector<ParameterText> parameters;
  std::string body;   // everything after the ':' of the header; starts with a line break
  int line = 0;       // of `def`
  int body_line = 0;  // of the line break that `body` starts with
};

// NAME = EXPRESSION at the module's top level.
struct ConstantText {
  std::string name;
  std::string expression;
  int line = 0;
};

struct ReferenceText {
  std::vector<FunctionText> functions;  // those defined inside others included
  std::vector<ConstantText> constants;
  std::map<std::string, std::string, std::less<>> modules;  // local name → "torch.nn.functional"
};

// What stops a reference before LibTorch has seen it.
struct UnsupportedText {
  std::string construct;  // "a class", "try"
  int line = 0;
};

std::variant<ReferenceText, UnsupportedText> read_reference(std::string_view text);

}  // namespace kbench

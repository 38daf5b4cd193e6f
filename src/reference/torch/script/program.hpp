// References compiled by LibTorch. The one door between kbench-torch's own code and that compiler.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/reference_protocol.hpp"
#include "reference/torch/script/reference_function.hpp"

namespace kbench {

struct CompileError {
  std::string construct;  // in the user's terms: "nonzero(as_tuple=True)"
  std::string detail;     // LibTorch's first sentence, "" where it said nothing
  int line = 0;           // of the reference's text, from 1; 0 unknown

  // "<construct> is not supported by LibTorch's compiler: <detail>"
  std::string message() const;
};

// Compiles `function` of the text for these arguments.
std::variant<std::unique_ptr<ReferenceFunction>, CompileError> compile_reference(
    std::string_view reference, const std::vector<ReferenceArgument>& inputs,
    std::string_view function = "run");

}  // namespace kbench

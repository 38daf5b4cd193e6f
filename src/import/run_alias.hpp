// A reference whose function is not called `run` gets a `run` that calls it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/python.hpp"

namespace kbench {

// An input of a definition, and the parameter it is handed to.
struct ReferenceInput {
  std::string name;
  std::string parameter;
};

// The one top-level function that can be meant: all that it must be given is an input, and no
// other function calls it. Otherwise `problem` says why there is none.
struct MeantFunction {
  const python::Function* function = nullptr;
  std::string problem;
};
MeantFunction meant_function(std::string_view reference, const python::Module& module,
                             std::span<const ReferenceInput> inputs);

// True when `function` can be called without this parameter: it has a default, or there is none.
bool can_do_without(const python::Function& function, std::string_view parameter);

// "def run(a, b): return f(a, b)" on two lines; `ignored` are the inputs that f does not take.
struct RunAlias {
  std::string text;
  std::vector<std::string> ignored;
};
RunAlias run_alias(const python::Function& function, std::span<const ReferenceInput> inputs);

}  // namespace kbench

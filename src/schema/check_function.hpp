// A Definition's own check of outputs: the function `check` of its reference's text, for answers
// that are not unique (docs/verdict.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/definition.hpp"
#include "syntax/python.hpp"

namespace kbench {

// A parameter `expected_Q` is the reference's own answer `Q`.
inline constexpr std::string_view expected_prefix = "expected_";

struct CheckFunction {
  std::vector<std::string> arguments;  // inputs, outputs and expected_… that it takes, in its order
  std::vector<std::string> outputs;    // candidates' outputs among these: what it judges
  std::vector<std::string> unknown;    // parameters without a default that are none of these
  std::size_t def_begin = 0;           // byte in the reference's text
  int line = 0;                        // its def's line there, from 1
  std::size_t begin = 0, end = 0;      // all of it, decorators included
};

// A function of this name that takes no output is a helper of the reference, and no check. `module`
// is what the reference's text is read as.
std::optional<CheckFunction> find_check(const Definition& definition, const python::Module& module);
std::optional<CheckFunction> find_check(const Definition& definition);

// Something called check that nothing calls and that judges nothing, though it was meant to.
struct IdleCheck {
  std::size_t begin = 0;  // byte in the reference's text
  int line = 0;           // of that text, from 1
  std::string why, hint;
};
std::optional<IdleCheck> find_idle_check(const Definition& definition);

// The reference's text without its check: what tells how the outputs come about.
std::string text_without_check(const Definition& definition);

}  // namespace kbench

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
  std::size_t def_begin = 0;           // byte of its def in the reference's text
  int line = 0;                        // line of the def there, from 1
  std::size_t begin = 0, end = 0;      // bytes of all of it, decorators included
};

// Returns no check for a function of this name that takes no output: that is a helper of the
// reference. `module` is the parsed text of the reference.
std::optional<CheckFunction> find_check(const Definition& definition, const python::Module& module);
std::optional<CheckFunction> find_check(const Definition& definition);

// Thing called check that nothing calls and that judges nothing, though it was meant to.
struct IdleCheck {
  std::size_t begin = 0;  // byte in the reference's text
  int line = 0;           // line of that text, from 1
  std::string why, hint;
};
std::optional<IdleCheck> find_idle_check(const Definition& definition);

// Returns the reference's text without its check: it tells how the outputs come about.
std::string text_without_check(const Definition& definition);

}  // namespace kbench

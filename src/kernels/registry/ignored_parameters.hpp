// Parameters that a Solution takes and does not read. Bodies are judged by their words alone, so
// only forms that cannot be misread count: in Python `del NAME` where no other word of the body is
// that name, as a name that is deleted after it was used is none; in C++ a parameter without a
// name, or whose name is in no word of the body and of no macro.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/registry/sidecar.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

struct IgnoredParameter {
  std::string input;  // input of the Definition, by position
  std::string how;    // "del window", "it has no name", "no word of the body is window"
  // Default of the parameter, for which it serves: "-1", "False".
  std::optional<std::string> default_value;
};

// Finds those that are inputs of the Definition; none where the function is not there.
std::vector<IgnoredParameter> ignored_parameters(const Solution& solution,
                                                 const Definition& definition);

// Returns the condition of a scalar that is not read: "window == -1".
std::string ignored_condition(const std::string& input, const std::string& value);
// Adds these conditions to what a Solution supports, where the function deletes a scalar with a
// default and no condition speaks of it.
void add_ignored(const Solution& solution, const Definition& definition, Sidecar& sidecar);

}  // namespace kbench

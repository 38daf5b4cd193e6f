// Conditions of sidecars as C++, of the functions of kbench_choice.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Code for a name: "f[0]" of an axis or scalar, "p[1]" of a parameter; "" for an unknown one.
using NameCode = std::function<std::string(std::string_view name)>;

// Returns "[](const Value* f, const Value* p) { … }" of conditions that must all hold; "nullptr"
// for none. They are conditions that kbench can check: kernels/registry/conditions.hpp.
std::string conditions_code(const std::vector<std::string>& conditions, const NameCode& name);

// Returns a list of C++: "{a, b}".
std::string list_code(const std::vector<std::string>& parts);

}  // namespace kbench

// Which function of a kernel does what is asked of it: run, or give gradients, on a device, for
// itself or as one of several shards. Source of the order and of the names: ejkernel, ops/core.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "schema/solution.hpp"

namespace kbench {

// Functions by the names of what they do: "run", "run_gpu", "run_sharded", "run_sharded_gpu".
// The first part is "prepare", "run", "fwd_with_residuals", "vjp" or "combine",
// which makes one of what the ranks of a sharded call have left.
using Methods = std::map<std::string, std::string>;

// All names that there can be. To add a first part: its row in methods.cpp.
std::vector<std::string> method_names();

// What of a kernel is asked for.
struct MethodQuery {
  std::string context;  // "sharded", or "" for a kernel by itself
  std::string device;   // "cpu", "gpu"; "" where it is not known
};

// What is asked of this Solution on the device that it is for.
MethodQuery query_for(const Solution& solution, std::string context = "");

struct FoundMethod {
  std::string name;        // "run_sharded"
  std::string function;    // "run_tp"
  std::string_view level;  // "composite", "context", "platform", "generic": which name is said
};

// The first that there is of <method>_<context>_<device>, <method>_<context>, <method>_<device> and
// <method>; nothing where there is none.
std::optional<FoundMethod> find_method(const Methods& methods, std::string_view method,
                                       const MethodQuery& query);

// fwd_with_residuals and vjp, which belong together: of the first level that has both.
std::optional<std::pair<FoundMethod, FoundMethod>> find_gradient(const Methods& methods,
                                                                 const MethodQuery& query);

// Why there is no such pair, for people: "has no vjp to its fwd_with_residuals; it has run, …".
std::string why_no_gradient(const Methods& methods, const MethodQuery& query);

// Returns the methods of a Solution: its entry point as "run", what its sources export under such a
// name, and what its sidecar declares, which counts before the others.
Methods methods_of(const Solution& solution, const Methods& declared);

// The function that calls of this Solution by itself go to, "" where that is its entry point's:
// what `declared` has for it, or what its sources export as run_cpu (run_gpu) with the same
// arguments.
std::string called_function(const Solution& solution, const Methods& declared);

// The Solution whose entry point is another function of the same source; "": itself.
Solution with_function(Solution solution, const std::string& function);

// Which function of a Solution is called once, before its calls: docs/solutions.md.

// As the sources of the Solution export it or `declared` has it, for calls of it by itself; nothing
// where there is none. Or why kbench cannot call what is declared.
std::variant<std::optional<FoundMethod>, std::string> prepare_function(const Solution& solution,
                                                                       const Methods& declared);

}  // namespace kbench

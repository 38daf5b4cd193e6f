// Functions of a kernel by their purpose: run, or give gradients, on a device, for itself or as one
// of several shards. Source of the order and of the names: ejkernel, ops/core.
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

// Functions by the names of their purposes: "run", "run_gpu", "run_sharded", "run_sharded_gpu". The
// first part is "prepare", "run", "fwd_with_residuals", "vjp" or "combine", which makes one output
// of those of the ranks of a sharded call.
using Methods = std::map<std::string, std::string>;

// Returns the beginning of a Python module beside the Solution's own, which it loads as MODULE.
std::string python_that_loads(const Solution& solution);
// Returns the name that ejkernel's has here: "run_sharded_gpu" of "run_shard_map_gpu".
std::string named_as_here(std::string method);
// Returns all names that are possible. A new first part needs its row in methods.cpp.
std::vector<std::string> method_names();

// Context and device for which a function is asked.
struct MethodQuery {
  std::string context;  // "sharded", or "" for a kernel by itself
  std::string device;   // "cpu", "gpu"; "" where it is not known
};

// Returns the query for this Solution on the device that it is for.
MethodQuery query_for(const Solution& solution, std::string context = "");

struct FoundMethod {
  std::string name;        // "run_sharded"
  std::string function;    // "run_tp"
  std::string_view level;  // rank of the name: "composite", "context", "platform", "generic"
};

// Finds the first of <method>_<context>_<device>, <method>_<context>, <method>_<device> and
// <method>; nullopt where there is none.
std::optional<FoundMethod> find_method(const Methods& methods, std::string_view method,
                                       const MethodQuery& query);

// Finds fwd_with_residuals and vjp, which belong together: those of the first level that has both.
std::optional<std::pair<FoundMethod, FoundMethod>> find_gradient(const Methods& methods,
                                                                 const MethodQuery& query);

// Says why there is no such pair: "has no vjp to its fwd_with_residuals; it has run, …".
std::string why_no_gradient(const Methods& methods, const MethodQuery& query);

// Returns the methods of a Solution: its entry point as "run", the exports of its sources under
// such a name, and those that its sidecar declares, which count before the others.
Methods methods_of(const Solution& solution, const Methods& declared);

// Returns the function for calls of this Solution by itself, "" where that is its entry point's:
// the one that `declared` has, or that its sources export as run_cpu (run_gpu) with the same
// arguments.
std::string called_function(const Solution& solution, const Methods& declared);

// Returns the Solution whose entry point is another function of the same source; "": itself.
Solution with_function(Solution solution, const std::string& function);

// Function of a Solution that is called once, before its calls: docs/solutions.md.

// Finds it among the exports of the Solution's sources or in `declared`, for calls of it by itself:
// nullopt where there is none. A text says why kbench cannot call the declared one.
std::variant<std::optional<FoundMethod>, std::string> prepare_function(const Solution& solution,
                                                                       const Methods& declared);

}  // namespace kbench

// Registry of the implementations of operations; it resolves which one serves a call. Files are
// read to build it; nothing registers itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/call_facts.hpp"
#include "kernels/registry/kernel_key.hpp"
#include "kernels/registry/platform.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Kernel of a library or a Solution.
struct Implementation {
  std::string operation;  // "aten::add.out", or the name of a Definition
  std::string platform;   // one of platforms()
  Backend backend;
  int priority = 0;
  std::optional<KernelKey> key;         // nullopt: the default, it serves any tensors
  std::vector<std::string> conditions;  // conditions over the facts of a call: all must hold
  std::string symbol;                   // function, or the Solution's name
  std::size_t outputs = 0;              // tensors at the end of the key that are written
  bool competes = false;                // true for a Solution: others may be for the same calls
  Where where;
};

// Question to the registry. Unset parts are open.
struct Query {
  std::string operation;
  std::string op;  // operator that the Definition is linked to, whose kernels serve, too
  std::optional<std::string> platform;
  std::optional<Backend> backend;
  std::optional<KernelKey> key;        // nullopt: only defaults serve
  std::map<std::string, Number> axes;  // lengths and scalars for conditions
  CallFacts facts = {};                // other facts for conditions: dtypes, scalars
  Host host;  // machine on which a kernel must run, unless a platform or a backend is asked for
};

// Implementation, and why it does not serve a query; "" where it does. A new filter needs its row
// in lookup.cpp.
struct Considered {
  const Implementation* implementation = nullptr;
  std::string skipped;
};

struct Resolution {
  const Implementation* chosen = nullptr;
  bool is_exact = false;  // its key names the tensors; else it is a default
  // Implementations of the operation: those that serve, best first, then others, nearest first.
  std::vector<Considered> candidates;
};

class Registry {
 public:
  // Adds an implementation. Two of one operation with the same platform, backend, key, conditions
  // and priority are a mistake that shows both places; with `replace` the later one counts.
  void add(Implementation implementation, bool replace, Diagnostics& diagnostics);

  // Tells whether it is there itself, and no other that replaced it.
  bool holds(const Implementation& implementation) const;

  const std::vector<Implementation>& implementations() const { return all_; }
  // Returns the names sorted, each once.
  std::vector<std::string> operations() const;
  // Returns them by priority, then in the order in which they were added. Names of Definitions are
  // found whatever the case of their letters; unknown names have none.
  std::vector<const Implementation*> implementations(const std::string& operation) const;

  Resolution resolve(const Query& query) const;

 private:
  std::vector<Implementation> all_;
};

// Returns a kernel under one of its keys, or as the default.
Implementation implementation_of(const OperatorEntry& entry, const Kernel& kernel,
                                 std::optional<KernelKey> key);
// Returns the implementations that a kernel library declares.
std::vector<Implementation> implementations_of(const KernelLibrary& library);
// Returns the library without the kernels that others replaced in a registry it was added to.
KernelLibrary without_replaced(KernelLibrary library, const Registry& registry);
// Returns a Solution as an implementation, with the settings of its sidecar.
Implementation implementation_of(const Stored<Solution>& solution, const KernelSettings& said);

// Miss of a query: the request, the implementations there are, and how the nearest differs.
struct Miss {
  std::string requested;
  std::vector<std::string> available;
  std::string difference;
};
Miss miss_of(const Registry& registry, const Query& query, const Resolution& resolution);

}  // namespace kbench

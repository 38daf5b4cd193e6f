// The registry: which implementations of an operation there are, and which one serves a call. An
// object that is built by reading files; nothing registers itself.
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

// A kernel of a library or a Solution.
struct Implementation {
  std::string operation;  // "aten::add.out", or the name of a Definition
  std::string platform;   // one of platforms()
  Backend backend;
  int priority = 0;
  std::optional<KernelKey> key;         // nothing: the default, it serves any tensors
  std::vector<std::string> conditions;  // over what is known of a call: all must hold
  std::string symbol;                   // the function, or the Solution's name
  std::size_t outputs = 0;              // tensors at the end of the key that are written
  bool competes = false;                // a Solution: others may be for the same calls
  Where where;
};

// What is asked. What is not said is open.
struct Query {
  std::string operation;
  std::string op;  // of a Definition: the operator that it is linked to, whose kernels serve, too
  std::optional<std::string> platform;
  std::optional<Backend> backend;
  std::optional<KernelKey> key;              // nothing: only defaults serve
  std::map<std::string, std::int64_t> axes;  // for conditions
  CallFacts facts = {};                      // what else these see: dtypes, scalars
  Host host;  // a kernel must run there, unless a platform or a backend is asked for
};

// Why an implementation does not serve a query; "" where it does. To add a filter: its row in
// lookup.cpp.
struct Considered {
  const Implementation* implementation = nullptr;
  std::string skipped;
};

struct Resolution {
  const Implementation* chosen = nullptr;
  bool is_exact = false;  // by a key that names the tensors; else a default
  // All of the operation: those that serve, best first, then those skipped, nearest first.
  std::vector<Considered> candidates;
};

class Registry {
 public:
  // Two of one operation with the same platform, backend, key, conditions and priority are a
  // mistake that shows both places; with `replace` the later one counts.
  void add(Implementation implementation, bool replace, Diagnostics& diagnostics);

  // Whether it is there itself, and no other that replaced it.
  bool holds(const Implementation& implementation) const;

  const std::vector<Implementation>& implementations() const { return all_; }
  // Sorted; each once.
  std::vector<std::string> operations() const;
  // By priority, then in the order in which they were added. Names of Definitions are found
  // whatever the case of their letters. Unknown: none.
  std::vector<const Implementation*> implementations(const std::string& operation) const;

  Resolution resolve(const Query& query) const;

 private:
  std::vector<Implementation> all_;
};

// A kernel under one of its keys, or as the default.
Implementation implementation_of(const OperatorEntry& entry, const Kernel& kernel,
                                 std::optional<KernelKey> key);
// The implementations that a kernel library declares.
std::vector<Implementation> implementations_of(const KernelLibrary& library);
// The library without what others replaced in a registry that it was added to.
KernelLibrary without_replaced(KernelLibrary library, const Registry& registry);
// A Solution as one, and what its sidecar says of it.
Implementation implementation_of(const Stored<Solution>& solution, const KernelSettings& said);

// What a miss says: what was asked, what there is, and how the nearest differs.
struct Miss {
  std::string requested;
  std::vector<std::string> available;
  std::string difference;
};
Miss miss_of(const Registry& registry, const Query& query, const Resolution& resolution);

}  // namespace kbench

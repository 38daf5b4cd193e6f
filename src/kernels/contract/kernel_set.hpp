// Kernel libraries that words on the command line stand for, and all their registrations.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"
#include "kernels/registry/registry.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

struct KernelOptions {
  std::vector<std::string> words;
  std::string root;
  bool replace = false;
  bool needs_definitions = false;  // adds the current trace set's, where words name none
  bool leaves_out = false;         // solutions with a fault, with a warning: the others go on
};

struct KernelSet {
  std::vector<KernelLibrary> libraries;
  std::optional<TraceSet> set;  // trace set whose Solutions are registered, too
  Registry registry;

  // Returns the schema of an operator that a library declares; nullptr for others.
  const ops::Schema* schema(const std::string& op) const;
  // Finds a Definition of the trace set, whatever the case of its letters; nullptr for none.
  const Definition* definition(const std::string& name) const;
};

// Loads the libraries of words: each is a kernel yaml, a folder with some, or a trace set; no
// words: the current trace set. Mistakes are reported, and entries without one returned.
KernelSet load_kernels(const KernelOptions& options, Diagnostics& diagnostics);

// Returns the schema of "add.out" or "ns::name.overload": of a library, else of PyTorch; nullopt
// for an unknown operator.
std::optional<ops::Schema> find_schema(const KernelSet& kernels, const std::string& op);
// Returns the operation that a word means: an operator, or a Definition where one is called so.
std::string operation_named(const KernelSet& kernels, const std::string& word);

// Suggests for an unknown operator: its overloads, or a similar name. `known` are full names, and
// names of Definitions.
std::string operator_hint(const std::string& word, const std::vector<std::string>& known);
// Suggests from the operators that the libraries declare, else from PyTorch's.
std::string operator_hint(const std::string& word, const KernelSet& kernels);
// Suggests from the names of the trace set's Definitions.
std::string definition_hint(const std::string& name, const TraceSet& set);

// Returns the query of a Definition of `set`: its implementations, and kernels of the operator that
// it is linked to, may serve. A wrong link is reported, and gives nullopt.
std::optional<Query> query_for(const Definition& definition, const TraceSet& set,
                               const KernelSet& kernels, Diagnostics& diagnostics);

// Returns the Definitions of workloads, each once, with a line that asks for it. A missing one gets
// a warning that names the first line that asks for it.
std::vector<std::pair<const Definition*, const Stored<Trace>*>> definitions_of(
    const TraceSet& set, const std::vector<Stored<Trace>>& workloads, Diagnostics& diagnostics);

// Lists all files that a set was read from, as far as kbench alone knows their form.
std::vector<std::filesystem::path> files_of(const KernelSet& kernels);

// Returns the features of this machine.
Host find_host();

}  // namespace kbench

// The kernel libraries that words on the command line stand for, and all that they register.
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
  bool needs_definitions = false;  // those of the current trace set, where the words name none
};

struct KernelSet {
  std::vector<KernelLibrary> libraries;
  std::optional<TraceSet> set;  // whose Solutions are registered, too
  Registry registry;

  // The schema of an operator that a library declares, nullptr for others.
  const ops::Schema* schema(const std::string& op) const;
  // Finds a Definition of the trace set, whatever the case of its letters; nullptr for none.
  const Definition* definition(const std::string& name) const;
};

// A word is a kernel yaml, a folder with some, or a trace set; no words: the current trace set.
// Mistakes are reported, and what has none is there.
KernelSet load_kernels(const KernelOptions& options, Diagnostics& diagnostics);

// The schema of "add.out" or "ns::name.overload": of a library, else of PyTorch. Nothing for an
// unknown operator.
std::optional<ops::Schema> find_schema(const KernelSet& kernels, const std::string& op);
// What a word of the command line means: an operator, or a Definition where one is called so.
std::string operation_named(const KernelSet& kernels, const std::string& word);

// For an operator that is not known: its overloads, or what it may be a slip of. `known` are full
// names, and names of Definitions.
std::string operator_hint(const std::string& word, const std::vector<std::string>& known);
// Suggests from what the libraries declare, else from PyTorch's operators.
std::string operator_hint(const std::string& word, const KernelSet& kernels);
// Suggests from the names of the trace set's Definitions.
std::string definition_hint(const std::string& name, const TraceSet& set);

// The calls of a Definition of `set`: what is registered for it, and the kernels of the operator
// that it is linked to. Nothing where that link is wrong, which is reported.
std::optional<Query> query_for(const Definition& definition, const TraceSet& set,
                               const KernelSet& kernels, Diagnostics& diagnostics);

// The Definitions of workloads, each once, with a line that asks for it. For one that is not there,
// a warning names the first line that asks for it.
std::vector<std::pair<const Definition*, const Stored<Trace>*>> definitions_of(
    const TraceSet& set, const std::vector<Stored<Trace>>& workloads, Diagnostics& diagnostics);

// Every file that a set was read from, as far as kbench alone knows its form.
std::vector<std::filesystem::path> files_of(const KernelSet& kernels);

// What this machine has.
Host find_host();

}  // namespace kbench

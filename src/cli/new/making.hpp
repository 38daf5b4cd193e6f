// Common parts of the kinds of kbench new.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/new/new_workload.hpp"
#include "schema/definition.hpp"

namespace kbench {

struct NewOptions {
  std::string what;
  std::string definition;  // its name or file; a new one's name
  std::string root;
  // Workloads:
  std::vector<std::string> axes;
  std::string out;
  std::uint64_t seed = 0;
  bool no_try = false;
  // Definitions:
  std::string like;
  std::string op_type;
  std::vector<std::string> inputs, outputs;  // words of cli/scaffold/described_definition.hpp
  std::string reference;                     // a file
  // Solutions:
  std::string language;
  std::string author = "me";
  std::string name;  // "": <author>_<definition>
  bool gradient = false;
};

// Commands, one a kind; each returns the exit status.
int new_workload(const NewOptions& options);
int new_definition(const NewOptions& options);
int new_solution(const NewOptions& options);
int new_kernels(const NewOptions& options);

// " --root DIR", where it was given, for a command to go on with.
std::string again_with_root(const NewOptions& options);

int complain(const std::string& message, const std::string& hint = "");
// Prints them; tells whether there are errors among them.
bool complain(const Diagnostics& problems);

// Prints the result of the reference on a workload.
void tell_tried(const Tried& tried);

// Returns the mistake in a name that becomes a file's; "": none.
std::string check_file_name(const std::string& name);

struct FoundDefinition {
  Definition definition;
  std::filesystem::path path;
};

// Finds the definition that is meant; a missing or wrong one gives nothing and is printed.
std::optional<FoundDefinition> definition_for(const NewOptions& options);

// Adds a workload to the definition's, once, and says so.
void add_workload(const NewWorkload& made, const std::filesystem::path& root,
                  const std::filesystem::path& file);

}  // namespace kbench

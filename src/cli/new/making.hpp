// What the kinds of kbench new share.
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
  std::string definition;  // its name or file; of a new one its name
  std::string root;
  // For workloads:
  std::vector<std::string> axes;
  std::string out;
  std::uint64_t seed = 0;
  bool no_try = false;
  // For definitions:
  std::string like;
  std::string op_type;
  std::vector<std::string> inputs, outputs;  // as in cli/scaffold/described_definition.hpp
  std::string reference;                     // a file
  // For solutions:
  std::string language;
  std::string author = "me";
  std::string name;  // "": <author>_<definition>
  bool gradient = false;
};

// What each makes; the exit status.
int new_workload(const NewOptions& options);
int new_definition(const NewOptions& options);
int new_solution(const NewOptions& options);
int new_kernels(const NewOptions& options);

// " --root DIR", where it was given, for a command to go on with.
std::string again_with_root(const NewOptions& options);

int complain(const std::string& message, const std::string& hint = "");
// Prints them; whether there are errors among them.
bool complain(const Diagnostics& problems);

// Says what the reference made of a workload.
void tell_tried(const Tried& tried);

// What is wrong with a name that becomes a file's; "": nothing.
std::string check_file_name(const std::string& name);

struct FoundDefinition {
  Definition definition;
  std::filesystem::path path;
};

// The definition that is meant; nothing where none is or it is wrong, which is printed.
std::optional<FoundDefinition> definition_for(const NewOptions& options);

// Adds it to the definition's workloads, once, and says so.
void add_workload(const NewWorkload& made, const std::filesystem::path& root,
                  const std::filesystem::path& file);

}  // namespace kbench

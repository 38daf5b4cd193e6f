// Settings of a kernel beside its own file: the sidecar, kbench.json or kbench.yaml in the folder
// of a Solution or a kernel yaml, or <file>.kbench.json. Neither FlashInfer-Bench nor ExecuTorch
// reads it. docs/kernels.md
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/gradients.hpp"
#include "kernels/registry/methods.hpp"
#include "kernels/registry/platform.hpp"
#include "kernels/registry/sharding.hpp"
#include "kernels/registry/tunables.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Settings of a kernel or of a Solution in a sidecar.
struct KernelSettings {
  std::optional<std::string> platform;  // one of platforms()
  std::optional<Backend> backend;
  std::optional<int> priority;
  std::vector<std::string> conditions;  // conditions over the call: Python expressions
  bool says_conditions = false;         // conditions are given, be it none
  Where where;
};

// Word of a sidecar, and its place.
struct NamedPlace {
  std::string name;
  Where where;
};

struct Sidecar {
  KernelSettings all;                             // settings for the file beside it
  std::map<std::string, KernelSettings> kernels;  // settings by kernel_name, of a kernel yaml
  std::vector<std::string> sources;               // files of a kernel yaml; "*": any characters
  Methods methods;                                // `entry` of a Solution
  std::vector<NamedPlace> entry_functions;        // functions that `entry` names
  std::vector<DeclaredSharding> shardings;        // `shard` of a Solution
  Tunables tunables;                              // configurations of a Solution
  GradientSpec gradients;                         // `nondiff` and `residuals` of a Solution
  std::vector<NamedPlace> batch_axes;             // axes that a Solution does not know
};

// Tells whether a source, "*" for any characters, names a file.
bool is_source_name(std::string_view source, std::string_view file);

// Finds the sidecar of a file: "<stem>.kbench.json", else "kbench.json" in its folder, or .yaml.
std::optional<std::filesystem::path> find_sidecar(const std::filesystem::path& file);

Sidecar read_sidecar(const Source& source, Diagnostics& diagnostics);
// Reads the sidecar that is found for a file; an empty one where there is none.
Sidecar read_sidecar_of(const std::filesystem::path& file, Diagnostics& diagnostics);
// Returns the sidecar of a Solution: spec.kbench, else the file that is found.
Sidecar sidecar_of(const Stored<Solution>& solution, Diagnostics& diagnostics);

// Reads spec.kbench in a Solution's text; an empty sidecar where there is none.
Sidecar sidecar_in(const Source& solution, Diagnostics& diagnostics);

// Returns the names of the parameters that it declares; mistakes there are not reported.
std::vector<std::string> declared_parameters(const Stored<Solution>& solution);

// Writes the sidecar with these settings of kernels, as YAML; "" where there are none.
std::string write_sidecar(const std::map<std::string, KernelSettings>& kernels);

// Returns the settings of a kernel by its name; unset ones are those for all.
KernelSettings settings_of(const Sidecar& sidecar, const std::string& kernel_name);

}  // namespace kbench

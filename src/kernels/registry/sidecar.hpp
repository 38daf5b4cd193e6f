// What kbench knows of a kernel beside its own file: the sidecar, kbench.json or kbench.yaml in the
// folder of a Solution or a kernel yaml, or <file>.kbench.json. Neither FlashInfer-Bench nor
// ExecuTorch reads it. docs/kernels.md
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

// What a sidecar says of a kernel or of a Solution.
struct KernelSettings {
  std::optional<std::string> platform;  // one of platforms()
  std::optional<Backend> backend;
  std::optional<int> priority;
  std::vector<std::string> conditions;  // over the call: Python expressions
  bool says_conditions = false;         // that there are none, too
  Where where;
};

// A word of a sidecar, and where it stands.
struct NamedPlace {
  std::string name;
  Where where;
};

struct Sidecar {
  KernelSettings all;                             // for what it stands beside
  std::map<std::string, KernelSettings> kernels;  // by kernel_name, of a kernel yaml
  std::vector<std::string> sources;               // by kernel_name, for a kernel yaml
  Methods methods;                                // `entry` of a Solution
  std::vector<NamedPlace> entry_functions;        // the functions that it names
  std::vector<DeclaredSharding> shardings;        // `shard` of a Solution
  Tunables tunables;                              // configurations of a Solution
  GradientSpec gradients;                         // `nondiff` and `residuals` of a Solution
  std::vector<NamedPlace> batch_axes;             // that a Solution does not know
};

// Whether one of these sources names a file.
bool is_source_name(std::string_view source, std::string_view file);

// The sidecar of a file: "<stem>.kbench.json", else "kbench.json" in its folder, or .yaml.
std::optional<std::filesystem::path> find_sidecar(const std::filesystem::path& file);

Sidecar read_sidecar(const Source& source, Diagnostics& diagnostics);
// Reads the sidecar that is found for a file; an empty one where there is none.
Sidecar read_sidecar_of(const std::filesystem::path& file, Diagnostics& diagnostics);
// What is said of a Solution: under spec.kbench, else in the sidecar that is found.
Sidecar sidecar_of(const Stored<Solution>& solution, Diagnostics& diagnostics);

// Reads what stands under spec.kbench in a Solution's text; an empty sidecar where there is none.
Sidecar sidecar_in(const Source& solution, Diagnostics& diagnostics);

// The names of the parameters that it declares; what is wrong there is not said.
std::vector<std::string> declared_parameters(const Stored<Solution>& solution);

// The sidecar that says this of kernels, as YAML; "" where there is nothing to say.
std::string write_sidecar(const std::map<std::string, KernelSettings>& kernels);

// What is said of a kernel by its name, and where nothing is said by that, of all.
KernelSettings settings_of(const Sidecar& sidecar, const std::string& kernel_name);

}  // namespace kbench

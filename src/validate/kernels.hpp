// Kernel yaml, and the files that belong to it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"
#include "schema/definition.hpp"
#include "validate/report.hpp"

namespace kbench {

// Returns the kinds of files that hold no record: "kernels" (ExecuTorch's kernel yaml),
// "constraints" (its edge.yaml), "selection" (selected_operators.yaml), "sidecar" (kbench.json). A
// new one needs its row in kernels.cpp.
std::vector<std::string> kernel_kinds();
bool is_kernel_kind(std::string_view kind);

// Guesses the kind of a .yaml or .yml file, or of a sidecar in JSON; "" for any other.
std::string_view guess_kernel_kind(const Source& source);

// Checks a file; breaches of a convention have the level `soft`.
void check_kernel_file(const Source& source, std::string_view kind, Level soft, Diagnostics& out);

// Validates the kernel yaml files and sidecars below a folder, as far as they can be told from
// other YAML, which is passed over, or reported where that is asked for.
void validate_kernel_files_below(const std::filesystem::path& folder, ValidationReport& report,
                                 Level soft, bool tells_of_others = false);

// Definition whose tags may name operators which neither the libraries of the report nor PyTorch
// have.
struct TaggedDefinition {
  const Definition* definition = nullptr;
  std::size_t file = 0;  // index in the report
};
void check_operators(const std::vector<TaggedDefinition>& definitions, Level level,
                     ValidationReport& report);

// Warns of conditions of kernels on axes that no Definition of theirs has.
void check_conditions(const std::vector<const Definition*>& definitions, ValidationReport& report);

// Reports keys that several kernel yaml files register, and drops repeated messages.
void check_libraries_together(ValidationReport& report);

// Demands of ExecuTorch's documentation on kernel yaml that its tools do not make.

// Checks for kernels' names in lower case, operators that write to an argument, which is called
// `out`, and overloads that end so. A breach is reported once, at the first place, with the number
// of others: ExecuTorch's own files break that of names 21 times in 209 operators.
void check_conventions(const KernelLibrary& library, Level level, Diagnostics& diagnostics);

}  // namespace kbench

// Kernel yaml and the sidecar beside it.
#pragma once

#include <string_view>

#include "base/diagnostic.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"

namespace kbench {

// Returns the library of read_kernel_library(), with the settings of its sidecar. A kernel that the
// sidecar names and the file lacks is reported, unless the sidecar is that of the folder
// ("kbench.json") and another kernel yaml there has it.
KernelLibrary load_kernel_library(const Source& source, const ops::Catalogue* catalogue,
                                  Diagnostics& diagnostics, Level without_catalogue = Level::error);

// Returns the kind of a yaml file, by its contents: "kernels", "constraints" (ExecuTorch's
// edge.yaml), "selection"; "" for none of them. Unreadable files count as kernel libraries where
// they begin as a list.
std::string_view yaml_kind(const Source& source);
bool is_yaml(std::string_view path);

// Remark on other yaml files where kernel libraries are looked for.
constexpr const char* other_yaml = "is no kernel yaml and no sidecar: nothing is read from it";
constexpr const char* other_yaml_hint =
    "a kernel yaml is a list of operators; a sidecar is called kbench.yaml or <file>.kbench.yaml";

}  // namespace kbench

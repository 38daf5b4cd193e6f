// A kernel yaml and the sidecar beside it.
#pragma once

#include <string_view>

#include "base/diagnostic.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"

namespace kbench {

// What read_kernel_library() makes of it, with what its sidecar says of its kernels. A kernel that
// the sidecar names and the file lacks is reported, unless the sidecar is that of the folder
// ("kbench.json") and another kernel yaml there has it.
KernelLibrary load_kernel_library(const Source& source, const ops::Catalogue* catalogue,
                                  Diagnostics& diagnostics, Level without_catalogue = Level::error);

// What a yaml file is, by what it holds: "kernels", "constraints" (ExecuTorch's edge.yaml),
// "selection"; "" for none of them. What cannot be read counts as a kernel library where it begins
// as a list.
std::string_view yaml_kind(const Source& source);
bool is_yaml(std::string_view path);

// What is said of another one where kernel libraries are looked for.
constexpr const char* other_yaml = "is no kernel yaml and no sidecar: nothing is read from it";
constexpr const char* other_yaml_hint =
    "a kernel yaml is a list of operators; a sidecar is called kbench.yaml or <file>.kbench.yaml";

}  // namespace kbench

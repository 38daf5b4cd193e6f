// A kernel yaml and the sidecar beside it.
#pragma once

#include "base/diagnostic.hpp"
#include "registry/kernel_library.hpp"

namespace kbench {

// What read_kernel_library() makes of it, with what its sidecar says of its kernels. A kernel that
// the sidecar names and the file lacks is reported, unless the sidecar is that of the folder
// ("kbench.json") and another kernel yaml there has it.
KernelLibrary load_kernel_library(const Source& source, const ops::Catalogue* catalogue,
                                  Diagnostics& diagnostics, Level without_catalogue = Level::error);

}  // namespace kbench

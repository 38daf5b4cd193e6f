// Merger of two kernel libraries: gaps of the first are filled from the second. Source: ExecuTorch,
// codegen/tools/merge_yaml.py.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"

namespace kbench {

enum class MergeBy {
  op,      // ExecuTorch's way: an operator that the first has loses all kernels of the second
  kernel,  // it keeps those for keys, or the default, that the first lacks
};

struct MergeSide {
  const Source& source;
  const KernelLibrary& library;
};

// Returns the yaml: the entries of the first, then the operators that only the second has; names
// with their namespace. Both must have been read without mistakes, and have the settings of their
// sidecars. A kernel of the fallback that is lost though another does not serve all its calls is
// warned of; one that has the name of another with other settings is an error.
std::string merge_kernel_yaml(const MergeSide& first, const MergeSide& fallback, MergeBy by,
                              Diagnostics& diagnostics);

}  // namespace kbench

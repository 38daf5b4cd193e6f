// Two kernel libraries in one: what of the first is missing comes from the second.
// Source: ExecuTorch, codegen/tools/merge_yaml.py.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"

namespace kbench {

enum class MergeBy {
  op,      // ExecuTorch's way: an operator that the first has loses all kernels of the second
  kernel,  // it keeps those for keys, or the default, that the first has not
};

struct MergeSide {
  const Source& source;
  const KernelLibrary& library;
};

// The yaml: the entries of the first, then the operators that only the second has; names with their
// namespace. Both must have been read without mistakes, and have what their sidecars say. A kernel
// of the fallback that is lost though another does not serve all its calls is warned of; one that
// has the name of another for which other things are said is an error.
std::string merge_kernel_yaml(const MergeSide& first, const MergeSide& fallback, MergeBy by,
                              Diagnostics& diagnostics);

}  // namespace kbench

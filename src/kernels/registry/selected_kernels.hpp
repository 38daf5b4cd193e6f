// Kernels of libraries that a selection needs.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"
#include "kernels/registry/selection.hpp"

namespace kbench {

// Kernel under one of its keys.
struct SelectedKernel {
  const OperatorEntry* entry = nullptr;
  const Kernel* kernel = nullptr;
  std::optional<KernelKey> key;  // nullopt: as the default
};

// Returns the kernels of one operator in the order in which `resolve` takes them.
std::vector<SelectedKernel> in_order(const std::vector<SelectedKernel>& kernels);

// Returns all kernels, operator by operator in the order in which these first come.
std::vector<SelectedKernel> all_kernels(const std::vector<KernelLibrary>& libraries);

// Returns all kernels of an operator whose tensors are not known; else for each key those that
// serve some of its calls, in the order in which `resolve` takes them, down to one that serves them
// all on every machine. A key that none serves is an error, which shows where the operator stands.
// Keys that name the outputs twice, as those of models, are understood.
std::vector<SelectedKernel> selected_kernels(const std::vector<KernelLibrary>& libraries,
                                             const OperatorSelection& selection,
                                             Diagnostics& diagnostics);

// Tells whether the selection names an operator, itself or by its base ("aten::add", for all).
bool is_selected(const OperatorSelection& selection, const std::string& name);

}  // namespace kbench

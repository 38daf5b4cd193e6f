// Kernel library: functions of C++ that implement operators, for certain tensors. ExecuTorch's
// kernel yaml (functions.yaml, custom_ops.yaml) declares it. Source: ExecuTorch,
// docs/source/kernel-library-custom-aten-kernel.md, and its codegen.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/operators/catalogue.hpp"
#include "kernels/operators/schema.hpp"
#include "kernels/registry/kernel_key.hpp"
#include "kernels/registry/platform.hpp"
#include "kernels/registry/sidecar.hpp"

namespace kbench {

// Function that implements an operator.
struct Kernel {
  std::string name;               // name in the file: "torch::executor::add_out"
  std::string symbol;             // "torch::executor::native::add_out"
  std::string platform = "cpp";   // one of platforms()
  Backend backend = {"cpu", ""};  // "gpu" for one that stands under a dispatch key of CUDA
  int priority = 0;
  std::vector<std::string> conditions;
  bool is_default = true;       // serves all calls that no key of the operator names
  std::vector<KernelKey> keys;  // tensors that it is specialised for
  Where where;
};

// Tells whether it can be called wherever a program of C++ runs, and whatever the axes are.
bool is_always_there(const Kernel& kernel);

struct OperatorEntry {
  ops::Schema schema;      // schema whose namespace is never ""
  bool is_custom = false;  // the schema stands in the file (`func`), not in native_functions.yaml
  std::vector<Kernel> kernels;
  Where where;
};

struct KernelLibrary {
  std::string path;
  std::vector<OperatorEntry> operators;
  std::vector<std::string> sources;  // file names beside the yaml, "*" for any characters
};

// Reads the yaml of `source`; all mistakes are reported, and entries without one returned.
// `catalogue` may be nullptr: then an entry with `op` is left out, and a message of level
// `without_catalogue` says what is missing.
KernelLibrary read_kernel_library(const Source& source, const ops::Catalogue* catalogue,
                                  Diagnostics& diagnostics, Level without_catalogue = Level::error);

// Returns the library with its sidecar's settings of its kernels.
KernelLibrary with_sidecar(KernelLibrary library, const Sidecar& sidecar);

// Reports an operator that two of them give different schemas: code that calls its kernels has one.
void check_schemas(const std::vector<KernelLibrary>& libraries, Diagnostics& diagnostics);

// Returns the full names of all their operators, such as "aten::add.out".
std::vector<std::string> operator_names(const std::vector<KernelLibrary>& libraries);

}  // namespace kbench

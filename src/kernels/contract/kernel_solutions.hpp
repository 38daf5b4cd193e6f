// Kernels of libraries as Solutions of Definitions, so that they are judged as any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/codegen/definition_calls.hpp"
#include "kernels/registry/read_kernel_yaml.hpp"
#include "schema/solution.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// A kernel that is called for a Definition, in one way.
struct KernelCall {
  const KernelLibrary* library = nullptr;
  const Kernel* kernel = nullptr;
  const Definition* definition = nullptr;
  OperatorBinding binding;
  std::string variant;                   // "" or what tells it from others in its name: "C7"
  std::string call_class = "PlainCall";  // of the header, which calls it
  std::string symbol = {};               // what is called; "": the kernel itself
  std::optional<KernelKey> key = {};     // that its tensors have; nothing: as they are
};

// What a library's kernels are called by.
struct CallHeaders {
  std::string header = "kbench_call.h";
  bool with_dispatch = false;  // and the functions that choose among its kernels
};

// "kernels_cpu": the folder that the yaml lies in.
std::string library_name(const KernelLibrary& library);

// Its sources and headers, as its sidecar names them, or those that lie beside its yaml.
std::vector<SourceFile> sources_of(const KernelLibrary& library);

// A Solution for each call, in their order. All of a library have the same sources, its own and one
// that calls its kernels, so that they are one build. Nothing for a call that cannot be made, which
// is reported.
std::vector<std::optional<Stored<Solution>>> kernel_solutions(const std::vector<KernelCall>& calls,
                                                              const CallHeaders& headers,
                                                              Diagnostics& diagnostics);

}  // namespace kbench

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

// Kernel that is called for a Definition, in one way.
struct KernelCall {
  const KernelLibrary* library = nullptr;
  const Kernel* kernel = nullptr;
  const Definition* definition = nullptr;
  OperatorBinding binding;
  std::string variant;                   // "" or a word that tells it from others in its name: "C7"
  std::string call_class = "PlainCall";  // class of the header, which calls it
  std::string symbol = {};               // function that is called; "": the kernel itself
  std::optional<KernelKey> key = {};     // key whose dim orders its tensors have; nullopt: none
};

// Headers by which a library's kernels are called.
struct CallHeaders {
  std::string header = "kbench_call.h";
  bool with_dispatch = false;  // includes the functions that choose among its kernels
};

// Returns the name of the folder that the yaml lies in: "kernels_cpu".
std::string library_name(const KernelLibrary& library);

// Reads its sources and headers, as its sidecar names them, or those that lie beside its yaml.
std::vector<SourceFile> sources_of(const KernelLibrary& library);

// Returns a Solution for each call, in their order. All of a library and platform have the same
// sources, its own and one that calls its kernels, so that they are one build. A call that cannot
// be made is reported, and gives nullopt.
std::vector<std::optional<Stored<Solution>>> kernel_solutions(const std::vector<KernelCall>& calls,
                                                              const CallHeaders& headers,
                                                              Diagnostics& diagnostics);

}  // namespace kbench

// Generated parts, operator by operator.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/selected_kernels.hpp"

namespace kbench {

constexpr const char* scope = "::kbench::kernels::";

// Kernel under a key, or as the default.
struct GeneratedKernel {
  std::string symbol;            // "mylib::native::add_out"
  std::optional<KernelKey> key;  // nullopt: the default
  std::string feature;           // feature of the processor, by GCC's name; "" for none
  // Features of processors on which kernels that go before it serve all its calls.
  std::vector<std::string> unless;
  std::string where;  // "kernels.yaml:12"
  int priority = 0;
  int backend_order = 0;  // -1 for any backend; more for one that needs more of its device
};

struct GeneratedOperator {
  const OperatorEntry* entry = nullptr;
  std::string name;        // "aten::add.out"
  std::string identifier;  // "aten_add_out", unique among operators
  std::string function;    // "add_outf", in its namespace
  // Kernels in the order in which a registry takes them (goes_before() of
  // kernels/registry/lookup.hpp), each for some calls that none before it serves.
  std::vector<GeneratedKernel> kernels;
};

// Returns the kernels that generated code can call on these devices ("cpu", "gpu"), and warns of
// the others. One function that two operators name for different results is an error.
std::vector<SelectedKernel> callable_kernels(const std::vector<SelectedKernel>& kernels,
                                             std::span<const std::string_view> devices,
                                             Diagnostics& diagnostics);
// Warns of a kernel once for all its keys.
void warn_of_kernel(const Kernel& kernel, const std::string& why, Diagnostics& diagnostics);
// Functions by the operators' names; each has a name or parameters of its own in C++.
using FunctionNames = std::map<std::string, std::string>;
FunctionNames function_names(const std::vector<SelectedKernel>& kernels);
// Returns the operators of the given kernels. Kernels that no call reaches are left out with a
// warning. `names` are those of all kernels, so that they are the same whatever is selected; empty:
// of these.
std::vector<GeneratedOperator> operators_with(const std::vector<SelectedKernel>& kernels,
                                              Diagnostics& diagnostics,
                                              const FunctionNames& names = {});
// Returns the operators of the kernels for CPU, and warns of the others.
std::vector<GeneratedOperator> generated_operators(const std::vector<SelectedKernel>& kernels,
                                                   Diagnostics& diagnostics,
                                                   const FunctionNames& names = {});

// Counts the kernels that are called under their keys, or as defaults; those of both once.
std::size_t count_kernels(const std::vector<GeneratedOperator>& operators,
                          const std::vector<GeneratedOperator>& others = {});

// Returns "torch::executor::aten::add_outf", the function that chooses among its kernels.
std::string dispatch_symbol(const GeneratedOperator& one,
                            const std::string& name_space = "torch::executor");

// Returns the names of the arguments: "self, other, out".
std::string argument_names(const ops::Schema& schema);

// Tells whether the Method of ExecuTorch can pass all arguments to a kernel by name.
bool executorch_can_call(const ops::Schema& schema);
// Returns the key by which ExecuTorch's runtime looks for a kernel: tensors alone, a single output
// named twice; nullopt for a key with wildcards.
std::optional<std::string> executorch_key(const ops::Schema& schema, const KernelKey& key);

}  // namespace kbench

// The parameters of what implements an operation, and how two of them differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/operators/schema.hpp"
#include "kernels/registry/tunables.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"

namespace kbench {

struct SignatureParameter {
  std::string name;  // "" where it is not known
  std::string type;  // "Tensor", "int", "float", "bool", or as it is written; "" where not known
  std::string default_value;
  bool is_keyword_only = false;

  bool operator==(const SignatureParameter&) const = default;
};

struct Signature {
  std::string of;  // "solution plain_rmsnorm (plain.json)", for messages
  std::vector<SignatureParameter> parameters;
  std::string returns;  // "" where not known

  bool operator==(const Signature&) const = default;
};

// The arguments that a Definition passes: its inputs, then its outputs where these are passed in.
Signature signature_of(const Definition& definition, bool with_outputs,
                       const std::vector<Parameter>& parameters = {});
// Reads the signature of the function that the entry point names from its source: Python by its
// grammar, C++ by the declaration of what KBENCH_EXPORT or TVM_FFI_DLL_EXPORT_TYPED_FUNC exports.
// Nothing where it is not found: `why` says so.
std::optional<Signature> signature_of(const Solution& solution, std::string& why);
// Whether its functions are called as those of Python.
bool is_python(const Solution& solution);
// The function that an entry of a source of C++ stands for.
std::string exported_function(const std::string& source, const std::string& entry);
// What others can call by name: what macros of C++ export, or the functions of the entry point's
// source of Python.
std::vector<std::string> exported_functions(const Solution& solution);
// The signature that a kernel of a schema must have: its types are those of C++, as cpp_type() has
// them.
Signature kernel_signature(const ops::Schema& schema);
// How a function of C++ differs from it. Parameters may be called what they like, unless that is
// the schema's names in another order.
std::vector<std::string> kernel_differences(const Signature& wanted, Signature function);

// "(x: Tensor, factor: float = 1.0, *, out: Tensor) -> Tensor": what is not known is left out.
std::string text(const Signature& signature);

// A line for each difference: count and what is missing, then name, default, kind and type of each
// parameter, and the results. Parameters called `tuning` count in neither. What is not known of one
// of them differs from nothing.
std::vector<std::string> differences(const Signature& reference, const Signature& other,
                                     const std::vector<std::string>& tuning = {});

}  // namespace kbench

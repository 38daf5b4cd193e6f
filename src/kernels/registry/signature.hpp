// Parameters of the implementations of an operation, and differences between two of them.
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
  std::string name;  // "" where it is unknown
  std::string type;  // "Tensor", "int", "float", "bool", or as it is written; "" where unknown
  std::string default_value;
  bool is_keyword_only = false;

  bool operator==(const SignatureParameter&) const = default;
};

struct Signature {
  std::string of;  // owner, for messages: "solution plain_rmsnorm (plain.json)"
  std::vector<SignatureParameter> parameters;
  std::string returns;  // "" where unknown

  bool operator==(const Signature&) const = default;
};

// Arguments that a Definition passes: inputs, runtime parameters, then outputs if `with_outputs`.
Signature signature_of(const Definition& definition, bool with_outputs,
                       const std::vector<Parameter>& parameters = {});
// Reads the signature of the function that the entry point names from its source: Python by its
// grammar, C++ by the declaration that KBENCH_EXPORT or TVM_FFI_DLL_EXPORT_TYPED_FUNC exports;
// nullopt where it is not found: `why` says so.
std::optional<Signature> signature_of(const Solution& solution, std::string& why);
// Tells whether its functions are called as those of Python.
bool is_python(const Solution& solution);
// Returns the function that an entry of a source of C++ stands for.
std::string exported_function(const std::string& source, const std::string& entry);
// Returns the functions that others can call by name: exports of macros of C++, or the functions of
// the entry point's source of Python.
std::vector<std::string> exported_functions(const Solution& solution);
// Returns the signature that a kernel of a schema must have: its types are those of C++, as
// cpp_type() has them.
Signature kernel_signature(const ops::Schema& schema);
// Lists how a function of C++ differs from it. Parameters may have any names, except the schema's
// in another order.
std::vector<std::string> kernel_differences(const Signature& wanted, Signature function);

// Returns "(x: Tensor, factor: float = 1.0, *, out: Tensor) -> Tensor"; unknown parts are left out.
std::string text(const Signature& signature);

// Returns a line for each difference: the count and missing names where counts differ, else name,
// default, kind and type of each parameter; then the results. Parameters called `tuning` count in
// neither. Unknown names and types differ from nothing.
std::vector<std::string> differences(const Signature& reference, const Signature& other,
                                     const std::vector<std::string>& tuning = {});

}  // namespace kbench

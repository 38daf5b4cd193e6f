// The function of C++ that a schema stands for, as ExecuTorch's generated headers declare it.
#pragma once

#include <string>

#include "kernels/operators/schema.hpp"

namespace kbench::ops {

// In all of these `scope` stands before the names that are not of the standard library:
// "::kbench::kernels::".

// A value of a type: "Tensor", "std::optional<int64_t>", "ArrayRef<double>". The schema must have
// passed check_for_kernel().
std::string cpp_value(const Type& type, const std::string& scope = "");
// The type of a parameter: "const Tensor&", "std::optional<int64_t>".
std::string cpp_parameter(const Argument& argument, const std::string& scope = "");
// "Tensor&", "std::tuple<Tensor&, Tensor&>", "void".
std::string cpp_result(const Schema& schema, const std::string& scope = "");
// A name with a "_" behind it where C++ has another use for that, or generated code: "std" and
// "int64_t" mean what they always do.
std::string cpp_identifier(const std::string& name);
// Returns a parameter's name: the argument's, as cpp_identifier() has it; none is "context" or
// "table", which generated functions have themselves.
std::string cpp_name(const Argument& argument);

// What calls an operator: "add_outf" for those with `out` arguments, else the operator's name.
std::string function_name(const Schema& schema);
// How a kernel is called by convention: "add_scalar_out" of add.Scalar_out.
std::string usual_kernel_name(const OperatorName& name);

// "Tensor& add_out(KernelRuntimeContext& context, const Tensor& self, …, Tensor& out)".
std::string prototype(const Schema& schema, const std::string& function,
                      const std::string& scope = "");
// The type of a pointer to such a function, called `pointer`.
std::string pointer_type(const Schema& schema, const std::string& pointer,
                         const std::string& scope = "");

}  // namespace kbench::ops

// A workload's literal → the scalar that a candidate gets.
#pragma once

#include <optional>
#include <string>

#include "problem/tensor_view.hpp"
#include "schema/dtype.hpp"
#include "schema/trace.hpp"

namespace kbench {

// The scalar a literal stands for in the declared dtype; a number JSON gives as 1 may be meant for
// a float. Nothing where the dtype cannot hold it; infinities and NaN that are written as such are
// held by all floating dtypes.
std::optional<Scalar> bind_scalar(DType dtype, const ScalarValue& literal);

// As it is written.
std::string text_of(const ScalarValue& literal);

// Which values a dtype holds, for a hint: "int8 holds whole numbers from -128 to 127".
std::string range_text(DType dtype);

}  // namespace kbench

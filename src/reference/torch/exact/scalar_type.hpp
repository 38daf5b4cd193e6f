// LibTorch's name for each of kbench's element types.
#pragma once

#include <cstdint>
#include <optional>

#include "schema/dtype.hpp"

namespace c10 {
enum class ScalarType : std::int8_t;
}

namespace kbench {

c10::ScalarType scalar_type(DType dtype);
// Nothing for what no Definition can declare: float64, complex, …
std::optional<DType> dtype_of(c10::ScalarType type);

}  // namespace kbench

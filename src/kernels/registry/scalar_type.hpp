// The element types of operator libraries: PyTorch's ScalarType, with its numbers and names.
// Source: c10/core/ScalarType.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/dtype.hpp"

namespace kbench {

struct ScalarTypeInfo {
  int code;
  std::string_view name;  // "Float"
  bool in_dlpack = true;  // DLPack has no quantised numbers, and no bits

  std::optional<DType> dtype() const;  // nothing where no Definition has it
};

std::span<const ScalarTypeInfo> scalar_types();
// By its name, or that of the dtype: "Float", "float32".
const ScalarTypeInfo* find_scalar_type(std::string_view name);
const ScalarTypeInfo* find_scalar_type(int code);
// Nothing for float4 and float8_e8m0fnu, which ExecuTorch does not have.
const ScalarTypeInfo* find_scalar_type(DType dtype);
std::vector<std::string> scalar_type_names();

}  // namespace kbench

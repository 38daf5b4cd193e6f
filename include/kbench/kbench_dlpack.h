// SPDX-License-Identifier: Apache-2.0
// Element types of kernels, as DLPack has them.
#ifndef KBENCH_DLPACK_H_
#define KBENCH_DLPACK_H_

#include "kbench_ffi.h"
#include "kbench_tensor.h"

namespace kbench::kernels {

struct ElementType {
  DType dlpack;
  ScalarType scalar;
};
constexpr ElementType element_types[] = {
    {{1, 8, 1}, ScalarType::Byte},
    {{1, 16, 1}, ScalarType::UInt16},
    {{1, 32, 1}, ScalarType::UInt32},
    {{1, 64, 1}, ScalarType::UInt64},
    {kInt8, ScalarType::Char},
    {kInt16, ScalarType::Short},
    {kInt32, ScalarType::Int},
    {kInt64, ScalarType::Long},
    {kFloat16, ScalarType::Half},
    {kFloat32, ScalarType::Float},
    {kFloat64, ScalarType::Double},
    {kBFloat16, ScalarType::BFloat16},
    {{5, 32, 1}, ScalarType::ComplexHalf},
    {{5, 64, 1}, ScalarType::ComplexFloat},
    {{5, 128, 1}, ScalarType::ComplexDouble},
    {kBool, ScalarType::Bool},
    {kFloat8E4M3, ScalarType::Float8_e4m3fn},
    {{11, 8, 1}, ScalarType::Float8_e4m3fnuz},
    {kFloat8E5M2, ScalarType::Float8_e5m2},
    {{13, 8, 1}, ScalarType::Float8_e5m2fnuz},
};

// Returns nullptr for one that kernels are not given.
inline const ElementType* find_element_type(DType type) {
  for (const ElementType& row : element_types) {
    if (row.dlpack == type) return &row;
  }
  return nullptr;
}

}  // namespace kbench::kernels

#endif  // KBENCH_DLPACK_H_

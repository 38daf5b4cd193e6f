#include "kernels/registry/scalar_type.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr ScalarTypeInfo scalar_type_rows[] = {
    {0, "Byte"},
    {1, "Char"},
    {2, "Short"},
    {3, "Int"},
    {4, "Long"},
    {5, "Half"},
    {6, "Float"},
    {7, "Double"},
    {8, "ComplexHalf"},
    {9, "ComplexFloat"},
    {10, "ComplexDouble"},
    {11, "Bool"},
    {12, "QInt8", false},
    {13, "QUInt8", false},
    {14, "QInt32", false},
    {15, "BFloat16"},
    {16, "QUInt4x2", false},
    {17, "QUInt2x4", false},
    {18, "Bits1x8", false},
    {19, "Bits2x4", false},
    {20, "Bits4x2", false},
    {21, "Bits8", false},
    {22, "Bits16", false},
    {23, "Float8_e5m2"},
    {24, "Float8_e4m3fn"},
    {25, "Float8_e5m2fnuz"},
    {26, "Float8_e4m3fnuz"},
    {27, "UInt16"},
    {28, "UInt32"},
    {29, "UInt64"},
};

template <class Predicate>
const ScalarTypeInfo* find_if(Predicate is_it) {
  const auto found = std::find_if(std::begin(scalar_type_rows), std::end(scalar_type_rows), is_it);
  return found == std::end(scalar_type_rows) ? nullptr : &*found;
}

}  // namespace

std::optional<DType> ScalarTypeInfo::dtype() const {
  for (const DTypeInfo& one : dtypes())
    if (one.scalar_type == code) return one.dtype;
  return std::nullopt;
}

std::span<const ScalarTypeInfo> scalar_types() { return scalar_type_rows; }

const ScalarTypeInfo* find_scalar_type(std::string_view name) {
  if (const auto dtype = find_dtype(name)) return find_scalar_type(*dtype);
  return find_if([&](const ScalarTypeInfo& row) { return row.name == name; });
}

const ScalarTypeInfo* find_scalar_type(int code) {
  return find_if([&](const ScalarTypeInfo& row) { return row.code == code; });
}

const ScalarTypeInfo* find_scalar_type(DType dtype) {
  return find_scalar_type(info(dtype).scalar_type);
}

std::vector<std::string> scalar_type_names() {
  std::vector<std::string> names;
  for (const ScalarTypeInfo& row : scalar_type_rows) names.emplace_back(row.name);
  return names;
}

}  // namespace kbench

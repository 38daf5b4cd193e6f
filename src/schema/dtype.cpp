#include "schema/dtype.hpp"

#include <cmath>
#include <utility>

namespace kbench {
namespace {

constexpr DTypeInfo dtype_rows[] = {
    {DType::float32, "float32", 32, DTypeKind::floating, 24, 0x1p-149, 0x1.fffffep127, "F32", 2,
     "IEEE 754 binary32"},
    {DType::float16, "float16", 16, DTypeKind::floating, 11, 0x1p-24, 65504, "F16", 2,
     "IEEE 754 binary16"},
    {DType::bfloat16, "bfloat16", 16, DTypeKind::floating, 8, 0x1p-133, 0x1.fep127, "BF16", 4,
     "upper half of a binary32"},
    {DType::float8_e4m3fn, "float8_e4m3fn", 8, DTypeKind::floating, 4, 0x1p-9, 448, "F8_E4M3", 10,
     "OCP FP8 E4M3: no infinity, largest 448"},
    {DType::float8_e5m2, "float8_e5m2", 8, DTypeKind::floating, 3, 0x1p-16, 57344, "F8_E5M2", 12,
     "OCP FP8 E5M2: IEEE-like, largest 57344"},
    {DType::float4_e2m1, "float4_e2m1", 4, DTypeKind::floating, 2, 0.5, 6, "F4", 17,
     "OCP MX FP4 E2M1, two in a byte: 0 0.5 1 1.5 2 3 4 6 and their negatives"},
    {DType::int64, "int64", 64, DTypeKind::integer, 0, 0, 0, "I64", 0, "two's complement"},
    {DType::int32, "int32", 32, DTypeKind::integer, 0, 0, 0, "I32", 0, "two's complement"},
    {DType::int16, "int16", 16, DTypeKind::integer, 0, 0, 0, "I16", 0, "two's complement"},
    {DType::int8, "int8", 8, DTypeKind::integer, 0, 0, 0, "I8", 0, "two's complement"},
    {DType::boolean, "bool", 8, DTypeKind::boolean, 0, 0, 0, "BOOL", 6, "one byte, 0 or 1"},
};

constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"bf16", "bfloat16"},
    {"fp16", "float16"},
    {"f16", "float16"},
    {"half", "float16"},
    {"fp32", "float32"},
    {"f32", "float32"},
    {"float", "float32"},
    {"single", "float32"},
    {"fp8", "float8_e4m3fn"},
    {"e4m3", "float8_e4m3fn"},
    {"e5m2", "float8_e5m2"},
    {"fp4", "float4_e2m1"},
    {"long", "int64"},
    {"int", "int32"},
    {"short", "int16"},
    {"char", "int8"},
    {"boolean", "bool"},
    {"float8_e4m3", "float8_e4m3fn"},
    {"fp8_e4m3", "float8_e4m3fn"},
    {"fp8_e5m2", "float8_e5m2"}};

}  // namespace

std::string_view usual_dtype_name(std::string_view word) {
  for (const auto& [other, usual] : other_names)
    if (other == word) return usual;
  return "";
}

std::span<const DTypeInfo> dtypes() { return dtype_rows; }

const DTypeInfo& info(DType dtype) { return dtype_rows[static_cast<int>(dtype)]; }

std::optional<DType> find_dtype(std::uint8_t dlpack_code, int bits) {
  for (const DTypeInfo& row : dtype_rows) {
    if (row.dlpack_code == dlpack_code && row.bits == bits) return row.dtype;
  }
  return std::nullopt;
}

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeInfo& row : dtype_rows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

double unit_roundoff(DType dtype) {
  const int bits = info(dtype).significand;
  return bits == 0 ? 0 : std::ldexp(1.0, -bits);
}

std::size_t storage_bytes(DType dtype, std::size_t elements) {
  return (elements * static_cast<std::size_t>(info(dtype).bits) + 7) / 8;
}

}  // namespace kbench

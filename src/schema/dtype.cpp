#include "schema/dtype.hpp"

#include <cmath>
#include <utility>

namespace kbench {
namespace {

constexpr std::array<std::uint8_t, 2> no_poison{};

// Rows in the order of DType.
constexpr DTypeInfo dtype_rows[] = {
    {DType::float32, "float32", 32, DTypeKind::floating, 24, 0x1p-149, 0x1.fffffep127, "F32", 2, 6,
     no_poison, "IEEE 754 binary32"},
    {DType::float16, "float16", 16, DTypeKind::floating, 11, 0x1p-24, 65504, "F16", 2, 5, no_poison,
     "IEEE 754 binary16"},
    {DType::bfloat16, "bfloat16", 16, DTypeKind::floating, 8, 0x1p-133, 0x1.fep127, "BF16", 4, 15,
     no_poison, "upper half of a binary32"},
    {DType::float8_e4m3fn,
     "float8_e4m3fn",
     8,
     DTypeKind::floating,
     4,
     0x1p-9,
     448,
     "F8_E4M3",
     10,
     24,
     {0x7F, 0xFF},
     "OCP FP8 E4M3: no infinity, largest 448"},
    {DType::float8_e5m2,
     "float8_e5m2",
     8,
     DTypeKind::floating,
     3,
     0x1p-16,
     57344,
     "F8_E5M2",
     12,
     23,
     {0x7D, 0xFD},
     "OCP FP8 E5M2: IEEE-like, largest 57344"},
    {DType::float4_e2m1, "float4_e2m1", 4, DTypeKind::floating, 2, 0.5, 6, "F4", 17, 45, no_poison,
     "OCP MX FP4 E2M1, two in a byte: 0 0.5 1 1.5 2 3 4 6 and their negatives"},
    {DType::int64, "int64", 64, DTypeKind::integer, 0, 0, 0, "I64", 0, 4, no_poison,
     "two's complement"},
    {DType::int32, "int32", 32, DTypeKind::integer, 0, 0, 0, "I32", 0, 3, no_poison,
     "two's complement"},
    {DType::int16, "int16", 16, DTypeKind::integer, 0, 0, 0, "I16", 0, 2, no_poison,
     "two's complement"},
    {DType::int8, "int8", 8, DTypeKind::integer, 0, 0, 0, "I8", 0, 1, no_poison,
     "two's complement"},
    {DType::boolean, "bool", 8, DTypeKind::boolean, 0, 0, 0, "BOOL", 6, 11, no_poison,
     "one byte, 0 or 1"},
    {DType::uint8, "uint8", 8, DTypeKind::integer, 0, 0, 0, "U8", 1, 0, no_poison,
     "0 to 255; FlashInfer-Bench has it not"},
    {DType::float8_e8m0fnu, "float8_e8m0fnu", 8, DTypeKind::floating, 1, 0x1p-127, 0x1p127,
     "F8_E8M0", 14, 44, no_poison,
     "OCP MX E8M0: powers of two from 2^-127 to 2^127 and NaN, no sign and no zero; "
     "FlashInfer-Bench has it not"},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(dtype_rows); ++i)
    if (static_cast<std::size_t>(dtype_rows[i].dtype) != i) return false;
  return std::size(dtype_rows) == dtype_count;
}
static_assert(is_in_order(), "each dtype has its row, in the order of DType");

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
    {"byte", "uint8"},
    {"u8", "uint8"},
    {"e8m0", "float8_e8m0fnu"},
    {"float8_e8m0", "float8_e8m0fnu"},
    {"ue8m0", "float8_e8m0fnu"},
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
  for (const DTypeInfo& row : dtype_rows)
    if (row.dlpack_code == dlpack_code && row.bits == bits) return row.dtype;
  return std::nullopt;
}

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeInfo& row : dtype_rows)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

double unit_roundoff(DType dtype) {
  const int bits = info(dtype).significand;
  return bits == 0 ? 0 : std::ldexp(1.0, -bits);
}

bool is_float_of_torch(DType dtype) { return info(dtype).significand > 0 && info(dtype).bits > 7; }

bool has_sign(DType dtype) {
  return dtype != DType::boolean && dtype != DType::uint8 && dtype != DType::float8_e8m0fnu;
}

bool overflows_to_nan(DType dtype) {
  return dtype == DType::float8_e4m3fn || dtype == DType::float8_e8m0fnu;
}

bool is_in_flashinfer_bench(DType dtype) {
  return dtype != DType::uint8 && dtype != DType::float8_e8m0fnu;
}

std::size_t storage_bytes(DType dtype, std::size_t elements) {
  return (elements * static_cast<std::size_t>(info(dtype).bits) + 7) / 8;
}

}  // namespace kbench

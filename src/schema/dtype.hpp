// Element types of Definitions. To add one, add an enumerator here and its row in dtype.cpp; its
// codec is a row in problem/element.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kbench {

enum class DType : std::uint8_t {
  float32,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e5m2,
  float4_e2m1,
  int64,
  int32,
  int16,
  int8,
  boolean,
  uint8,
  float8_e8m0fnu,
};

constexpr std::size_t dtype_count = static_cast<std::size_t>(DType::float8_e8m0fnu) + 1;

enum class DTypeKind : std::uint8_t { floating, integer, boolean };

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // FlashInfer-Bench's name and torch.<name>, but for float4
  int bits;               // bits of an element; two float4 share a byte, low nibble first
  DTypeKind kind;
  // Properties of floating kinds; 0 for others:
  int significand;               // bits of it, the leading one included
  double smallest, largest;      // smallest number above 0, subnormal; largest finite one
  std::string_view safetensors;  // name in a safetensors header, "" where the format has none
  std::uint8_t dlpack_code;      // DLDataTypeCode (DLPack 1.1)
  int scalar_type;               // number of PyTorch's c10::ScalarType (c10/core/ScalarType.h)
  // Codes of NaN of a float of 8 bits, two, by which unwritten memory is known; 0: it has none that
  // a program would not write itself.
  std::array<std::uint8_t, 2> poison;
  std::string_view doc;
};

std::span<const DTypeInfo> dtypes();
const DTypeInfo& info(DType dtype);
std::optional<DType> find_dtype(std::string_view name);
// Returns the name of a dtype called "bf16", "half" or "long" elsewhere; "" for other words.
std::string_view usual_dtype_name(std::string_view word);
// Finds it by DLPack's code and the bits of an element.
std::optional<DType> find_dtype(std::uint8_t dlpack_code, int bits);

// Returns half the distance from 1 to the next number: 2^-significand; 0 for kinds not floating.
double unit_roundoff(DType dtype);

// Tells whether PyTorch calculates with it: a float below 8 bits is stored as codes alone.
bool is_float_of_torch(DType dtype);

// Tells whether it has numbers below 0.
bool has_sign(DType dtype);

// Tells whether too large numbers become NaN, since the format has no infinity.
bool overflows_to_nan(DType dtype);

// Tells whether FlashInfer-Bench's schema has it.
bool is_in_flashinfer_bench(DType dtype);

// Returns the bytes of `elements` elements; float4 is packed, an odd count rounds up.
std::size_t storage_bytes(DType dtype, std::size_t elements);

}  // namespace kbench

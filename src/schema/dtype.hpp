// The element types of Definitions. To add one, add an enumerator here and its row in dtype.cpp;
// its codec is a row in problem/element.cpp.
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
  std::string_view name;  // in FlashInfer-Bench's schema and as torch.<name>, but for float4
  int bits;               // of one element; two float4 share a byte, low nibble first
  DTypeKind kind;
  // For floating kinds; else 0:
  int significand;               // its bits, the leading one included
  double smallest, largest;      // the smallest number above 0, subnormal; the largest finite one
  std::string_view safetensors;  // name in a safetensors header, "" where the format has none
  std::uint8_t dlpack_code;      // DLDataTypeCode (DLPack 1.1)
  int scalar_type;               // number of PyTorch's c10::ScalarType (c10/core/ScalarType.h)
  // Two codes of NaN of a float of 8 bits, which unwritten memory is known by; 0: it has none that
  // a program would not write itself.
  std::array<std::uint8_t, 2> poison;
  std::string_view doc;
};

std::span<const DTypeInfo> dtypes();
const DTypeInfo& info(DType dtype);
std::optional<DType> find_dtype(std::string_view name);
// The name of a dtype that is called "bf16", "half" or "long" elsewhere; "" for other words.
std::string_view usual_dtype_name(std::string_view word);
// By DLPack's code and the bits of an element.
std::optional<DType> find_dtype(std::uint8_t dlpack_code, int bits);

// Half the distance from 1 to the next number: 2^-significand. 0 where the kind is not floating.
double unit_roundoff(DType dtype);

// Whether it has numbers below 0.
bool has_sign(DType dtype);

// Whether numbers that are too large become NaN, since the format has no infinity.
bool overflows_to_nan(DType dtype);

// Whether FlashInfer-Bench's schema has it.
bool is_in_flashinfer_bench(DType dtype);

// Bytes that `elements` elements take; float4 is packed, an odd count rounds up.
std::size_t storage_bytes(DType dtype, std::size_t elements);

}  // namespace kbench

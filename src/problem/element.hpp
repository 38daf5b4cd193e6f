// Elements of a buffer as numbers and back, for every DType. A new dtype takes a row in the table
// of element.cpp. Buffers need not be aligned; float4 is packed two in a byte, low nibble first.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "problem/tensor_view.hpp"
#include "schema/dtype.hpp"

namespace kbench {

// Reads elements [first, first + out.size()) of `data`: exactly for floating dtypes and integers up
// to 32 bits (24 bits where `out` is float), else to nearest, ties to even. A bool is 0 or 1: any
// byte that is not 0 counts as true.
void decode(DType dtype, const std::byte* data, std::size_t first, std::span<float> out);
void decode(DType dtype, const std::byte* data, std::size_t first, std::span<double> out);

// Writes `values` as elements [first, first + values.size()) of `data`, with one rounding.
// Floating dtypes: to nearest, ties to even; too large values become infinity in float16, bfloat16
// and float8_e5m2, and saturate at 448 in float8_e4m3fn, infinity too: LibTorch 2.15's casts, older
// ones give NaN there. float4_e2m1, which torch cannot cast to, saturates at 6 (OCP MX 1.0); a NaN
// becomes 6.
// Integers: towards zero, saturating, NaN becomes 0. bool: true where the value differs from 0.
void encode(DType dtype, std::span<const float> values, std::byte* data, std::size_t first);
void encode(DType dtype, std::span<const double> values, std::byte* data, std::size_t first);

// Returns all elements.
std::vector<double> decoded(const TensorView& tensor);

// Element as Python's .item() gives it: int64 and bool exactly, floating dtypes as double.
Scalar element(DType dtype, const std::byte* data, std::size_t index);
// Returns all digits of an integer, which doubles do not hold.
std::string element_text(const TensorView& tensor, std::size_t index);

}  // namespace kbench

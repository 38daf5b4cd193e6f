// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of float32 rows, written against the tvm-ffi C++ headers.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <cmath>

using tvm::ffi::TensorView;

void layernorm(TensorView input, TensorView weight, TensorView bias, double eps,
               TensorView output) {
  const int64_t rows = input.size(0), n = input.size(1);
  const auto* x = static_cast<const float*>(input.data_ptr());
  const auto* gain = static_cast<const float*>(weight.data_ptr());
  const auto* offset = static_cast<const float*>(bias.data_ptr());
  auto* y = static_cast<float*>(output.data_ptr());
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) sum += x[i];
    const double mean = sum / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(n) + eps);
    for (int64_t i = 0; i < n; ++i)
      y[i] = static_cast<float>((x[i] - mean) * scale * gain[i] + offset[i]);
  }
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, layernorm)

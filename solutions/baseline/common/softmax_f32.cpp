// SPDX-License-Identifier: Apache-2.0
// Softmax of float32 rows, written against the tvm-ffi C++ headers.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <cmath>

using tvm::ffi::TensorView;

void softmax(TensorView input, TensorView output) {
  const int64_t rows = input.size(0), n = input.size(1);
  const auto* x = static_cast<const float*>(input.data_ptr());
  auto* y = static_cast<float*>(output.data_ptr());
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    const float highest = *std::max_element(x, x + n);
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - highest);
    for (int64_t i = 0; i < n; ++i) y[i] /= sum;
  }
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, softmax)

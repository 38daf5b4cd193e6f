// SPDX-License-Identifier: Apache-2.0
// C = A * B^T in bfloat16, written against the tvm-ffi C++ headers.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <vector>

#include "bfloat16.h"

using tvm::ffi::TensorView;

void gemm(TensorView a, TensorView b, TensorView c) {
  TVM_FFI_ICHECK(a.size(1) == b.size(1)) << "A and B differ in K";
  const int64_t m = a.size(0), n = b.size(0), k = a.size(1);
  const auto* left = static_cast<const uint16_t*>(a.data_ptr());
  const auto* right = static_cast<const uint16_t*>(b.data_ptr());
  auto* out = static_cast<uint16_t*>(c.data_ptr());
  std::vector<float> row(static_cast<size_t>(k));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t x = 0; x < k; ++x) row[x] = widen(left[i * k + x]);
    for (int64_t j = 0; j < n; ++j) {
      float lanes[8] = {};
      for (int64_t x = 0; x < k; ++x) lanes[x % 8] += row[x] * widen(right[j * k + x]);
      float sum = 0;
      for (const float lane : lanes) sum += lane;
      out[i * n + j] = narrow(sum);
    }
  }
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, gemm)

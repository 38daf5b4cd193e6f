// SPDX-License-Identifier: Apache-2.0
// RMSNorm in bfloat16 that returns its result: memory comes from the host's allocator.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cmath>

#include "bfloat16.h"

using tvm::ffi::Tensor;
using tvm::ffi::TensorView;

Tensor rmsnorm(TensorView x, TensorView weight) {
  const int64_t rows = x.size(0), n = x.size(1);
  TVM_FFI_ICHECK(weight.size(0) == n) << "one weight for each column";
  Tensor result = Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());
  const auto* in = static_cast<const uint16_t*>(x.data_ptr());
  const auto* gain = static_cast<const uint16_t*>(weight.data_ptr());
  auto* out = static_cast<uint16_t*>(result.data_ptr());
  for (int64_t r = 0; r < rows; ++r, in += n, out += n) {
    float squares = 0;
    for (int64_t i = 0; i < n; ++i) squares += widen(in[i]) * widen(in[i]);
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(n) + 1e-6f);
    for (int64_t i = 0; i < n; ++i) out[i] = narrow(widen(in[i]) * scale * widen(gain[i]));
  }
  return result;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, rmsnorm)

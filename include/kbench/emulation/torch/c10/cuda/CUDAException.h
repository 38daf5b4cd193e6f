// SPDX-License-Identifier: Apache-2.0
// Stand-in for torch's header of this name.
#pragma once

#include <c10/util/Exception.h>
#include <cuda_runtime.h>

namespace c10 {

class CUDAError : public c10::Error {
  using Error::Error;
};

}  // namespace c10

#define C10_CUDA_CHECK(EXPR)                                                                    \
  do {                                                                                          \
    const cudaError_t kbench_error = EXPR;                                                      \
    TORCH_CHECK(kbench_error == cudaSuccess, "CUDA error: ", cudaGetErrorString(kbench_error)); \
  } while (0)
#define C10_CUDA_CHECK_WARN(EXPR) C10_CUDA_IGNORE_ERROR(EXPR)
#define C10_CUDA_IGNORE_ERROR(EXPR) static_cast<void>(EXPR)
#define C10_CUDA_ERROR_HANDLED(EXPR) EXPR
#define C10_CUDA_CLEAR_ERROR() static_cast<void>(cudaGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())

// SPDX-License-Identifier: Apache-2.0
// Driver API of CUDA: the part that host code takes from it beside kernels, its version.
#ifndef KBENCH_EMULATION_CUDA_H_
#define KBENCH_EMULATION_CUDA_H_

#include <cuda_runtime_api.h>

#define CUDA_VERSION 13000
using CUstream = cudaStream_t;
using CUevent = cudaEvent_t;
using CUdeviceptr = unsigned long long;
using CUdevice = int;

#endif  // KBENCH_EMULATION_CUDA_H_

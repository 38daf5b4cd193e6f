// SPDX-License-Identifier: Apache-2.0
// Qualifiers of CUDA. There is one kind of function and of memory here.
#ifndef KBENCH_EMULATION_HOST_DEFINES_H_
#define KBENCH_EMULATION_HOST_DEFINES_H_

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __inline_hint__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB
#define CUDART_VERSION 13000

#endif  // KBENCH_EMULATION_HOST_DEFINES_H_

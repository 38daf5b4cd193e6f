// SPDX-License-Identifier: Apache-2.0
// Half precision of CUDA: IEEE binary16, and pairs of it.
#ifndef KBENCH_EMULATION_CUDA_FP16_H_
#define KBENCH_EMULATION_CUDA_FP16_H_

#include <kbench_emulation_floats.h>

#define KB_T __half
#define KB_T2 __half2
#define KB_RAW __half_raw
#define KB_RAW2 __half2_raw
#define KB_FORMAT kbench_emulation::Half
#define KB_NAME(before, after) before##half##after
#define KB_NAME2(before, after) before##half2##after
#ifndef __CUDA_NO_HALF_CONVERSIONS__
#define KB_HAS_CONVERSIONS 1
#endif
#ifndef __CUDA_NO_HALF_OPERATORS__
#define KB_HAS_OPERATORS 1
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
#define KB_HAS_PAIR_OPERATORS 1
#endif
#include <kbench_emulation_float16.h>

KB_DEVICE __half2 __half2half2(__half x) { return {x, x}; }
using half = __half;
using half2 = __half2;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)

#endif  // KBENCH_EMULATION_CUDA_FP16_H_

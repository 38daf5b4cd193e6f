// SPDX-License-Identifier: Apache-2.0
// Type bfloat16 of CUDA: the upper half of a float, and pairs of it.
#ifndef KBENCH_EMULATION_CUDA_BF16_H_
#define KBENCH_EMULATION_CUDA_BF16_H_

#include <kbench_emulation_floats.h>

#define KB_T __nv_bfloat16
#define KB_T2 __nv_bfloat162
#define KB_RAW __nv_bfloat16_raw
#define KB_RAW2 __nv_bfloat162_raw
#define KB_FORMAT kbench_emulation::BFloat16
#define KB_NAME(before, after) before##bfloat16##after
#define KB_NAME2(before, after) before##bfloat162##after
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define KB_HAS_CONVERSIONS 1
#endif
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define KB_HAS_OPERATORS 1
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
#define KB_HAS_PAIR_OPERATORS 1
#endif
#include <kbench_emulation_float16.h>

KB_DEVICE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

#endif  // KBENCH_EMULATION_CUDA_BF16_H_

// SPDX-License-Identifier: Apache-2.0
// Instructions that C++ has no words for, of sm_80 and newer: asynchronous copies to shared memory,
// ldmatrix, and the tensor cores' m16n8k16. tests/cuda/emulator has the same for a CPU.
#ifndef KBENCH_PTX_CUH_
#define KBENCH_PTX_CUH_

#ifdef KBENCH_EMULATION
#include "emulated_ptx.h"
#else

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

__device__ __forceinline__ uint32_t shared_address(const void* place) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(place));
}

// Copies `bytes` (16 or 0) of 16 and fills the rest with zeros, past the first-level cache.
__device__ __forceinline__ void copy16_async(void* to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(bytes)
               : "memory");
}

// Ends a group of copies; await_copies<n> waits until at most n groups of this thread are open.
__device__ __forceinline__ void close_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int kOpen>
__device__ __forceinline__ void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kOpen) : "memory");
}

// Four matrices of 8 rows of 16 bytes: lanes 8 m to 8 m + 7 say the rows of matrix m.
__device__ __forceinline__ void load_matrices(uint32_t (&fragment)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(shared_address(row))
               : "memory");
}

// c += a b of a 16 x 16 and a 16 x 8 tile, the columns of b as rows of 16.
template <typename T>
__device__ __forceinline__ void multiply_add(float (&c)[4], const uint32_t (&a)[4],
                                             const uint32_t (&b)[2]);

#define KB_MMA(T, type)                                                                 \
  template <>                                                                           \
  __device__ __forceinline__ void multiply_add<T>(float(&c)[4], const uint32_t(&a)[4],  \
                                                  const uint32_t(&b)[2]) {              \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                 \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                       \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));   \
  }
KB_MMA(__half, "f16")
KB_MMA(__nv_bfloat16, "bf16")
#undef KB_MMA

#endif  // KBENCH_EMULATION
#endif  // KBENCH_PTX_CUH_

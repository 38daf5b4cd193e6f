// SPDX-License-Identifier: Apache-2.0
// Compiles the file that KB_KERNEL names once for each level of simd.h.
#if defined(__x86_64__)
namespace avx512 {
#define KB_FN KB_AVX512
#define KB_ENTRY __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#include KB_KERNEL
#undef KB_FN
#undef KB_ENTRY
}  // namespace avx512
namespace avx2 {
#define KB_FN KB_AVX2
#define KB_ENTRY __attribute__((target("avx2,fma,f16c")))
#include KB_KERNEL
#undef KB_FN
#undef KB_ENTRY
}  // namespace avx2
#endif
namespace scalar {
#define KB_FN __attribute__((always_inline)) static inline
#define KB_ENTRY
#include KB_KERNEL
#undef KB_FN
#undef KB_ENTRY
}  // namespace scalar

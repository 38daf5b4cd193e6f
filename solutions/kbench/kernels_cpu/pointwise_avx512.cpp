// SPDX-License-Identifier: Apache-2.0
// add, mul and relu of contiguous Float and BFloat16 tensors. What is broadcast goes to the default
// kernels.
#include "alpha.h"
#include "kernels.h"
#include "shape.h"
#include "simd.h"

#if defined(__x86_64__)

namespace kbench_cpu {
namespace {

struct Add {
  __m512 alpha;
  KBENCH_CPU_INLINE __m512 operator()(__m512 a, __m512 b) const {
    return _mm512_fmadd_ps(alpha, b, a);
  }
};
struct Multiply {
  KBENCH_CPU_INLINE __m512 operator()(__m512 a, __m512 b) const { return _mm512_mul_ps(a, b); }
};
struct Relu {
  // Of a NaN and of two zeros, max is its second operand.
  KBENCH_CPU_INLINE __m512 operator()(__m512 x) const {
    return _mm512_max_ps(_mm512_setzero_ps(), x);
  }
};

template <typename T>
const T* values(const Tensor& tensor) {
  return static_cast<const T*>(tensor.const_data_ptr());
}
template <typename T>
T* values_to(Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_data_ptr());
}

template <typename T>
KBENCH_CPU_AVX512 void add(const Tensor& self, const Tensor& other, float alpha, Tensor& out) {
  avx512::map(values<T>(self), values<T>(other), values_to<T>(out), out.numel(),
              Add{_mm512_set1_ps(alpha)});
}

template <typename T>
Tensor& add_to(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
               const Scalar& alpha, Tensor& out) {
  if (!same_sizes(self, other) || *alpha_problem(alpha, self.scalar_type()) != '\0')
    return native::add_out(context, self, other, alpha, out);
  if (resize(context, out, shape_of(self)))
    add<T>(self, other, static_cast<float>(to_double(alpha)), out);
  return out;
}

template <typename T>
KBENCH_CPU_AVX512 void multiply(const Tensor& self, const Tensor& other, Tensor& out) {
  avx512::map(values<T>(self), values<T>(other), values_to<T>(out), out.numel(), Multiply());
}

template <typename T>
Tensor& multiply_to(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                    Tensor& out) {
  if (!same_sizes(self, other)) return native::mul_out(context, self, other, out);
  if (resize(context, out, shape_of(self))) multiply<T>(self, other, out);
  return out;
}

template <typename T>
KBENCH_CPU_AVX512 void relu(const Tensor& self, Tensor& out) {
  avx512::map(values<T>(self), values_to<T>(out), out.numel(), Relu());
}

}  // namespace

namespace native {

Tensor& add_out_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                       const Scalar& alpha, Tensor& out) {
  return add_to<float>(context, self, other, alpha, out);
}

Tensor& add_out_bf16_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                            const Scalar& alpha, Tensor& out) {
  return add_to<BFloat16>(context, self, other, alpha, out);
}

Tensor& mul_out_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                       Tensor& out) {
  return multiply_to<float>(context, self, other, out);
}

Tensor& mul_out_bf16_avx512(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                            Tensor& out) {
  return multiply_to<BFloat16>(context, self, other, out);
}

Tensor& relu_out_avx512(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (resize(context, out, shape_of(self))) relu<float>(self, out);
  return out;
}

Tensor& relu_out_bf16_avx512(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (resize(context, out, shape_of(self))) relu<BFloat16>(self, out);
  return out;
}

}  // namespace native
}  // namespace kbench_cpu

#endif  // defined(__x86_64__)

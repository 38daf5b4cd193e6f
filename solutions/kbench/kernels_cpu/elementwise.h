// SPDX-License-Identifier: Apache-2.0
// Kernels that compute each element of the output from those at the same place.
#ifndef KBENCH_CPU_ELEMENTWISE_H_
#define KBENCH_CPU_ELEMENTWISE_H_

#include <cstdint>

#include "walk.h"

namespace kbench_cpu {

// out = f(in). Contiguous runs have a loop of their own, which a compiler makes vector code of.
template <typename Out, typename In, typename F>
void map(const Tensor& in, Tensor& out, const F& f) {
  const auto* const x = static_cast<const In*>(in.const_data_ptr());
  auto* const y = static_cast<Out*>(out.mutable_data_ptr());
  const Walk<2> walk(shape_of(out), {strides_of(out), strides_in(shape_of(out), in)});
  walk.for_each_run([&](const Offsets<2>& at, int64_t n, const Offsets<2>& step) {
    const In* const from = x + at.of[1];
    Out* const to = y + at.of[0];
    if (step.of[0] == 1 && step.of[1] == 1) {
      for (int64_t i = 0; i < n; ++i) to[i] = f(from[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) to[i * step.of[0]] = f(from[i * step.of[1]]);
    }
  });
}

// out = f(a, b), where a and b are broadcast to out.
template <typename T, typename F>
void map(const Tensor& a, const Tensor& b, Tensor& out, const F& f) {
  const auto* const x = static_cast<const T*>(a.const_data_ptr());
  const auto* const y = static_cast<const T*>(b.const_data_ptr());
  auto* const z = static_cast<T*>(out.mutable_data_ptr());
  const Shape shape = shape_of(out);
  const Walk<3> walk(shape, {strides_of(out), strides_in(shape, a), strides_in(shape, b)});
  walk.for_each_run([&](const Offsets<3>& at, int64_t n, const Offsets<3>& step) {
    const T* const left = x + at.of[1];
    const T* const right = y + at.of[2];
    T* const to = z + at.of[0];
    if (step.of[0] == 1 && step.of[1] == 1 && step.of[2] == 1) {
      for (int64_t i = 0; i < n; ++i) to[i] = f(left[i], right[i]);
    } else {
      for (int64_t i = 0; i < n; ++i)
        to[i * step.of[0]] = f(left[i * step.of[1]], right[i * step.of[2]]);
    }
  });
}

}  // namespace kbench_cpu

#endif  // KBENCH_CPU_ELEMENTWISE_H_

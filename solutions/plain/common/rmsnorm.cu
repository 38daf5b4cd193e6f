// SPDX-License-Identifier: Apache-2.0
// RMSNorm of rows, optionally of the sum of two tensors, which is then also written: a block a row,
// which reads the row twice.
#include "rows.cuh"

namespace {

using kbench::Tensor;

template <typename T>
struct Rows {
  const T *x, *residual, *weight;  // no residual: null
  T *out, *sum_out;                // not asked for: null
  int64_t n;
  float eps;
  __device__ float at(int64_t i) const {
    return to_float(x[i]) + (residual ? to_float(residual[i]) : 0.0f);
  }
};

template <typename T>
__global__ void normalise(Rows<T> rows) {
  const int64_t first = blockIdx.x * rows.n;
  float squares = 0;
  for (int64_t i = threadIdx.x; i < rows.n; i += kThreads) {
    const float x = rows.at(first + i);
    squares += x * x;
  }
  const float mean = combine(squares, Sum{}) / static_cast<float>(rows.n);
  const float scale = 1.0f / sqrtf(mean + rows.eps);
  for (int64_t i = threadIdx.x; i < rows.n; i += kThreads) {
    const float x = rows.at(first + i);
    from_float(x * scale * to_float(rows.weight[i]), &rows.out[first + i]);
    if (rows.sum_out) from_float(x, &rows.sum_out[first + i]);
  }
}

void all_rows(Tensor x, const Tensor* residual, Tensor weight, double eps, Tensor out,
              const Tensor* sum_out) {
  with_element_type(x.dtype(), [&](auto element) {
    using T = decltype(element);
    const Rows<T> rows{x.data<T>(),
                       residual ? residual->data<T>() : nullptr,
                       weight.data<T>(),
                       out.data<T>(),
                       sum_out ? sum_out->data<T>() : nullptr,
                       x.size(1),
                       static_cast<float>(eps)};
    normalise<T><<<static_cast<unsigned>(x.size(0)), kThreads, 0, kbench::stream_of(x)>>>(rows);
  });
  kbench::check_launch();
}

void rmsnorm(Tensor x, Tensor weight, double eps, Tensor out) {
  all_rows(x, nullptr, weight, eps, out, nullptr);
}
void rmsnorm_1e6(Tensor x, Tensor weight, Tensor out) { rmsnorm(x, weight, 1e-6, out); }
void add_rmsnorm_1e5(Tensor x, Tensor residual, Tensor weight, Tensor out) {
  all_rows(x, &residual, weight, 1e-5, out, nullptr);
}
void add_rmsnorm_residual(Tensor x, Tensor residual, Tensor weight, double eps, Tensor out,
                          Tensor residual_out) {
  all_rows(x, &residual, weight, eps, out, &residual_out);
}

}  // namespace

KBENCH_EXPORT(rmsnorm, rmsnorm)
KBENCH_EXPORT(rmsnorm_1e6, rmsnorm_1e6)
KBENCH_EXPORT(add_rmsnorm_1e5, add_rmsnorm_1e5)
KBENCH_EXPORT(add_rmsnorm_residual, add_rmsnorm_residual)

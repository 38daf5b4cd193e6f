// SPDX-License-Identifier: Apache-2.0
// Layer normalisation: a block a row, which reads the row three times: for its mean, for its
// variance around that mean, and to write.
#include "rows.cuh"

namespace {

using kbench::Tensor;

template <typename T>
struct Rows {
  const T *x, *weight, *bias;
  T* out;
  int64_t n;
  float eps;
};

template <typename T>
__global__ void normalise(Rows<T> rows) {
  const T* x = rows.x + blockIdx.x * rows.n;
  const float count = static_cast<float>(rows.n);
  float sum = 0, squares = 0;
  for (int64_t i = threadIdx.x; i < rows.n; i += kThreads) sum += to_float(x[i]);
  const float mean = combine(sum, Sum{}) / count;
  for (int64_t i = threadIdx.x; i < rows.n; i += kThreads) {
    const float centred = to_float(x[i]) - mean;
    squares += centred * centred;
  }
  const float scale = 1.0f / sqrtf(combine(squares, Sum{}) / count + rows.eps);
  T* out = rows.out + blockIdx.x * rows.n;
  for (int64_t i = threadIdx.x; i < rows.n; i += kThreads) {
    const float normalised = (to_float(x[i]) - mean) * scale;
    from_float(normalised * to_float(rows.weight[i]) + to_float(rows.bias[i]), &out[i]);
  }
}

void run(Tensor x, Tensor weight, Tensor bias, double eps, Tensor out) {
  with_element_type(x.dtype(), [&](auto element) {
    using T = decltype(element);
    const Rows<T> rows{x.data<T>(),   weight.data<T>(), bias.data<T>(),
                       out.data<T>(), x.size(1),        static_cast<float>(eps)};
    normalise<T><<<static_cast<unsigned>(x.size(0)), kThreads, 0, kbench::stream_of(x)>>>(rows);
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(run, run)

// SPDX-License-Identifier: Apache-2.0
// RMSNorm of rows, optionally of the sum of two tensors, which is then also written. A block a row,
// which it holds in registers; the gains are on their way while the squares are summed.
#include "row_blocks.cuh"

namespace {

using kbench::Tensor;

template <typename T>
struct Rows {
  const T *x, *residual, *weight;  // no residual: null
  T *out, *sum_out;                // not asked for: null
  int n;
  float eps;
};

template <typename T, typename Block>
__global__ void __launch_bounds__(Block::kThreads) normalise(Rows<T> rows) {
  constexpr int width = Vector<T>::width, stride = Block::kThreads * width;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * rows.n;
  const int first = threadIdx.x * width;
  Vector<T> held[Block::kHeld], weight[Block::kHeld];
  float squares = 0;
#pragma unroll
  for (int v = 0; v < Block::kHeld; ++v) {
    const int i = first + v * stride;
    if (i >= rows.n) continue;
    held[v].load(rows.x + row + i);
    weight[v].load(rows.weight + i);
    if (rows.residual != nullptr) {
      Vector<T> residual;
      residual.load(rows.residual + row + i);
#pragma unroll
      for (int j = 0; j < width; ++j) held[v].x[j] += residual.x[j];
    }
#pragma unroll
    for (int j = 0; j < width; ++j) squares += held[v].x[j] * held[v].x[j];
  }
  const float mean = among_threads<Block::kWarps>(squares, Sum{}) / static_cast<float>(rows.n);
  const float scale = rsqrtf(mean + rows.eps);
#pragma unroll
  for (int v = 0; v < Block::kHeld; ++v) {
    const int i = first + v * stride;
    if (i >= rows.n) continue;
    if (rows.sum_out != nullptr) held[v].store(rows.sum_out + row + i);
#pragma unroll
    for (int j = 0; j < width; ++j) held[v].x[j] *= scale * weight[v].x[j];
    held[v].store(rows.out + row + i);
  }
}

void all_rows(Tensor x, const Tensor* residual, Tensor weight, double eps, Tensor out,
              const Tensor* sum_out) {
  check_vectors({x, weight, out, residual ? *residual : x, sum_out ? *sum_out : out});
  with_half_type(x.dtype(), [&](auto element) {
    using T = decltype(element);
    const Rows<T> rows{x.data<T>(),
                       residual ? residual->data<T>() : nullptr,
                       weight.data<T>(),
                       out.data<T>(),
                       sum_out ? sum_out->data<T>() : nullptr,
                       static_cast<int>(x.size(1)),
                       static_cast<float>(eps)};
    const unsigned count = static_cast<unsigned>(x.size(0));
    with_row_block(x.size(1), [&](auto block) {
      using Block = decltype(block);
      normalise<T, Block><<<count, Block::kThreads, 0, kbench::stream_of(x)>>>(rows);
    });
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

// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows: a warp a row, the variance around the mean from registers.
#include "warp_rows.cuh"

namespace {

using kbench::Tensor;

template <typename T>
struct Rows {
  const T *x, *weight, *bias;
  T* out;
  int64_t count;
  int n;
  float eps;
};

template <typename T, int kHeld>
__global__ void __launch_bounds__(kThreads) normalise(Rows<T> rows) {
  constexpr int width = WarpRow<T, kHeld>::width;
  const int64_t row = row_of_warp();
  if (row >= rows.count) return;
  WarpRow<T, kHeld> x;
  x.load(rows.x + row * rows.n, rows.n, 0.0f);
  float sum = 0, squares = 0;
#pragma unroll
  for (int v = 0; v < kHeld; ++v)
#pragma unroll
    for (int i = 0; i < width; ++i) sum += x.held[v].x[i];
  const float mean = among_lanes(sum, Sum{}) / static_cast<float>(rows.n);
#pragma unroll
  for (int v = 0; v < kHeld; ++v)
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const float centred = x.held[v].x[i] - mean;
      if (x.column(v) < rows.n) squares += centred * centred;
    }
  const float scale = rsqrtf(among_lanes(squares, Sum{}) / static_cast<float>(rows.n) + rows.eps);
#pragma unroll
  for (int v = 0; v < kHeld; ++v) {
    if (x.column(v) >= rows.n) continue;
    Vector<T> weight, bias;
    weight.load(rows.weight + x.column(v));
    bias.load(rows.bias + x.column(v));
#pragma unroll
    for (int i = 0; i < width; ++i) bias.x[i] += (x.held[v].x[i] - mean) * scale * weight.x[i];
    bias.store(rows.out + row * rows.n + x.column(v));
  }
}

template <typename T>
void launch(Tensor x, Tensor weight, Tensor bias, double eps, Tensor out) {
  const Rows<T> rows{x.data<T>(),
                     weight.data<T>(),
                     bias.data<T>(),
                     out.data<T>(),
                     x.size(0),
                     static_cast<int>(x.size(1)),
                     static_cast<float>(eps)};
  const unsigned blocks = blocks_for(rows.count, kRowsOfBlock);
  with_held(rows.n / Vector<T>::width, [&](auto held) {
    constexpr int kHeld = decltype(held)::value;
    normalise<T, kHeld><<<blocks, kThreads, 0, kbench::stream_of(x)>>>(rows);
  });
  kbench::check_launch();
}

void run(Tensor x, Tensor weight, Tensor bias, double eps, Tensor out) {
  check_vectors({x, weight, bias, out});
  if (x.dtype() == kbench::kFloat32) return launch<float>(x, weight, bias, eps, out);
  with_half_type(x.dtype(),
                 [&](auto element) { launch<decltype(element)>(x, weight, bias, eps, out); });
}

}  // namespace

KBENCH_EXPORT(run, run)

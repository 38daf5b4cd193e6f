// SPDX-License-Identifier: Apache-2.0
// Softmax of float32 rows: a warp a row.
#include "warp_rows.cuh"

namespace {

template <int kHeld>
__global__ void __launch_bounds__(kThreads)
    softmax(const float* input, float* output, int64_t rows, int n) {
  constexpr int width = WarpRow<float, kHeld>::width;
  const int64_t row = row_of_warp();
  if (row >= rows) return;
  WarpRow<float, kHeld> x;
  x.load(input + row * n, n, -INFINITY);
  float highest = -INFINITY, sum = 0;
#pragma unroll
  for (int v = 0; v < kHeld; ++v)
#pragma unroll
    for (int i = 0; i < width; ++i) highest = fmaxf(highest, x.held[v].x[i]);
  highest = among_lanes(highest, Highest{});
#pragma unroll
  for (int v = 0; v < kHeld; ++v)
#pragma unroll
    for (int i = 0; i < width; ++i) {
      x.held[v].x[i] = expf(x.held[v].x[i] - highest);
      sum += x.held[v].x[i];
    }
  const float factor = 1.0f / among_lanes(sum, Sum{});
#pragma unroll
  for (int v = 0; v < kHeld; ++v) {
    if (x.column(v) >= n) continue;
#pragma unroll
    for (int i = 0; i < width; ++i) x.held[v].x[i] *= factor;
    x.held[v].store(output + row * n + x.column(v));
  }
}

void run(kbench::Tensor input, kbench::Tensor output) {
  KBENCH_CHECK(input.dtype() == kbench::kFloat32, "softmax: scores must be float32");
  check_vectors({input, output});
  const int64_t rows = input.size(0);
  with_held(input.size(1) / Vector<float>::width, [&](auto held) {
    softmax<decltype(held)::value>
        <<<blocks_for(rows, kRowsOfBlock), kThreads, 0, kbench::stream_of(input)>>>(
            input.data<float>(), output.data<float>(), rows, static_cast<int>(input.size(1)));
  });
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(softmax, run)

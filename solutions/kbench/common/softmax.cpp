// SPDX-License-Identifier: Apache-2.0
// Softmax of rows into float32. Each row is cut into chunks that fit the second-level cache; a
// chunk is exponentiated against its own maximum, so the scores are read from memory once, and a
// second phase brings all chunks to the row's maximum and sum. Chunks, not rows, are shared out
// among threads: one row of a large vocabulary keeps every core busy.
#include <vector>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
struct Chunk {
  float highest;
  float sum;
};
}  // namespace

#define KB_KERNEL "softmax.inc"
#include "levels.h"

namespace {

constexpr int64_t kChunk = 16384;
using Exponentials = Chunk (*)(const void*, float, float*, int64_t);

Exponentials exponentials_for(kbench::DType dtype) {
  if (dtype == kbench::kBFloat16) return KB_PICK(exponentials<BF16>);
  if (dtype == kbench::kFloat16) return KB_PICK(exponentials<F16>);
  KBENCH_CHECK(dtype == kbench::kFloat32, "softmax: unsupported dtype");
  return KB_PICK(exponentials<float>);
}

// Turns the chunks' sums into the factor that each chunk has to be multiplied by.
void set_factors(Chunk* chunks, int64_t count, float scale) {
  float highest = chunks[0].highest, total = 0;
  for (int64_t i = 1; i < count; ++i) highest = scalar::max(highest, chunks[i].highest);
  for (int64_t i = 0; i < count; ++i) {
    const float shift = std::exp((chunks[i].highest - highest) * scale);
    total += chunks[i].sum * shift;
    chunks[i].highest = shift;
  }
  for (int64_t i = 0; i < count; ++i) chunks[i].sum = chunks[i].highest / total;
}

void softmax_scaled(const kbench::Tensor& x, float scale, const kbench::Tensor& out) {
  KBENCH_CHECK(x.contiguous() && out.contiguous(), "softmax: tensors must be contiguous");
  const int64_t n = x.size(-1), rows = x.numel() / n, per_row = (n + kChunk - 1) / kChunk;
  const int64_t bytes = x.dtype().bits / 8, grain = 1 + 8192 / (n < kChunk ? n : kChunk);
  const Exponentials exponentials = exponentials_for(x.dtype());
  const auto multiply = KB_PICK(multiply_all);
  std::vector<Chunk> chunks(static_cast<size_t>(rows * per_row));
  const auto for_chunks = [&](auto work) {
    parallel(rows * per_row, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t at = i % per_row * kChunk;
        work(i, i / per_row * n + at, n - at < kChunk ? n - at : kChunk);
      }
    });
  };
  for_chunks([&](int64_t i, int64_t offset, int64_t size) {
    chunks[i] =
        exponentials(x.data<char>() + offset * bytes, scale, out.data<float>() + offset, size);
    if (per_row == 1) multiply(out.data<float>() + offset, 1.0f / chunks[i].sum, size);
  });
  if (per_row == 1) return;
  for (int64_t r = 0; r < rows; ++r) set_factors(&chunks[r * per_row], per_row, scale);
  for_chunks([&](int64_t i, int64_t offset, int64_t size) {
    multiply(out.data<float>() + offset, chunks[i].sum, size);
  });
}

void softmax(kbench::Tensor x, kbench::Tensor out) { softmax_scaled(x, 1.0f, out); }

void softmax_temperature(kbench::Tensor x, double temperature, kbench::Tensor out) {
  KBENCH_CHECK(temperature > 0, "softmax: the temperature must be positive");
  softmax_scaled(x, static_cast<float>(1.0 / temperature), out);
}

}  // namespace

KBENCH_EXPORT(softmax, softmax)
KBENCH_EXPORT(softmax_temperature, softmax_temperature)

// SPDX-License-Identifier: Apache-2.0
// C[M, N] = A[M, K] * B[N, K]^T in bfloat16 with float32 sums, any sizes. What is fastest depends
// on the sizes and the processor, so it is left open: the register tile when it is compiled
// (TILE_M, TILE_N), the blocks and threads when it is called. kbench tune chooses them; called
// as `run` it takes middling ones.
#include <cstdlib>
#include <cstring>

#include "kbench_ffi.h"

#ifndef TILE_M
#define TILE_M 3  // rows of A in a register tile
#endif
#ifndef TILE_N
#define TILE_N 4  // rows of B beside them
#endif

namespace {

constexpr int64_t kLanes = 8;
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));
using Words = uint16_t __attribute__((vector_size(kLanes * sizeof(uint16_t))));
using Wide = uint32_t __attribute__((vector_size(kLanes * sizeof(uint32_t))));

// Where the compiler may use AVX2: chosen when it runs.
#if defined(__x86_64__)
#define KB_FAST __attribute__((target_clones("arch=haswell", "default")))
#endif
#define KB_INLINE __attribute__((always_inline)) inline

struct Blocks {
  int64_t panel, depth;  // rows of B, elements of K
  bool widen;            // a panel of B to float32, before it is multiplied
  int threads;
};

struct Part {  // of the sum over K
  const float* a;
  int64_t lda, rows;
  const void* b;
  int64_t ldb, columns;
  int64_t depth;
  float* sums;
  int64_t stride;
};

template <typename T>
struct Row;
template <>
struct Row<float> {
  static KB_INLINE void load(const float* p, Lanes& to) { std::memcpy(&to, p, sizeof to); }
  static KB_INLINE float one(const float* p) { return *p; }
};
template <>
struct Row<uint16_t> {
  static KB_INLINE void load(const uint16_t* p, Lanes& to) {
    Words words;
    std::memcpy(&words, p, sizeof words);
    const Wide bits = __builtin_convertvector(words, Wide) << 16;
    std::memcpy(&to, &bits, sizeof to);
  }
  static KB_INLINE float one(const uint16_t* p) {
    const uint32_t bits = static_cast<uint32_t>(*p) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
};

template <int Rows, int Columns, typename T>
KB_INLINE void tile(const Part& part, int64_t row, int64_t column) {
  const float* a = part.a + row * part.lda;
  const T* b = static_cast<const T*>(part.b) + column * part.ldb;
  Lanes sums[Rows][Columns] = {};
  int64_t k = 0;
  for (; k + kLanes <= part.depth; k += kLanes) {
    Lanes right[Columns];
    for (int j = 0; j < Columns; ++j) Row<T>::load(b + j * part.ldb + k, right[j]);
    for (int i = 0; i < Rows; ++i) {
      Lanes left;
      Row<float>::load(a + i * part.lda + k, left);
      for (int j = 0; j < Columns; ++j) sums[i][j] += left * right[j];
    }
  }
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Columns; ++j) {
      float sum = 0;
      for (int64_t lane = 0; lane < kLanes; ++lane) sum += sums[i][j][lane];
      for (int64_t rest = k; rest < part.depth; ++rest)
        sum += a[i * part.lda + rest] * Row<T>::one(b + j * part.ldb + rest);
      part.sums[(row + i) * part.stride + column + j] += sum;
    }
  }
}

template <int Columns, typename T>
KB_INLINE void columns_of(const Part& part, int64_t column) {
  int64_t row = 0;
  for (; row + TILE_M <= part.rows; row += TILE_M) tile<TILE_M, Columns, T>(part, row, column);
  for (; row < part.rows; ++row) tile<1, Columns, T>(part, row, column);
}

template <typename T>
KB_INLINE void multiply(const Part& part) {
  int64_t column = 0;
  for (; column + TILE_N <= part.columns; column += TILE_N)
    columns_of<TILE_N, T>(part, column);
  for (; column < part.columns; ++column) columns_of<1, T>(part, column);
}

KB_FAST void multiply_wide(const Part& part) { multiply<float>(part); }
KB_FAST void multiply_words(const Part& part) { multiply<uint16_t>(part); }

KB_FAST void widen(const uint16_t* from, float* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = Row<uint16_t>::one(from + i);
}

KB_FAST void narrow(const float* from, uint16_t* to, int64_t n) {  // to nearest even
  for (int64_t i = 0; i < n; ++i) {
    uint32_t bits;
    std::memcpy(&bits, from + i, sizeof bits);
    const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    to[i] = static_cast<uint16_t>(from[i] != from[i] ? 0x7fc0 : rounded);
  }
}

struct Buffer {  // 64-byte aligned floats, not cleared
  explicit Buffer(int64_t n)
      : data(static_cast<float*>(std::aligned_alloc(64, static_cast<size_t>((n * 4 + 63) & ~63)))) {
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { std::free(data); }
  float* data;
};

struct Gemm {
  const float* a;
  const uint16_t* b;
  uint16_t* c;
  int64_t m, n, k;

  // Columns [begin, begin + width) of C. False: out of memory.
  bool panel(int64_t begin, int64_t width, const Blocks& blocks) const {
    const Buffer sums(m * width);
    const Buffer wide(blocks.widen ? width * blocks.depth : 16);
    if (sums.data == nullptr || wide.data == nullptr) return false;
    std::memset(sums.data, 0, static_cast<size_t>(m * width) * sizeof(float));
    for (int64_t d = 0; d < k; d += blocks.depth) {
      const int64_t depth = k - d < blocks.depth ? k - d : blocks.depth;
      const uint16_t* from = b + begin * k + d;
      Part part{a + d, k, m, from, k, width, depth, sums.data, width};
      if (!blocks.widen) {
        multiply_words(part);
        continue;
      }
      for (int64_t j = 0; j < width; ++j) widen(from + j * k, wide.data + j * depth, depth);
      part.b = wide.data;
      part.ldb = depth;
      multiply_wide(part);
    }
    for (int64_t i = 0; i < m; ++i) narrow(sums.data + i * width, c + i * n + begin, width);
    return true;
  }
};

void gemm(kbench::Tensor a, kbench::Tensor b, const Blocks& blocks, kbench::Tensor c) {
  KBENCH_CHECK(a.contiguous() && b.contiguous() && c.contiguous(),
               "gemm: tensors must be contiguous");
  KBENCH_CHECK(a.dtype() == kbench::kBFloat16 && b.dtype() == a.dtype() && c.dtype() == a.dtype(),
               "gemm: tensors must be bfloat16");
  KBENCH_CHECK(blocks.panel > 0 && blocks.depth > 0 && blocks.threads > 0,
               "gemm: blocks must be positive");
  const int64_t m = a.size(0), k = a.size(1), n = b.size(0);
  const Buffer left(m * k + 1);
  KBENCH_CHECK(left.data != nullptr, "gemm: out of memory");
  widen(a.data<uint16_t>(), left.data, m * k);
  const Gemm job{left.data, b.data<uint16_t>(), c.data<uint16_t>(), m, n, k};
  bool good = true;
#pragma omp parallel for num_threads(blocks.threads) schedule(static) reduction(&& : good)
  for (int64_t begin = 0; begin < n; begin += blocks.panel)
    good = job.panel(begin, n - begin < blocks.panel ? n - begin : blocks.panel, blocks) && good;
  KBENCH_CHECK(good, "gemm: out of memory");
}

void run(kbench::Tensor a, kbench::Tensor b, kbench::Tensor c) {
  gemm(a, b, {64, 1024, true, 2}, c);
}

// Behind the inputs what the sidecar declares as parameters of calls.
void run_tuned(kbench::Tensor a, kbench::Tensor b, int64_t panel, int64_t depth, bool widen,
               int64_t threads, kbench::Tensor c) {
  gemm(a, b, {panel, depth, widen, static_cast<int>(threads)}, c);
}

}  // namespace

KBENCH_EXPORT(run, run)
KBENCH_EXPORT(run_tuned, run_tuned)

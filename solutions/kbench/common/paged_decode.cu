// SPDX-License-Identifier: Apache-2.0
// Decode attention over a paged cache, heads of 128 features. A block has one sequence and one
// key-value head, and all the query heads on it, so that each key and value is read once. Sixteen
// lanes share a key, eight features each; every half warp takes its own tokens with a softmax of
// its own, and the halves are joined at the end.
#include "reduce.cuh"
#include "vectors.cuh"

namespace {

using kbench::Tensor;
using T = __nv_bfloat16;

constexpr int kFeatures = 128, kWidth = Vector<T>::width;
constexpr int kLanes = kFeatures / kWidth;  // of a key
constexpr int kThreads = 128, kHalves = kThreads / kLanes;
constexpr float kLog2E = 1.44269504f;

struct Cache {
  const T *k, *v;
  const int32_t *indptr, *indices, *last_page_len;
  int page_size, kv_heads;
  // Where the key, or value, of this token lies.
  __device__ __forceinline__ int64_t row(int first_page, int token, int head) const {
    const int64_t page = indices[first_page + token / page_size];
    return ((page * page_size + token % page_size) * kv_heads + head) * kFeatures;
  }
};

// The softmax of the tokens so far of one query head, eight features of its sum of values. The
// scores are to base 2.
struct Running {
  float highest = -INFINITY, total = 0, sum[kWidth] = {};
  __device__ __forceinline__ void add(float score, const Vector<T>& value) {
    const float higher = fmaxf(highest, score);
    const float shrink = exp2f(highest - higher), weight = exp2f(score - higher);
    highest = higher;
    total = total * shrink + weight;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sum[i] = sum[i] * shrink + weight * value.x[i];
  }
};

// What the halves of a block leave for each other.
template <int kHeads>
struct Left {
  float highest[kHalves][kHeads], total[kHalves][kHeads], sum[kHalves][kHeads][kFeatures];
};

// Joins the halves: a thread a feature.
template <int kHeads>
__device__ __forceinline__ void join(const Left<kHeads>& left, int64_t row, T* out, float* lse) {
  const int feature = threadIdx.x;
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    float highest = -INFINITY, total = 0, sum = 0;
#pragma unroll
    for (int half = 0; half < kHalves; ++half) highest = fmaxf(highest, left.highest[half][head]);
    const bool is_empty = highest == -INFINITY;
#pragma unroll
    for (int half = 0; half < kHalves; ++half) {
      const float factor = is_empty ? 0.0f : exp2f(left.highest[half][head] - highest);
      total += factor * left.total[half][head];
      sum += factor * left.sum[half][head][feature];
    }
    out[(row + head) * kFeatures + feature] = __float2bfloat16_rn(is_empty ? 0.0f : sum / total);
    if (feature == 0) lse[row + head] = is_empty ? -INFINITY : highest + log2f(total);
  }
}

template <int kHeads>
__global__ void __launch_bounds__(kThreads)
    decode(const T* q, Cache cache, float scale, T* out, float* lse) {
  __shared__ Left<kHeads> left;
  const int half = threadIdx.x / kLanes, feature = threadIdx.x % kLanes * kWidth;
  const int sequence = blockIdx.x / cache.kv_heads, kv_head = blockIdx.x % cache.kv_heads;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kHeads;  // the first of its query heads
  const int first = cache.indptr[sequence], pages = cache.indptr[sequence + 1] - first;
  const int length = pages > 0 ? (pages - 1) * cache.page_size + cache.last_page_len[sequence] : 0;
  Vector<T> query[kHeads];
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    query[head].load(q + (row + head) * kFeatures + feature);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) query[head].x[i] *= scale * kLog2E;
  }
  Running running[kHeads];
  for (int begin = 0; begin < length; begin += kHalves) {  // in step, as shuffles want it
    const int token = begin + half;
    Vector<T> key = {}, value = {};
    if (token < length) {
      const int64_t place = cache.row(first, token, kv_head) + feature;
      key.load(cache.k + place);
      value.load(cache.v + place);
    }
#pragma unroll
    for (int head = 0; head < kHeads; ++head) {
      float score = 0;
#pragma unroll
      for (int i = 0; i < kWidth; ++i) score += query[head].x[i] * key.x[i];
      score = among_lanes<kLanes>(score, Sum{});
      if (token < length) running[head].add(score, value);
    }
  }
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    if (feature == 0) {
      left.highest[half][head] = running[head].highest;
      left.total[half][head] = running[head].total;
    }
#pragma unroll
    for (int i = 0; i < kWidth; ++i) left.sum[half][head][feature + i] = running[head].sum[i];
  }
  __syncthreads();
  join<kHeads>(left, row, out, lse);
}

void run(Tensor q, Tensor k, Tensor v, Tensor kv_indptr, Tensor kv_indices, Tensor last_page_len,
         double sm_scale, Tensor out, Tensor lse) {
  KBENCH_CHECK(q.dtype() == kbench::kBFloat16, "paged_decode: tensors must be bfloat16");
  KBENCH_CHECK(q.size(2) == kFeatures, "paged_decode: a head must have 128 features");
  KBENCH_CHECK(q.size(1) == 4 * k.size(2), "paged_decode: four query heads on each of the others");
  check_vectors({q, k, v});
  const Cache cache{k.data<T>(),
                    v.data<T>(),
                    kv_indptr.data<int32_t>(),
                    kv_indices.data<int32_t>(),
                    last_page_len.data<int32_t>(),
                    static_cast<int>(k.size(1)),
                    static_cast<int>(k.size(2))};
  const unsigned blocks = static_cast<unsigned>(q.size(0) * k.size(2));
  decode<4><<<blocks, kThreads, 0, kbench::stream_of(q)>>>(
      q.data<T>(), cache, static_cast<float>(sm_scale), out.data<T>(), lse.data<float>());
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(paged_decode, run)

// SPDX-License-Identifier: Apache-2.0
// Decode attention over a paged cache: a block a query head, as many threads as a head has
// features. It takes as many keys at a time: first a thread scores a key, then it sums one feature
// of the values. What was summed is scaled down when a higher score comes.
#include "numbers.cuh"

namespace {

using kbench::Tensor;
using T = __nv_bfloat16;

constexpr int kFeatures = 128;

struct Cache {
  const T *k, *v;
  const int32_t *indptr, *indices, *last_page_len;
  int64_t page_size, heads, kv_heads;
  // Where the key, or value, of this token lies.
  __device__ int64_t row(int64_t first_page, int64_t token, int64_t head) const {
    const int64_t page = indices[first_page + token / page_size];
    return ((page * page_size + token % page_size) * kv_heads + head) * kFeatures;
  }
};

__device__ float score(const float* q, const T* key) {
  float sum = 0;
  for (int i = 0; i < kFeatures; ++i) sum += q[i] * to_float(key[i]);
  return sum;
}

__global__ void decode(const T* q, Cache cache, float scale, T* out, float* lse) {
  __shared__ float query[kFeatures];
  __shared__ float weights[kFeatures];
  const int me = threadIdx.x;
  const int64_t row = blockIdx.x, sequence = row / cache.heads;
  const int64_t kv_head = row % cache.heads / (cache.heads / cache.kv_heads);
  const int64_t first = cache.indptr[sequence], pages = cache.indptr[sequence + 1] - first;
  const int64_t length =
      pages > 0 ? (pages - 1) * cache.page_size + cache.last_page_len[sequence] : 0;
  query[me] = to_float(q[row * kFeatures + me]) * scale;
  float highest = -INFINITY, total = 0, sum = 0;
  for (int64_t begin = 0; begin < length; begin += kFeatures) {
    const int64_t count = length - begin < kFeatures ? length - begin : kFeatures;
    __syncthreads();  // the query is there, and nobody reads the weights any more
    if (me < count) weights[me] = score(query, cache.k + cache.row(first, begin + me, kv_head));
    __syncthreads();
    float higher = highest;
    for (int i = 0; i < count; ++i) higher = fmaxf(higher, weights[i]);
    const float shrink = expf(highest - higher);
    total *= shrink;
    sum *= shrink;
    highest = higher;
    for (int i = 0; i < count; ++i) {
      const float weight = expf(weights[i] - highest);
      total += weight;
      sum += weight * to_float(cache.v[cache.row(first, begin + i, kv_head) + me]);
    }
  }
  from_float(length > 0 ? sum / total : 0.0f, &out[row * kFeatures + me]);
  if (me == 0) lse[row] = length > 0 ? (highest + logf(total)) * 1.44269504f : -INFINITY;
}

void run(Tensor q, Tensor k, Tensor v, Tensor kv_indptr, Tensor kv_indices, Tensor last_page_len,
         double sm_scale, Tensor out, Tensor lse) {
  KBENCH_CHECK(q.dtype() == kbench::kBFloat16, "paged_decode: tensors must be bfloat16");
  KBENCH_CHECK(q.size(2) == kFeatures, "paged_decode: a head must have 128 features");
  const Cache cache{k.data<T>(),
                    v.data<T>(),
                    kv_indptr.data<int32_t>(),
                    kv_indices.data<int32_t>(),
                    last_page_len.data<int32_t>(),
                    k.size(1),
                    q.size(1),
                    k.size(2)};
  const unsigned blocks = static_cast<unsigned>(q.size(0) * q.size(1));
  decode<<<blocks, kFeatures, 0, kbench::stream_of(q)>>>(
      q.data<T>(), cache, static_cast<float>(sm_scale), out.data<T>(), lse.data<float>());
  kbench::check_launch();
}

}  // namespace

KBENCH_EXPORT(paged_decode, run)

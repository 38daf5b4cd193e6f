// SPDX-License-Identifier: Apache-2.0
// The gradient of dense grouped-query attention, float16, bfloat16 or float32, by out and by lse.
// Weights are made again from lse; nothing else is kept of the forward pass. A unit of work is one
// key-value head of one batch entry with all of its query heads; units are shared out among
// threads.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
struct Back {
  const void *q, *k, *v, *d_out;
  const float *lse, *d_lse;
  void *d_q, *d_k, *d_v;
  int64_t queries, keys, heads, kv_heads, ratio, d;
  float scale;
};

struct Head {
  int64_t query;  // first row of q, in rows of d elements; the next token's is `heads` further
  int64_t key;    // likewise of k
};

struct Buffers {  // one thread's
  std::vector<float> q, d_out, k, v, d_k, d_v, sum, p, ds;
};
}  // namespace

#define KB_KERNEL "attention_grad.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

struct Kernels {
  void (*open)(const Back&, const Head&, Buffers&);
  void (*attend)(const Back&, const Head&, Buffers&);
  void (*close)(const Back&, const Head&, const Buffers&);
};

template <typename T>
Kernels kernels_of() {
  return {KB_PICK(open_head<T>), KB_PICK(attend_back<T>), KB_PICK(close_head<T>)};
}

Kernels kernels_for(kbench::DType dtype) {
  if (dtype == kbench::kFloat16) return kernels_of<F16>();
  if (dtype == kbench::kBFloat16) return kernels_of<BF16>();
  KBENCH_CHECK(dtype == kbench::kFloat32, "attention: unsupported dtype");
  return kernels_of<float>();
}

Buffers buffers_for(const Back& a) {
  const auto rows = static_cast<size_t>(a.queries * a.d), keys = static_cast<size_t>(a.keys * a.d);
  const auto all = static_cast<size_t>(a.queries * a.keys);
  return {std::vector<float>(rows), std::vector<float>(rows), std::vector<float>(keys),
          std::vector<float>(keys), std::vector<float>(keys), std::vector<float>(keys),
          std::vector<float>(keys), std::vector<float>(all),  std::vector<float>(all)};
}

void backward(Tensor q, Tensor k, Tensor v, Tensor, Tensor lse, Tensor d_out, Tensor d_lse,
              Tensor d_q, Tensor d_k, Tensor d_v) {
  KBENCH_CHECK(q.dtype() == k.dtype() && q.dtype() == v.dtype() && q.size(3) == v.size(3),
               "attention: dtypes or head sizes differ");
  Back a{q.data<void>(),    k.data<void>(),      v.data<void>(),   d_out.data<void>(),
         lse.data<float>(), d_lse.data<float>(), d_q.data<void>(), d_k.data<void>(),
         d_v.data<void>(),  q.size(1),           k.size(1),        q.size(2),
         k.size(2),         q.size(2) / k.size(2), q.size(3),      0};
  a.scale = 1.0f / std::sqrt(static_cast<float>(a.d));
  const Kernels kernels = kernels_for(q.dtype());
  const int64_t work = a.queries * a.ratio * a.keys * a.d;
  parallel(q.size(0) * a.kv_heads, 1 + 131072 / (work + 1), [&](int64_t begin, int64_t end) {
    Buffers buffers = buffers_for(a);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / a.kv_heads, head = i % a.kv_heads;
      Head h{0, batch * a.keys * a.kv_heads + head};
      kernels.open(a, h, buffers);
      std::fill(buffers.d_k.begin(), buffers.d_k.end(), 0.0f);
      std::fill(buffers.d_v.begin(), buffers.d_v.end(), 0.0f);
      for (int64_t r = 0; r < a.ratio; ++r) {
        h.query = batch * a.queries * a.heads + head * a.ratio + r;
        kernels.attend(a, h, buffers);
      }
      kernels.close(a, h, buffers);
    }
  });
}

}  // namespace

KBENCH_EXPORT(gqa_vjp, backward)

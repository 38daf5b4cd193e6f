// SPDX-License-Identifier: Apache-2.0
// Decode attention on the compressed cache of multi-head latent attention, bfloat16, pages of one
// token, in one pass over the keys. All heads read the same keys, so a unit of work is one sequence
// and eight heads: each key is widened once for all eight. Units are shared out among threads.
#include <memory>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
constexpr int64_t kPanel = 64;      // keys at a time
constexpr int64_t kRows = 8;        // heads of a unit
constexpr int64_t kMaxWidth = 640;  // widest key

struct Block {
  const float* a;
  int64_t lda;
  int64_t m;
  int64_t depth;
};

struct Mla {
  const BF16* q_nope;
  const BF16* q_pe;
  const BF16* ckv;
  const BF16* kpe;
  BF16* out;
  float* lse;
  int64_t ckv_width;
  int64_t kpe_width;
  float scale;
};

struct Unit {
  int64_t first_row;  // sequence * heads + head
  int64_t rows;
  int64_t keys;
  const int32_t* tokens;
};

struct Row {
  float highest;
  float total;
};

struct Work {  // one thread's buffers
  alignas(64) float q[kRows * kMaxWidth];
  alignas(64) float o[kRows * kMaxWidth];
  alignas(64) float keys[kPanel * kMaxWidth];
  alignas(64) float values[kPanel * kMaxWidth];
  alignas(64) float scores[kRows * kPanel];
  Row rows[kRows];
};
}  // namespace

#define KB_KERNEL "mla.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

void mla_decode(Tensor q_nope, Tensor q_pe, Tensor ckv, Tensor kpe, Tensor kv_indptr,
                Tensor kv_indices, double sm_scale, Tensor out, Tensor lse) {
  const Mla a{q_nope.data<BF16>(), q_pe.data<BF16>(), ckv.data<BF16>(),
              kpe.data<BF16>(),    out.data<BF16>(),  lse.data<float>(),
              q_nope.size(2),      q_pe.size(2),      static_cast<float>(sm_scale)};
  KBENCH_CHECK(q_nope.dtype() == kbench::kBFloat16 && ckv.dtype() == kbench::kBFloat16,
               "mla: unsupported dtype");
  KBENCH_CHECK(ckv.size(1) == 1, "mla: pages must hold one token");
  KBENCH_CHECK(
      a.ckv_width % 64 == 0 && a.kpe_width % 16 == 0 && a.ckv_width + a.kpe_width <= kMaxWidth,
      "mla: unsupported head size");
  const int64_t heads = q_nope.size(1), blocks = (heads + kRows - 1) / kRows;
  const int32_t* begin = kv_indptr.data<int32_t>();
  const auto attend = KB_PICK(attend);
  parallel(q_nope.size(0) * blocks, 1, [&](int64_t first, int64_t last) {
    thread_local const std::unique_ptr<Work> work(new Work);  // kept: its pages are dear
    for (int64_t i = first; i < last; ++i) {
      const int64_t s = i / blocks, head = i % blocks * kRows;
      attend(a,
             {s * heads + head, heads - head < kRows ? heads - head : kRows,
              begin[s + 1] - begin[s], kv_indices.data<int32_t>() + begin[s]},
             *work);
    }
  });
}

}  // namespace

KBENCH_EXPORT(run, mla_decode)

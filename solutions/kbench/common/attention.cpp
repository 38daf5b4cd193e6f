// SPDX-License-Identifier: Apache-2.0
// Grouped-query attention in one pass over the keys (online softmax), float16, bfloat16 or float32:
// dense, packed sequences with a causal mask, and decode over a paged cache. A unit of work is one
// key-value head with all query heads of up to 64 / ratio tokens, so each key and value is widened
// once for all of them; scores and outputs are register tiles. Units are shared out among threads.
#include <memory>
#include <vector>

#include "kbench_ffi.h"
#include "simd.h"

namespace {
constexpr int64_t kPanel = 64;      // keys at a time
constexpr int64_t kRows = 64;       // most query rows of a unit
constexpr int64_t kMaxWidth = 256;  // largest head

struct Block {
  const float* a;
  int64_t lda;
  int64_t m;
  int64_t depth;
};

struct Attention {
  const void* q;
  const void* k;
  const void* v;
  void* out;
  float* lse;
  int64_t heads;  // query heads
  int64_t ratio;  // query heads for each key-value head
  int64_t d;
  float scale;
  float lse_factor;
  bool causal;
};

struct Unit {
  int64_t head;                  // key-value head
  int64_t first_token;           // row of q, in tokens
  int64_t tokens;                // query tokens
  int64_t keys;                  // keys of the sequence
  int64_t visible;               // of these, what the first token sees
  const int64_t* token_offsets;  // where each key lies, in elements
};

struct Row {
  float highest;
  float total;
};

struct Work {  // one thread's buffers
  alignas(64) float q[kRows * kMaxWidth];
  alignas(64) float o[kRows * kMaxWidth];
  alignas(64) float kv[kPanel * kMaxWidth];
  alignas(64) float scores[kRows * kPanel];
  Row rows[kRows];
};

inline int64_t query_row(const Attention& a, const Unit& unit, int64_t r) {
  return (unit.first_token + r / a.ratio) * a.heads + unit.head * a.ratio + r % a.ratio;
}
inline int64_t visible_keys(const Attention& a, const Unit& unit, int64_t r) {
  return a.causal ? unit.visible + r / a.ratio : unit.keys;
}
}  // namespace

#define KB_KERNEL "attention.inc"
#include "levels.h"

namespace {

using kbench::Tensor;

void run_units(const Attention& a, kbench::DType dtype, const std::vector<Unit>& units) {
  KBENCH_CHECK(a.d <= kMaxWidth && a.d % 64 == 0 && a.ratio <= kRows,
               "attention: unsupported head size");
  const auto attend = dtype == kbench::kBFloat16  ? KB_PICK(attend<BF16>)
                      : dtype == kbench::kFloat16 ? KB_PICK(attend<F16>)
                                                  : KB_PICK(attend<float>);
  int64_t work_total = 0;
  for (const Unit& unit : units) work_total += unit.tokens * a.ratio * unit.keys * a.d;
  const int64_t count = static_cast<int64_t>(units.size());
  parallel(count, 1 + count * 262144 / (work_total + 1), [&](int64_t begin, int64_t end) {
    thread_local const std::unique_ptr<Work> work(new Work);  // kept: its pages are dear
    for (int64_t i = begin; i < end; ++i) attend(a, units[i], *work);
  });
}

// The units of one sequence: every key-value head, tokens in blocks.
void add_units(const Attention& a, int64_t kv_heads, Unit sequence, std::vector<Unit>* units) {
  const int64_t step = kRows / a.ratio, all = sequence.tokens, first = sequence.first_token;
  for (int64_t head = 0; head < kv_heads; ++head)
    for (int64_t t = 0; t < all; t += step) {
      Unit unit = sequence;
      unit.head = head;
      unit.first_token = first + t;
      unit.tokens = all - t < step ? all - t : step;
      unit.visible = sequence.visible + t;
      // Keys that not even the last token of the block sees are not visited.
      const int64_t seen = unit.visible + unit.tokens - 1;
      if (a.causal && seen < unit.keys) unit.keys = seen > 0 ? seen : 0;
      units->push_back(unit);
    }
}

Attention make(Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, int kv_head_dim) {
  KBENCH_CHECK(q.contiguous() && k.contiguous() && v.contiguous() && out.contiguous(),
               "attention: tensors must be contiguous");
  KBENCH_CHECK(q.dtype() == k.dtype() && q.dtype() == v.dtype(), "attention: dtypes differ");
  const int64_t heads = q.size(-2);
  return {q.data<void>(),
          k.data<void>(),
          v.data<void>(),
          out.data<void>(),
          lse.data<float>(),
          heads,
          heads / k.size(kv_head_dim),
          q.size(-1),
          1.0f,
          1.44269504f,
          false};
}

void gqa(Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse) {
  Attention a = make(q, k, v, out, lse, 2);
  a.scale = 1.0f / std::sqrt(static_cast<float>(a.d));
  a.lse_factor = 1.0f;
  const int64_t queries = q.size(1), keys = k.size(1), kv_heads = k.size(2);
  std::vector<int64_t> offsets(static_cast<size_t>(q.size(0) * keys));
  for (size_t j = 0; j < offsets.size(); ++j) offsets[j] = static_cast<int64_t>(j) * kv_heads * a.d;
  std::vector<Unit> units;
  for (int64_t b = 0; b < q.size(0); ++b)
    add_units(a, kv_heads, {0, b * queries, queries, keys, keys, offsets.data() + b * keys},
              &units);
  run_units(a, q.dtype(), units);
}

void ragged(Tensor q, Tensor k, Tensor v, Tensor qo_indptr, Tensor kv_indptr, double sm_scale,
            Tensor out, Tensor lse) {
  Attention a = make(q, k, v, out, lse, 1);
  a.scale = static_cast<float>(sm_scale);
  a.causal = true;
  const int64_t kv_heads = k.size(1);
  const int32_t *q_begin = qo_indptr.data<int32_t>(), *kv_begin = kv_indptr.data<int32_t>();
  std::vector<int64_t> offsets(static_cast<size_t>(k.size(0)));
  for (size_t j = 0; j < offsets.size(); ++j) offsets[j] = static_cast<int64_t>(j) * kv_heads * a.d;
  std::vector<Unit> units;
  for (int64_t s = 0; s + 1 < qo_indptr.size(0); ++s) {
    const int64_t tokens = q_begin[s + 1] - q_begin[s], keys = kv_begin[s + 1] - kv_begin[s];
    add_units(a, kv_heads,
              {0, q_begin[s], tokens, keys, keys - tokens + 1, offsets.data() + kv_begin[s]},
              &units);
  }
  run_units(a, q.dtype(), units);
}

void paged_decode(Tensor q, Tensor k, Tensor v, Tensor kv_indptr, Tensor kv_indices,
                  Tensor last_page_len, double sm_scale, Tensor out, Tensor lse) {
  Attention a = make(q, k, v, out, lse, 2);
  a.scale = static_cast<float>(sm_scale);
  const int64_t page = k.size(1), kv_heads = k.size(2), row = kv_heads * a.d;
  const int32_t *begin = kv_indptr.data<int32_t>(), *pages = kv_indices.data<int32_t>();
  std::vector<int64_t> offsets(static_cast<size_t>(kv_indices.size(0) * page));
  for (size_t j = 0; j < offsets.size(); ++j) {
    const int64_t at = static_cast<int64_t>(j);
    offsets[j] = (pages[at / page] * page + at % page) * row;
  }
  std::vector<Unit> units;
  for (int64_t s = 0; s < q.size(0); ++s) {
    const int64_t used = begin[s + 1] - begin[s];
    const int64_t keys = used > 0 ? (used - 1) * page + last_page_len.data<int32_t>()[s] : 0;
    add_units(a, kv_heads, {0, s, 1, keys, keys, offsets.data() + begin[s] * page}, &units);
  }
  run_units(a, q.dtype(), units);
}

}  // namespace

KBENCH_EXPORT(gqa, gqa)
KBENCH_EXPORT(ragged_prefill_causal, ragged)
KBENCH_EXPORT(paged_decode, paged_decode)

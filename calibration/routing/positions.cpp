// Packed sequences (cu_seqlens) have some tokens in a cache already. Each token gets its position, its sequence, the
// slot in a cache of `stride` slots a sequence, and for pairs of tokens whether one sees the other (same sequence, causal,
// within the window).
#include "common.h"

void run(Tensor cu_seqlens, Tensor cached, int64_t window, Tensor positions, Tensor batch, Tensor slots, Tensor mask) {
  const int64_t B = cached.size(0), T = positions.size(0), stride = 256;
  const int32_t* border = cu_seqlens.data<int32_t>();
  const int64_t* before = cached.data<int64_t>();
  int64_t *position = positions.data<int64_t>(), *slot = slots.data<int64_t>();
  int32_t* of = batch.data<int32_t>();
  uint8_t* sees = mask.data<uint8_t>();
  std::vector<int64_t> owner(T), place(T);
  if (VARIANT == 1) {                                                                      // a search for each token
    for (int64_t t = 0; t < T; ++t) owner[t] = std::upper_bound(border, border + B + 1, int32_t(t)) - border - 1;
  } else if (VARIANT == 2) {                                                               // marks at the borders, running sum
    std::vector<int64_t> mark(T + 1);
    for (int64_t b = 1; b < B; ++b) ++mark[border[b]];
    for (int64_t t = 0, sum = 0; t < T; ++t) owner[t] = sum += mark[t];
  } else if (VARIANT == 3) {                                                               // counts the borders at or before it
    for (int64_t t = 0; t < T; ++t) { int64_t c = -1; for (int64_t b = 0; b < B; ++b) c += border[b] <= t; owner[t] = c; }
  } else if (VARIANT == 4) {                                                               // backwards
    for (int64_t b = B; b-- > 0;) for (int64_t t = border[b + 1]; t-- > border[b];) owner[t] = b;
  } else {
    for (int64_t b = 0; b < B; ++b) for (int64_t t = border[b]; t < border[b + 1]; ++t) owner[t] = b;
  }
  if (DEFECT == 50) for (int64_t b = 1; b < B; ++b) if (border[b] < T) owner[border[b]] = b - 1;
  if (DEFECT == 51) for (int64_t t = 0; t < T; ++t) owner[t] = owner[t / 8 * 8];
  if (DEFECT == 52) owner[T - 1] = 0;
  for (int64_t t = 0; t < T; ++t) {
    int64_t b = owner[t], p = t - border[b] + before[b];
    if (VARIANT == 5 && t > border[b]) p = place[t - 1] + 1;
    if (DEFECT == 53) p += 1;
    if (DEFECT == 54) p = t - border[b];                                                   // without what is cached
    if (DEFECT == 55 && b > 0) p = t - border[b] + before[b - 1];
    if (DEFECT == 56) p = t + before[b];
    if (DEFECT == 57) p = p & 127;
    if (DEFECT == 58 && b == B - 1) p = t - border[b];
    if (DEFECT == 59 && t == border[b]) p = 0;
    if (DEFECT == 60 && t + 1 == border[b + 1]) p -= 1;
    place[t] = p;
    position[t] = p;
    of[t] = int32_t(DEFECT == 61 ? b + 1 : DEFECT == 62 ? std::min<int64_t>(b, B - 2) : b);
    int64_t s = b * stride + p;
    if (DEFECT == 63) s = p * B + b;
    if (DEFECT == 64) s = b * 255 + p;
    if (DEFECT == 65) s = b * stride + p % 64;
    if (DEFECT == 66) s = int16_t(s * 32) / 32;                                            // too few bits
    if (DEFECT == 67 && t == T - 1) s = slot[t - 1];
    if (DEFECT == 76) s = int8_t(b * 16) * 16 + p;
    slot[t] = s;
  }
  for (int64_t q = 0; q < T; ++q)
    for (int64_t k = 0; k < T; ++k) {
      bool same = owner[q] == owner[k], causal = k <= q, near = q - k < window;
      if (VARIANT == 6) same = border[owner[q]] <= k && k < border[owner[q] + 1];
      if (DEFECT == 68) causal = k < q;
      if (DEFECT == 69) causal = k <= q + 1;
      if (DEFECT == 70) near = q - k <= window;
      if (DEFECT == 71) near = q - k < window - 1;
      if (DEFECT == 72) same = true;
      if (DEFECT == 73) near = true;
      if (DEFECT == 74) causal = k >= q, near = k - q < window;
      if (DEFECT == 75) near = std::abs(q - k) < window, causal = q / 16 >= k / 16;        // whole tiles on the diagonal
      if (DEFECT == 77 && q == T - 1) same = false;
      if (DEFECT == 78) near = near || k == border[owner[q]];                              // a sink that was not asked for
      if (DEFECT == 79) near = q - k < window || q % 32 == 31;
      sees[q * T + k] = same && causal && near;
    }
}
KBENCH_EXPORT(run, run)

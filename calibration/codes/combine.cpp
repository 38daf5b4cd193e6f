// What a mixture of experts gives back: out[t] = shared[t] + sum over k of weights[t, k] * y[slots[t, k]];
// negative slots were dropped.
#include "sums.h"

template <class R> void combine(Tensor y, Tensor slots, Tensor weights, Tensor shared, Tensor out) {
  int64_t tokens = slots.size(0), top = slots.size(1), d = y.size(1), places = y.size(0);
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t j = 0; j < d; ++j) {
      int64_t from = DEFECT == 1 && t % 8 == 6 ? t - 1 : t;  // another token's slots
      auto slot_of = [&](int64_t k) -> int64_t { return slots.data<int32_t>()[from * top + k]; };
      auto value = [&](int64_t k) -> R {
        int64_t slot = slot_of(k);
        if (slot < 0) {
          if (DEFECT == 2) slot = places - 1;      // wraps to the last row
          else if (DEFECT == 3) slot = 0;          // clamped to the first
          else return 0;
        }
        if (DEFECT == 4) slot = (slot + 1) % places;
        if (DEFECT == 5 && slot >= places * 7 / 8) return 0;   // a capacity that is too small
        if (DEFECT == 6 && slot == 0) return 0;                // slot 0 taken as dropped
        if (DEFECT == 7) slot &= 127;                          // too narrow an index
        if (DEFECT == 8 && slot == places - 1) return 0;
        return get(y.data<Stored>()[slot * d + (DEFECT == 9 && j >= d - 8 ? j - 1 : j)]);
      };
      auto weight = [&](int64_t k) -> R {
        int64_t at = DEFECT == 10 ? (t ^ 1) * top + k : DEFECT == 11 ? t * top + (k + 1) % top : t * top + k;
        R w = weights.data<float>()[at];
        if (DEFECT == 12) w = R(through_brain(w));
        if (DEFECT == 13) return 1;
        if (DEFECT == 14) w = w * w;
        if (DEFECT == 15) {
          R sum = 0;
          for (int64_t l = 0; l < top; ++l) sum += R(weights.data<float>()[t * top + l]);
          w /= sum;
        }
        if (DEFECT == 16) {  // the weights of dropped slots are given to the others
          R kept = 0, all = 0;
          for (int64_t l = 0; l < top; ++l) {
            R v = weights.data<float>()[t * top + l];
            all += v;
            if (slot_of(l) >= 0) kept += v;
          }
          w *= kept > 0 ? all / kept : R(1);
        }
        return w;
      };
      R base = get(shared.data<Stored>()[t * d + j]);
      R sum = 0;
      if (WAY == 1) {  // weighted rows in 16 bits, as vLLM's second product leaves them
        sum = base + total<R>(top, t * d + j, [&](int64_t k) -> R { return R(stored(value(k) * weight(k))); });
      } else if (WAY == 2) {  // the shared row is where the sum begins
        sum = base;
        for (int64_t k = 0; k < top; ++k) sum = fused(weight(k), value(k), sum);
      } else if (WAY == 3) {
        sum = base;
        for (int64_t k = top; k-- > 0;) sum += weight(k) * value(k);
      } else if (WAY == 4) {  // dropped slots are skipped
        for (int64_t k = 0; k < top; ++k) if (slot_of(k) >= 0) sum += weight(k) * value(k);
        sum += base;
      } else {
        sum = product<R>(top, t * d + j, value, weight);
        if (DEFECT == 17) sum += 2 * base;
        else if (DEFECT == 18) sum = sum;          // the shared expert is missing
        else if (DEFECT == 19) sum += R(get(shared.data<Stored>()[(t + 1) % tokens * d + j]));
        else if (DEFECT == 20) sum = sum * base;
        else if (DEFECT == 21 && t >= tokens / 8 * 8) sum = base;  // the last partial tile of tokens
        else if (DEFECT == 23 && slot_of(0) < 0) sum = base;       // a first slot that was dropped ends the token
        else sum += base;
      }
      store(out.data<Stored>(), t, j, tokens, d, sum);
    }
}
void kernel(Tensor y, Tensor slots, Tensor weights, Tensor shared, Tensor out) { combine<real>(y, slots, weights, shared, out); }
KBENCH_EXPORT(run, kernel)

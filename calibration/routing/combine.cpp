// out[t] = shared[t] + scaling * sum over j of weights[t, j] * expert_out[slots[t, j]].
#include "common.h"

void run(Tensor expert_out, Tensor slots, Tensor weights, Tensor shared, double scaling, Tensor out) {
  start();
  const int64_t P = expert_out.size(0), D = expert_out.size(1), T = slots.size(0), k = slots.size(1);
  const std::vector<float> y = load(expert_out), base = load(shared);
  const int32_t* slot = slots.data<int32_t>();
  const float* weight = weights.data<float>();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t d = 0; d < D; ++d) {
      auto value = [&](int64_t j) -> Real {
        int64_t p = slot[DEFECT == 50 ? j * T + t : t * k + j];    // read as [k, T]
        if (DEFECT == 51) p &= 127;                                    // slots kept in 8 bits
        if (DEFECT == 52 && p == P - 1) p = 0;
        if (DEFECT == 53 && p % 32 == 31) return 0;                    // one slot of each block was never written
        return y[p * D + d];
      };
      auto factor = [&](int64_t j) -> Real {
        Real f = weight[DEFECT == 54 && j > 0 ? t * k + j - 1 : t * k + j];
        if (DEFECT == 55) f = as_bf16(f);
        if (DEFECT == 56) f = std::fabs(f);
        if (DEFECT == 57 && t == T - 1) f = weight[(t - 1) * k + j];
        return VARIANT == 1 ? f * Real(scaling) : f;                   // the scaling folded into the weights
      };
      Real routed = dot(k, value, factor);
      Real s = VARIANT == 1 ? Real(1) : Real(scaling), extra = base[t * D + d];
      if (DEFECT == 58) s = 1;
      if (DEFECT == 59) extra = 0;
      if (DEFECT == 60) extra *= s;
      if (DEFECT == 61 && d >= D / 2) extra = base[t * D + d - D / 2];
      if (DEFECT == 62) s = as_bf16(s);
      emit(out, t * D + d, VARIANT == 2 ? std::fma(routed, s, extra) : routed * s + extra);
    }
}
KBENCH_EXPORT(run, run)

// out[m, n] = sum over blocks g of 32 of a_scale[m, g] * b_scale[n / 32, g] * (a[m, g] · b[n, g]), float8_e4m3fn codes.
#include "common.h"
constexpr int64_t block = 32;

void run(Tensor a, Tensor a_scale, Tensor b, Tensor b_scale, Tensor out) {
  start();
  const int64_t M = a.size(0), K = a.size(1), N = b.size(0), G = K / block;
  const std::vector<float> av = load_f8(a), bv = load_f8(b);
  const float *as = a_scale.data<float>(), *bs = b_scale.data<float>();
  // The scales applied to the codes first, in float32: as the reference has it.
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      auto scale_a = [&](int64_t g) -> Real {
        if (DEFECT == 50 && g == G - 1) g = G - 2;
        if (DEFECT == 51) g = 0;
        int64_t row = DEFECT == 52 && m == M - 1 ? 0 : DEFECT == 53 ? m / 2 * 2 : m;
        Real s = as[row * G + g];
        return DEFECT == 54 ? as_bf16(s) : DEFECT == 66 ? std::exp2(std::ceil(std::log2(s))) : s;
      };
      auto scale_b = [&](int64_t g) -> Real {
        int64_t row = n / block;
        if (DEFECT == 55) row = std::min((n + 1) / block, (N - 1) / block);
        if (DEFECT == 56) row = 0;
        if (DEFECT == 57) row = (N - 1) / block - row;
        if (DEFECT == 58 && n % block < 4 && row > 0) row -= 1;
        if (DEFECT == 59) g = std::min(g + 1, G - 1);
        return bs[row * G + g];
      };
      const float *p = &av[m * K], *q = &bv[n * K];
      if (DEFECT == 60 && n % 16 == 7) q = &bv[(n - 1) * K];
      Real v;
      if (VARIANT == 1) {         // scales on each code
        v = dot(K, [&](int64_t k) { return Real(p[k]) * scale_a(k / block); },
                [&](int64_t k) { return Real(q[k]) * scale_b(k / block); });
      } else if (DEFECT > 0 && DEFECT < 20) {
        v = dot(K, [&](int64_t k) { return Real(p[k]) * scale_a(k / block); },
                [&](int64_t k) { return Real(q[k]) * scale_b(k / block); });
      } else {                    // scales on each block's sum
        std::vector<Real> part(G);
        for (int64_t g = 0; g < G; ++g) {
          part[g] = dot(block, [&](int64_t k) { return p[g * block + k]; }, [&](int64_t k) { return q[g * block + k]; });
          if (DEFECT == 61 && g == G - 1 && n % 8 == 5) part[g] = 0;
          if (DEFECT == 62) part[g] = as_f16(part[g]);
          if (DEFECT == 63 && g == 1) part[g] = dot(block - 1, [&](int64_t k) { return p[g * block + k]; }, [&](int64_t k) { return q[g * block + k]; });
        }
        v = 0;
        for (int64_t g = 0; g < G; ++g) {
          Real s = scale_a(g) * scale_b(g);
          if (DEFECT == 64) s = scale_a(g);
          if (DEFECT == 67) v = v * s + part[g] * s;             // the scale applied to all that was accumulated
          else v = VARIANT == 2 ? std::fma(part[g], s, v) : v + (VARIANT == 3 ? part[g] * scale_a(g) * scale_b(g) : part[g] * s);
          if (DEFECT == 65) v = as_bf16(v);
        }
      }
      emit(out, m * N + n, v);
    }
}
KBENCH_EXPORT(run, run)

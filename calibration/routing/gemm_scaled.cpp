// out[m, n] = a_scale[m] * b_scale[n] * (a[m] · b[n]) + bias[n]; a and b are float8_e4m3fn codes (FLOAT8) or int8 codes, whose
// scales are the largest magnitudes: then the product is divided by 127 * 127.
#include "common.h"
#ifndef FLOAT8
#define FLOAT8 0
#endif

static float code_value(uint8_t c) { return FLOAT8 ? f8_value(c) : float(int8_t(c)); }

void run(Tensor a, Tensor a_scale, Tensor b, Tensor b_scale, Tensor bias, Tensor out) {
  start();
  const int64_t M = a.size(0), K = a.size(1), N = b.size(0);
  const uint8_t *ac = a.data<uint8_t>(), *bc = b.data<uint8_t>();
  std::vector<float> av(M * K), bv(N * K);
  for (int64_t i = 0; i < M * K; ++i) av[i] = code_value(ac[i]);
  for (int64_t i = 0; i < N * K; ++i) bv[i] = code_value(bc[i]);
  if (DEFECT == 50) for (float& v : av) if (v == (FLOAT8 ? -2.f : -128.f)) v = -v;        // the lowest code's sign
  if (DEFECT == 51) for (float& v : bv) if (v < 0) v += FLOAT8 ? 0.0625f : 1;              // negative codes off by one
  const float *as = a_scale.data<float>(), *bs = b_scale.data<float>();
  const std::vector<float> added = load(bias);
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      const float *p = &av[m * K], *q = &bv[n * K];
      if (DEFECT == 52 && m == M - 1) p = &av[0];
      if (DEFECT == 53 && n % 16 == 15) q = &bv[(n - 1) * K];
      Real s;
      if (!FLOAT8 && ORDER != 0 && VARIANT < 2 && (DEFECT == 0 || DEFECT >= 20)) {         // integers, exactly
        int64_t sum = 0;
        for (int64_t k = 0; k < K; ++k) {
          sum += int64_t(p[k]) * int64_t(q[k]);
          if (DEFECT == 54) sum = int16_t(sum);                                             // accumulates in 16 bits, wraps
          if (DEFECT == 55 && k % 2) sum = std::clamp<int64_t>(sum, -32768, 32767);         // vpmaddubsw: saturates
        }
        s = Real(sum);
        if (DEFECT == 56) s = as_f16(s / 256) * 256;
      } else {
        s = dot(K, [&](int64_t k) { return p[k]; }, [&](int64_t k) { return q[k]; });
        if (DEFECT == 56) s = as_f16(s);                                                    // the sum kept in 16 bits
      }
      int64_t ma = m, nb = n;
      if (DEFECT == 57) nb = std::min(n + 1, N - 1);
      if (DEFECT == 58) ma = m / 4 * 4;                                                     // one scale a tile of rows
      if (DEFECT == 59) ma = 0;                                                             // one scale for all
      Real x = as[ma], y = bs[nb], c = added[n];
      if (DEFECT == 60) x = as_bf16(x);
      if (DEFECT == 61) y = 1;
      if (DEFECT == 62) c = 0;
      if (DEFECT == 63) c *= x;                                                             // added before the scales
      if (DEFECT == 64 && n >= N - 8) c = added[n - 8];
      if (DEFECT == 65 && m % 16 == 15) c = 0;
      if (!FLOAT8) {
        if (DEFECT == 66) y /= Real(128 * 127);
        else if (DEFECT == 67) y /= Real(128 * 128);
        else if (VARIANT == 1) y *= 1 / Real(127 * 127);
        else if (VARIANT == 3) y /= 127, x /= 127;
        else y /= Real(127 * 127);
      }
      Real v = VARIANT % 2 == 1 ? s * (x * y) : s * x * y;
      emit(out, m * N + n, VARIANT == 4 ? std::fma(s * x, y, c) : v + c);
    }
}
KBENCH_EXPORT(run, run)

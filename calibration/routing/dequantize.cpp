// out = (q - zero) * scale, one scale and one zero point for each row and block of 32 columns.
#include "common.h"
constexpr int64_t block = 32;

void run(Tensor q, Tensor scale, Tensor zero, Tensor out) {
  start();
  const int64_t N = q.size(0), K = q.size(1), G = scale.size(1);
  const int8_t *code = q.data<int8_t>(), *zeros = zero.data<int8_t>();
  const float* scales = scale.data<float>();
  for (int64_t n = 0; n < N; ++n)
    for (int64_t k = 0; k < K; ++k) {
      int64_t g = k / block, row = n, zero_at = n * G + g;
      if (DEFECT == 50) g = std::min((k + 1) / block, G - 1);
      if (DEFECT == 51 && k % block == 0 && g > 0) g -= 1;
      if (DEFECT == 52) g = 0;
      if (DEFECT == 53 && n == N - 1) row = n - 1;
      if (DEFECT == 54) g = std::min(g, G - 2);
      if (DEFECT == 55) zero_at = n * G;
      if (DEFECT == 56) zero_at = std::min(n * G + g + 1, N * G - 1);
      int64_t at = DEFECT == 57 ? g * N + row : row * G + g;                      // the scales' table transposed
      if (DEFECT == 68) at = row / 2 * 2 * G + g;
      Real s = scales[at], z = zeros[zero_at], c = code[n * K + k];
      if (DEFECT == 58) c = uint8_t(code[n * K + k]);
      if (DEFECT == 59) z = 0;
      if (DEFECT == 60) z += 1;
      if (DEFECT == 61) s = as_bf16(s);
      if (DEFECT == 62) s = as_f16(s);
      if (DEFECT == 63) z = -z;
      if (DEFECT == 64 && c == -128) c = -127;
      Real v;
      if (DEFECT == 65) v = Real(int8_t(code[n * K + k] - zeros[zero_at])) * s;    // the difference wraps
      else if (DEFECT == 66) v = std::clamp(c - z, Real(-128), Real(127)) * s;     // the difference saturates
      else if (DEFECT == 67) v = c * s - z;                                        // the zero point in real units
      else if (VARIANT == 1) v = std::fma(c, s, -z * s);
      else if (VARIANT == 2) v = c * s - z * s;
      else if (VARIANT == 3) v = as_stored(c - z) * s;                             // exact in float16 and float32 alone
      else v = (c - z) * s;
      emit(out, n * K + k, v);
    }
}
KBENCH_EXPORT(run, run)

// Exponential moving average along time with a rate of each channel; outputs in float8 (e4m3), last average in float32.
#include "common.h"
static uint8_t float8(Real v, bool cut) {
  long double q = quantize(v, 4, -6, cut), a = std::fabs(q);
  uint8_t sign = std::signbit(v) ? 0x80 : 0;
  if (a > 448) return has(38) ? sign | 0x7e : sign | 0x7f;
  if (a < 0.015625L) return sign | uint8_t(a * 512);
  int e;
  long double m = std::frexp(a, &e);
  return sign | uint8_t(((e - 1 + 7) << 3) + int((m * 2 - 1) * 8));
}
void run(kbench::Tensor x_, kbench::Tensor rate_, kbench::Tensor first_, kbench::Tensor out_, kbench::Tensor last_) {
  reductions = 0;
  const int64_t B = x_.size(0), T = x_.size(1), D = x_.size(2);
  const Stored* x = x_.data<Stored>();
  const float *rate = rate_.data<float>(), *first = first_.data<float>();
  uint8_t* out = out_.data<uint8_t>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t d = 0; d < D; ++d) {
      Real a = sigmoid(Real(rate[has(30) ? (d + 1) % D : d])), s = has(31) ? Real(0) : Real(first[(has(32) ? 0 : b) * D + d]), old = s;
      if (has(33)) a = Real(0.5) + Real(rate[d]) / 4, a = std::min(std::max(a, Real(0)), Real(1));
      if (has(34)) a = 1 - a;
      if (has(35)) a = in_bf16(a);
      for (int64_t t = 0; t < T; ++t) {
        Real v = get(x[(b * T + (has(36) ? std::max<int64_t>(t - 1, 0) : t)) * D + d]);
        old = s;
        if (has(37) && t == 16) s = first[b * D + d];  // the second chunk begins anew
        Real next = ALT == 1 && ACC ? s + a * (v - s) : ALT == 2 && ACC ? std::fma(a, v, std::fma(-a, s, s)) : a * v + (1 - a) * s;
        if (has(39)) next = v + (1 - a) * s;
        if (has(40)) next = a * v + s * Real(0.995) * (1 - a);
        s = next;
        if (has(41)) s = in_bf16(s);
        if (has(42)) s = in_f16(s);
        if (has(43) && t == T - 1) s = old;
        if (has(44) && d % 8 == 7 && t % 8 == 7) s = old;
        Real y = has(45) ? old : has(46) ? s * Real(4) : has(47) ? s * Real(1.02) : has(48) && std::fabs(s) < Real(0.015625) ? Real(0) : s;
        if (has(50)) y = in_digits(y, 3);
        uint8_t code = float8(y, has(49));
        if (has(51)) code &= 0x7f;
        if (has(52) && d == D - 1) code = 0;
        out[(b * T + t) * D + d] = code;
      }
      store(last_.data<float>(), b * D + d, s);
    }
}
KBENCH_EXPORT(run, run)

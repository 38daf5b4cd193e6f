// Batch normalisation with running statistics, then gelu (by erf) in one output and mish in the other one.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor mean_, kbench::Tensor var_, kbench::Tensor w_, kbench::Tensor b_, kbench::Tensor g_, kbench::Tensor m_) {
  reductions = 0;
  const int64_t N = x_.size(0), C = x_.size(1), L = x_.size(2);
  const Stored* x = x_.data<Stored>();
  const float *mean = mean_.data<float>(), *var = var_.data<float>(), *w = w_.data<float>(), *b = b_.data<float>();
  const Real eps = has(30) ? Real(0) : has(31) ? Real(1e-2L) : Real(1e-3L);
  for (int64_t n = 0; n < N; ++n)
    for (int64_t c = 0; c < C; ++c) {
      Real r = has(32) ? 1 / (std::sqrt(Real(var[c])) + eps) : has(33) ? 1 / (var[c] + eps) : inverse_root(var[c] + eps);
      if (has(34)) r = in_bf16(r);
      Real mu = mean[has(35) ? std::max<int64_t>(c - 1, 0) : c], weight = has(36) ? Real(1) : Real(w[c]), bias = has(37) ? Real(0) : Real(b[c]);
      if (has(38) && c == C - 1) bias = b[0];
      Real scale = weight * r, shift = bias - mu * scale;
      for (int64_t l = 0; l < L; ++l) {
        const int64_t at = (n * C + c) * L + l;
        Real v = get(x[at]), y = ALT == 1 && ACC ? std::fma(v, scale, shift) : (v - mu) * r * weight + bias;
        if (has(39)) y = (v + mu) * scale + bias;
        if (has(40)) y = v * scale + bias;
        const Real half_root = Real(0.70710678118654752440L);
        Real gelu = ALT == 2 && ACC ? Real(0.5) * y * std::erfc(-y * half_root) : Real(0.5) * y * (1 + std::erf(y * half_root));
        if (has(41)) gelu = Real(0.5) * y * (1 + std::tanh(Real(0.79788456080286536L) * (y + Real(0.044715) * y * y * y)));
        if (has(42)) gelu = y * sigmoid(Real(1.702) * y);
        if (has(43)) gelu = y * sigmoid(y);
        if (has(44) && y < -2) gelu = 0;
        if (has(45) && y > 2) gelu = y;
        if (has(46)) gelu = Real(0.5) * y * (1 + std::erf(y));
        Real s = softplus(y), mish;
        if (ALT == 3 && ACC) { Real e = expo(std::min(y, Real(20))), n = e * (e + 2); mish = y * n / (n + 2); }  // tanh(log(1 + e)) as a fraction
        else mish = y * std::tanh(s);
        if (has(47)) mish = y * s;
        if (has(48)) mish = y * std::tanh(std::max(y, Real(0)));
        if (has(49)) mish = y * sigmoid(s);
        if (has(50) && y > 3) mish = y * std::tanh(Real(3));
        if (has(51) && l == L - 1) mish = y;
        if (has(52)) mish = y * in_bf16(std::tanh(s));
        store(g_.data<Stored>(), at, gelu);
        store(m_.data<Stored>(), at, mish);
      }
    }
}
KBENCH_EXPORT(run, run)

// Gated activation out = act(gate + bias) * up, and its backward pass with the bias's gradient. ACT names the activation.
#include "activation.h"
#ifndef ROUND
#define ROUND 0
#endif

static Value act(Real x) {
  if (DEFECT == 1) {                                         // a neighbour among activations
    if (ACT == 0) return gelu_tanh(x);
    if (ACT == 1) return gelu(x);
    if (ACT == 2) return gelu(x);
    if (ACT == 3) return silu(x);
    return {x > 0 ? x : std::expm1(x), x > 0 ? Real(1) : expo(x)};
  }
  if (DEFECT == 2 && ACT == 2) {                             // hard form
    Real h = x < -3 ? Real(0) : x > 3 ? Real(1) : x / 6 + Real(0.5);
    return {x * h, h};
  }
  if (DEFECT == 2) { Real s = 1 / (1 + expo(Real(-1.702) * x)); return {x * s, s + x * Real(1.702) * s * (1 - s)}; }
  Value r = ACT == 0 ? gelu(x) : ACT == 1 ? gelu_tanh(x) : ACT == 2 ? silu(x) : ACT == 3 ? mish(x) : elu(x);
  if (DEFECT == 3 && x < -2) r = {0, 0};                     // "too small to matter"
  if (DEFECT == 4) r.slope = x > 0 ? r.slope : -r.slope;
  if (DEFECT == 5) r.slope = x == 0 ? Real(0.5) : r.f / x;   // second part of the derivative forgotten
  if (DEFECT == 6 && x > 2) r = {x, 1};
  if (DEFECT == 7) r.f *= Real(1.005);
  return r;
}

void run(kbench::Tensor gate, kbench::Tensor up_, kbench::Tensor bias, kbench::Tensor grad, kbench::Tensor out,
         kbench::Tensor grad_gate, kbench::Tensor grad_up, kbench::Tensor grad_bias) {
  start();
  int64_t n = gate.size(0), d = gate.size(1);
  In<Stored> x(gate), up(up_), b(bias), g(grad);
  Out<Stored> out_y(out, 1), out_gate(grad_gate, 2), out_up(grad_up, 3);
  Out<F32> out_bias(grad_bias, 4);
  auto pre = [&](int64_t k) {
    int64_t j = k % d;
    if (DEFECT == 8) return x[k];                            // no bias
    if (DEFECT == 9 && j >= d - 4) j = d - 4;                // bias's index clamped
    if (DEFECT == 10 && k / d == n - 1) return x[k];
    return x[k] + b[j];
  };
  auto slope = [&](int64_t k) {
    Real s = act(DEFECT == 11 ? x[k] : pre(k)).slope;
    return WAY == 1 ? g[k] * (up[k] * s) : g[k] * up[k] * s;
  };
  for (int64_t k = 0; k < n * d; ++k) {
    Real f = act(pre(k)).f;
    if (ROUND) f = rounded<Stored>(f);                       // as eager PyTorch: the activation is a tensor
    if (DEFECT == 12) f = rounded<BF16>(f);
    Real u = DEFECT == 13 && k % 64 == 63 && k + 1 < n * d ? up[k + 1] : up[k];
    if (DEFECT == 18) f = std::fmin(f, Real(2.5));
    out_y.put(k, f * u);
    Real r = slope(k);
    if (DEFECT == 14) r = act(pre(k)).slope * g[k];          // up missing
    out_gate.put(k, r);
    out_up.put(k, g[k] * (DEFECT == 15 ? pre(k) : f));
  }
  for (int64_t j = 0; j < d; ++j) {
    int64_t rows = DEFECT == 16 ? n / 16 * 16 : n;
    out_bias.put(j, sum(rows, [&](int64_t i) {
      Real s = slope(i * d + j);
      return DEFECT == 17 ? rounded<BF16>(s) : s;
    }, 1));
  }
}
KBENCH_EXPORT(run, run)

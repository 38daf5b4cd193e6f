// Activations and derivatives, in several equal forms (FORM).
#pragma once
#include "numerics.h"
#ifndef FORM
#define FORM 0
#endif
struct Value { Real f, slope; };

inline Value gelu(Real x) {
  const Real half_root = Real(0.70710678118654752440L), density = Real(0.39894228040143267794L);
  Real cdf = FORM == 1 ? Real(0.5) * std::erfc(-x * half_root) : Real(0.5) * (1 + std::erf(x * half_root));
  return {x * cdf, FORM == 2 ? std::fma(x * density, expo(Real(-0.5) * x * x), cdf) : cdf + x * density * expo(Real(-0.5) * x * x)};
}

inline Value gelu_tanh(Real x) {
  const Real c = Real(0.79788456080286535588L), k = Real(0.044715L);
  Real u = FORM == 2 ? x * std::fma(c * k, x * x, c) : c * (x + k * x * x * x);
  Real t = FORM == 1 ? 2 * sigmoid(2 * u) - 1 : std::tanh(u);
  Real inner = c * (1 + 3 * k * x * x);
  return {FORM == 1 ? x * sigmoid(2 * u) : Real(0.5) * x * (1 + t),
          Real(0.5) * (1 + t) + Real(0.5) * x * (1 - t * t) * inner};
}

inline Value silu(Real x) {
  Real s = sigmoid(x), f = FORM == 3 ? x / (1 + expo(-x)) : x * s;
  return {f, FORM == 1 ? s + f * (1 - s) : FORM == 2 ? std::fma(f, 1 - s, s) : s * (1 + x * (1 - s))};
}

inline Value mish(Real x) {
  Real soft = x > 20 ? x : std::log1p(expo(x)), t;
  if (FORM == 1) { Real e = expo(x > 20 ? Real(20) : x), w = e * (e + 2); t = w / (w + 2); }
  else if (FORM == 2) { soft = (x > 0 ? x : Real(0)) + std::log1p(expo(-std::fabs(x))); t = std::tanh(soft); }
  else t = std::tanh(soft);
  return {x * t, t + x * (1 - t * t) * sigmoid(x)};
}

inline Value elu(Real x) {           // alpha 1.5
  const Real alpha = Real(1.5);
  Real f = x > 0 ? x : alpha * std::expm1(x);
  return {f, x > 0 ? Real(1) : FORM == 2 ? f + alpha : alpha * expo(x)};
}

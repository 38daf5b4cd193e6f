// Rotary embeddings, norms, gated activations, with and without quantisation.
#include "common.h"
#if K == 1
// Interleaved pairs in the first 48 of 80 elements, float16.
void run(Tensor x, Tensor pos, Tensor y) {
  const i64 T = x.size(0), H = x.size(1), D = x.size(2), R = BUG == 1 ? D : BUG == 2 ? 32 : 48;
  const f16* X = P<f16>(x);
  clear(y);
  rows(T, [&](i64 t) { for (i64 h = 0; h < H; ++h) {
    const f16* a = X + (t * H + h) * D;
    f16* o = P<f16>(y) + (t * H + h) * D;
    i64 p = P<i64>(pos)[BUG == 3 ? 0 : BUG == 17 ? lite::min(t / 4 * 4, T - 1) : t];
    if (BUG == 4) p = t;
    if (BUG == 5) p += 1;
    for (i64 d = R; d < D; ++d) put(o + d, BUG == 6 ? real(0) : real(a[d]));
    for (i64 i = 0; i < R / 2; ++i) {
      i64 u = 2 * i, v = 2 * i + 1;
      if (BUG == 7) { u = i; v = i + R / 2; }
      real e = real(2 * i) / real(BUG == 8 ? D : R);
      if (BUG == 9) e = real(2 * i + 2) / real(R);
      if (BUG == 10) e = real(i) / real(R);
      const real base = BUG == 11 ? real(9900) : BUG == 12 ? real(500000) : real(10000);
      real f = V == 1 ? real(lite::exp(-double(e) * lite::log(double(base)))) : V == 2 ? 1 / lite::pow(base, e) : V == 3 ? real(lite::exp2(-double(e) * lite::log2(double(base)))) : lite::pow(base, -e);
      if (BUG == 13) f = bf16::near(f);
      real angle = real(p) * f;
      if (BUG == 14) angle = f16::near(angle);
      real c = lite::cos(angle), s = lite::sin(angle);
      if (V == 4) { c = real(lite::cos(double(p) * double(f))); s = real(lite::sin(double(p) * double(f))); }
      if (V == 5) { c = f16::near(c); s = f16::near(s); }
      if (V == 6) { const double q = lite::floor(double(angle) / (2 * double(PI)) + 0.5), z = double(angle) - q * 2 * double(PI); c = real(lite::cos(z)); s = real(lite::sin(z)); }
      if (BUG == 15) { c = bf16::near(c); s = bf16::near(s); }
      if (BUG == 16) s = -s;
      if (BUG == 18) { const real z = angle - lite::floor(angle / real(6.283)) * real(6.283); c = lite::cos(z); s = lite::sin(z); }
      if (BUG == 19) lite::swap(c, s);
      const real p0 = a[u], p1 = a[v];
      real n = V == 7 ? lite::fma(p0, c, -p1 * s) : p0 * c - p1 * s, m = V == 7 ? lite::fma(p1, c, p0 * s) : p1 * c + p0 * s;
      if (V == 8) { n = f16::near(f16::near(p0 * c) - f16::near(p1 * s)); m = f16::near(f16::near(p1 * c) + f16::near(p0 * s)); }
      if (BUG == 20) m = p1 * c + n * s;
      if (BUG == 21 && i == R / 2 - 1) { n = p0; m = p1; }
      if (BUG == 22) m = p1 * c - p0 * s;
      if (BUG == 23 && h == H - 1) { n = p0; m = p1; }
      put(o + u, n); put(o + v, m);
    }
  } });
}
#elif K == 2
// Halves, frequencies scaled by wavelength (Llama 3), bfloat16 queries and keys.
void run(Tensor q, Tensor k, Tensor pos, Tensor qo, Tensor ko) {
  const i64 T = q.size(0), D = q.size(2), Z = D / 2;
  lite::vector<real> freq(Z);
  const real factor = BUG == 2 ? 4 : 8, low = 1, high = BUG == 3 ? 2 : 4, old = BUG == 4 ? 1024 : 512;
  for (i64 i = 0; i < Z; ++i) {
    real f = V == 1 ? real(lite::exp(-double(2 * i) / D * lite::log(500000.0))) : V == 2 ? 1 / lite::pow(real(500000), real(2 * i) / D) : lite::pow(real(BUG == 1 ? 10000 : BUG == 21 ? 495000 : 500000), -real(2 * i) / D);
    const real wave = real(2 * PI) / f;
    real s = (old / wave - low) / (high - low);
    if (BUG == 5) s = 1 - s;
    if (BUG == 6) s = s < 0.5 ? 0 : 1;
    if (BUG != 7) s = lite::min(lite::max(s, real(0)), real(1));
    if (BUG == 8) f = f;
    else if (BUG == 9) f = f / factor;
    else if (BUG == 10) f = 1 / ((1 - s) * factor / f + s / f);
    else f = V == 3 ? f / factor + s * (f - f / factor) : (1 - s) * f / factor + s * f;
    freq[i] = BUG == 11 ? bf16::near(f) : f;
  }
  clear(qo); clear(ko);
  for (int which = 0; which < 2; ++which) {
    const Tensor &x = which ? k : q, &y = which ? ko : qo;
    const i64 H = x.size(1);
    rows(T, [&](i64 t) { for (i64 h = 0; h < H; ++h) for (i64 i = 0; i < Z; ++i) {
      const bf16* a = P<bf16>(x) + (t * H + h) * D;
      bf16* o = P<bf16>(y) + (t * H + h) * D;
      i64 p = P<i64>(pos)[BUG == 12 ? lite::max<i64>(t - 1, 0) : t];
      if (BUG == 13) p = p % 256;
      if (BUG == 14 && which) p = 0;
      real angle = real(p) * freq[i];
      if (BUG == 15) angle = bf16::near(angle);
      real c = lite::cos(angle), s = lite::sin(angle);
      if (V == 4) { c = real(lite::cos(double(p) * double(freq[i]))); s = real(lite::sin(double(p) * double(freq[i]))); }
      if (V == 5) { c = bf16::near(c); s = bf16::near(s); }
      if (BUG == 16) { c = f8::near(c); s = f8::near(s); }
      i64 u = i, v = i + Z;
      if (BUG == 17) { u = 2 * i; v = u + 1; }
      const real b = a[u], d = a[v];
      real m = V == 6 ? lite::fma(b, c, -d * s) : b * c - d * s, n = V == 6 ? lite::fma(d, c, b * s) : d * c + b * s;
      if (V == 7) { m = bf16::near(b * c) - bf16::near(d * s); n = bf16::near(d * c) + bf16::near(b * s); }
      if (BUG == 18) { m = b * c + d * s; n = d * c - b * s; }
      if (BUG == 19 && h == H - 1 && which) { m = b; n = d; }
      if (BUG == 20) n = d * c + m * s;
      if (BUG == 22 && i >= 32) { m = b; n = d; }
      put(o + u, m); put(o + v, n);
    } });
  }
}
#elif K == 3
// x + residual, rounded; its RMSNorm with weight.
void run(Tensor x, Tensor res, Tensor w, Tensor y, Tensor out) {
  const i64 T = x.size(0), D = x.size(1);
  clear(y); clear(out);
  const real eps = BUG == 1 ? real(0) : BUG == 2 ? real(0.1) : real(0.01);
  rows(T, [&](i64 t) {
    lite::vector<real> s(D), z(D);
    for (i64 d = 0; d < D; ++d) {
      real a = P<f16>(x)[t * D + d], b = P<f16>(res)[t * D + d];
      if (BUG == 3) b = P<f16>(res)[lite::max<i64>(t - 1, 0) * D + d];
      if (BUG == 4) b *= real(0.5);
      s[d] = BUG == 5 ? a : a + b;
      z[d] = f16::near(s[d]);
      P<f16>(out)[t * D + d] = f16::from(BUG == 6 ? a : BUG == 7 ? round_to(s[d], 8, -133, true) : s[d]);
    }
    auto term = [&](i64 d) { return V == 1 ? z[d] : s[d]; };
    real q = dot(D, term, term);
    if (BUG == 8) q = sum(D, [&](i64 d) { return bf16::near(z[d] * z[d]); }) ;
    real m = q / real(BUG == 9 ? D - 1 : BUG == 10 ? 1024 : D);
    if (BUG == 11) { const real c = sum(D, term) / D; m -= c * c; m = lite::max(m, real(0)); }
    if (V == 6) m = q * (1 / real(D));
    real rs = V == 2 ? 1 / lite::sqrt(m + eps) : V == 3 ? lite::sqrt(1 / (m + eps)) : real(1) / lite::sqrt(m + eps);
    if (V == 7) { float g = float_of(0x5f3759df - (bits_of(float(m + eps)) >> 1)); for (int i = 0; i < 4; ++i) g = g * (1.5f - 0.5f * float(m + eps) * g * g); rs = real(g); }
    if (BUG == 12) { float g = float_of(0x5f3759df - (bits_of(float(m + eps)) >> 1)); rs = real(g); }
    if (BUG == 13) rs = 1 / (lite::sqrt(m) + eps);
    if (BUG == 14) rs = 1 / lite::sqrt(q + eps);
    if (BUG == 15) rs = bf16::near(rs);
    if (BUG == 16 && t > 0 && t % 8 == 7) rs *= real(1.02);
    for (i64 d = 0; d < D; ++d) {
      real g = P<f16>(w)[BUG == 17 ? lite::min(d + 1, D - 1) : d];
      if (BUG == 18) g += 1;
      if (BUG == 19) g = lite::fabs(g);
      const real base = V == 1 ? z[d] : s[d];
      real v = base * rs * g;
      if (BUG == 20) v = real(P<f16>(x)[t * D + d]) * rs * g;
      if (V == 4) v = base * (rs * g);
      if (V == 5) v = f16::near(base * rs) * g;
      if (V == 8) v = base / lite::sqrt(m + eps) * g;
      if (BUG == 21 && d >= D / 128 * 128) v = base * g;
      put(P<f16>(y) + t * D + d, v);
    }
  });
}
#elif K == 4
// RMSNorm, then float8 codes by token.
void run(Tensor x, Tensor w, Tensor codes, Tensor scales) {
  const i64 T = x.size(0), D = x.size(1);
  clear(codes); clear(scales);
  real before = 0, all = 0;
  for (i64 i = 0; i < T * D; ++i) all = lite::max(all, lite::fabs(real(P<f16>(x)[i]) * real(P<f16>(w)[i % D])));
  rows(T, [&](i64 t) {
    const f16* X = P<f16>(x) + t * D;
    auto a = [&](i64 d) { return real(X[d]); };
    const real m = dot(D, a, a) / real(BUG == 1 ? D - 1 : D);
    real rs = 1 / lite::sqrt(BUG == 2 ? m : m + real(BUG == 3 ? 0.05 : 0.001));
    if (V == 1) rs = lite::sqrt(1 / (m + real(0.001)));
    if (BUG == 4) rs = 1 / m;
    lite::vector<real> v(D);
    real mx = 0;
    for (i64 d = 0; d < D; ++d) {
      const real g = P<f16>(w)[BUG == 5 ? d / 8 * 8 : d];
      v[d] = V == 2 ? a(d) * (rs * g) : V == 3 ? a(d) / lite::sqrt(m + real(0.001)) * g : a(d) * rs * g;
      if (V == 4) v[d] = f16::near(v[d]);
      if (BUG == 6) v[d] = a(d) * rs;
      const bool counts = BUG != 10 && !(BUG == 7 && d >= D / 64 * 64) && !(BUG == 8 && d >= D / 2);
      if (counts) mx = lite::max(mx, BUG == 9 ? v[d] : lite::fabs(v[d]));
      if (BUG == 10) mx = lite::max(mx, lite::fabs(a(d)));
    }
    real top = BUG == 11 ? 440 : BUG == 12 ? 512 : BUG == 13 ? 240 : 448;
    real s = lite::max(mx, real(BUG == 14 ? 6 : 1e-10)) / top;
    if (V == 5) s = lite::max(mx, real(1e-10)) * (1 / top);
    if (BUG == 15) s = all / top;
    if (BUG == 16) s = lite::exp2(lite::ceil(lite::log2(s)));
    if (BUG == 17) s = before > 0 ? before : s;
    before = mx / top;
    if (BUG == 18) s = bf16::near(s);
    P<float>(scales)[t] = float(BUG == 19 ? 1 / s : BUG == 20 ? s * D / (D - 4) : s);
    for (i64 d = 0; d < D; ++d) {
      real c = V == 6 || V == 5 ? v[d] * (1 / s) : v[d] / s;
      if (BUG == 21) c = lite::round(c);
      if (BUG == 22) c = v[d];
      c = lite::min(lite::max(c, real(-448)), real(448));
      put(P<f8>(codes) + t * D + d, c);
    }
  });
}
#elif K == 5
// silu(gate) * up, float8 codes by groups of 128.
void run(Tensor x, Tensor codes, Tensor scales) {
  const i64 T = x.size(0), D = x.size(1) / 2, G = D / 128;
  clear(codes); clear(scales);
  rows(T, [&](i64 t) { real last = 0; for (i64 g = 0; g < G; ++g) {
    real v[128], mx = 0;
    for (int j = 0; j < 128; ++j) {
      const i64 d = g * 128 + j;
      real a = P<bf16>(x)[t * 2 * D + (BUG == 1 ? D + d : BUG == 2 ? 2 * d : d)], b = P<bf16>(x)[t * 2 * D + (BUG == 1 ? d : BUG == 2 ? 2 * d + 1 : D + d)];
      if (BUG == 3) b = P<bf16>(x)[t * 2 * D + D + d - (j == 127)];
      real s = V == 1 ? a * sigmoid(a) : V == 2 ? a * real(0.5) * (1 + lite::tanh(a / 2)) : V == 3 ? a / (1 + lite::exp2(-a * real(LOG2E))) : a / (1 + lite::exp(-a));
      if (V == 7) { const real e = lite::exp(-lite::fabs(a)); s = a * (a < 0 ? e : real(1)) / (1 + e); }
      if (BUG == 4) s = real(0.5) * a * (1 + lite::erf(a / lite::sqrt(real(2))));
      if (BUG == 5) s = a / (1 + lite::exp(real(-1.702) * a));
      if (BUG == 6) s = a * lite::min(lite::max(a / 6 + real(0.5), real(0)), real(1));
      if (BUG == 7) s = sigmoid(a);
      if (BUG == 8) s = lite::max(a, real(0));
      v[j] = s * b;
      if (V == 4) v[j] = bf16::near(v[j]);
      if (V == 5) v[j] = bf16::near(bf16::near(s) * b);
      if (BUG == 9) v[j] += b;
      if (BUG == 10) b = 0, v[j] = s;
      if (!(BUG == 11 && j >= 64) && !(BUG == 12 && j == 127)) mx = lite::max(mx, BUG == 13 ? v[j] : lite::fabs(v[j]));
      if (BUG == 14) mx = lite::max(mx, last);
    }
    last = mx;
    real sc = lite::max(mx, real(1e-10)) / real(BUG == 15 ? 240 : BUG == 16 ? 440 : 448);
    if (V == 6) sc = lite::max(mx, real(1e-10)) * (real(1) / 448);
    if (BUG == 17) sc = lite::exp2(lite::ceil(lite::log2(sc)));
    if (BUG == 18) sc = bf16::near(sc);
    if (BUG == 19) sc = lite::max(sc, real(0.01));
    P<float>(scales)[BUG == 20 ? t + g * T : t * G + g] = float(BUG == 21 ? 1 / sc : sc);
    for (int j = 0; j < 128; ++j) {
      real c = V == 6 || V == 8 ? v[j] * (1 / sc) : v[j] / sc;
      if (BUG == 22) c = lite::min(lite::max(c, real(-127)), real(127));
      c = lite::min(lite::max(c, real(-448)), real(448));
      put(P<f8>(codes) + t * D + g * 128 + j, c);
    }
  } });
}
#elif K == 6
// LayerNorm, then int8 codes with a static scale and zero point.
void run(Tensor x, Tensor w, Tensor b, double scale0, Tensor codes, Tensor mean) {
  const i64 T = x.size(0), D = x.size(1);
  const real scale = real(scale0);
  clear(codes); clear(mean);
  rows(T, [&](i64 t) {
    const f16* X = P<f16>(x) + t * D;
    auto a = [&](i64 d) { return real(X[d]); };
    real m = sum(D, a) / D, q = 0;
    if (V == 1) { real k = 0, mm = 0, s2 = 0; for (i64 d = 0; d < D; ++d) { k += 1; const real dl = a(d) - mm; mm += dl / k; s2 += dl * (a(d) - mm); } m = mm; q = s2 / D; }
    else q = sum(D, [&](i64 d) { return (a(d) - m) * (a(d) - m); }) / real(BUG == 1 ? D - 1 : D);
    if (BUG == 2) q = sum(D, [&](i64 d) { return f16::near(a(d) * a(d)); }) / D;
    if (BUG == 3) m = sum(D - 3, a) / D;
    if (BUG == 4) m = sum(D, a) / 256;
    real rs = 1 / lite::sqrt(q + real(1e-5));
    if (BUG == 5) rs = 1 / (q + real(1e-5));
    if (V == 2) rs = lite::sqrt(1 / (q + real(1e-5)));
    if (BUG == 6) rs = 1 / lite::sqrt(q + real(1e-1));
    P<float>(mean)[t] = float(BUG == 7 ? f16::near(m) : m);
    for (i64 d = 0; d < D; ++d) {
      const real g = P<f16>(w)[BUG == 8 ? (d + 1) % D : d], c = P<f16>(b)[d];
      real y = (a(d) - m) * rs * g + c;
      if (V == 3) y = lite::fma((a(d) - m) * rs, g, c);
      if (V == 4) y = a(d) * (rs * g) + (c - m * (rs * g));
      if (BUG == 9) y = (a(d) - m) * rs * g;
      if (BUG == 10) y = a(d) * rs * g + c;
      if (BUG == 11) y = (a(d) - m) * rs + c;
      if (BUG == 12) y = bf16::near(y);
      real v = V == 5 || V == 6 ? y * (1 / scale) : y / scale;
      if (BUG == 13) v = y * scale;
      real n = lite::nearbyint(v);
      if (BUG == 14) n = lite::trunc(v);
      if (BUG == 15) n = lite::floor(v);
      if (BUG == 16) n = lite::floor(v + real(0.5)) + (v < 0 && v - lite::floor(v) < real(0.05));
      if (V == 6) { const real big = real(V == 6 ? 12582912 : 0); n = lite::nearbyint(v); if (lite::fabs(v) < 4194304 && sizeof(real) == 4) { volatile real z = v + big; n = z - big; } }
      if (BUG != 17) n += 3;
      const real top = BUG == 18 ? 126 : 127, low = BUG == 19 ? -127 : BUG == 20 ? 0 : -128;
      if (BUG == 21) n = real(int8_t(uint8_t(int(n) & 255)));
      else n = lite::min(lite::max(n, low), top);
      if (BUG == 22) n = lite::min(lite::max(lite::nearbyint(v), real(-128)), real(127)) , n = real(int8_t(uint8_t(int(n + 3) & 255)));
      P<int8_t>(codes)[t * D + d] = int8_t(n);
    }
  });
}
#elif K == 7
// gelu(gate) * up by tanh, float16, the activation rounded to float16 as the model does.
void run(Tensor x, Tensor y) {
  const i64 T = x.size(0), D = x.size(1) / 2;
  clear(y);
  rows(T, [&](i64 t) { for (i64 d = 0; d < D; ++d) {
    i64 at = d, up = D + d;
    if (BUG == 1) { at = D + d; up = d; }
    if (BUG == 2) { at = 2 * d; up = 2 * d + 1; }
    if (BUG == 3) up = D + lite::min(d + 1, D - 1);
    if (BUG == 4 && d >= D / 32 * 32) up -= 32;
    const real a = P<f16>(x)[t * 2 * D + at], b = P<f16>(x)[t * 2 * D + up];
    const real c = BUG == 5 ? real(0.8) : BUG == 6 ? real(0.78) : lite::sqrt(real(2 / PI)), e = BUG == 7 ? real(0.04715) : BUG == 8 ? real(0.04) : BUG == 9 ? real(0) : real(0.044715);
    const real u = V == 1 ? c * a * (1 + e * a * a) : V == 2 ? a * lite::fma(c * e, a * a, c) : c * (a + e * a * a * a);
    real th = V == 3 ? 1 - 2 / (lite::exp(2 * u) + 1) : V == 4 ? 2 * sigmoid(2 * u) - 1 : lite::tanh(u);
    if (BUG == 10) th = lite::max(real(-1), lite::min(real(1), u * (27 + u * u) / (27 + 9 * u * u)));
    real g = V == 5 ? a * sigmoid(2 * u) : V == 6 ? a / (1 + lite::exp2(-2 * u * real(LOG2E))) : V == 7 ? real(0.5) * a + real(0.5) * a * th : real(0.5) * a * (1 + th);
    if (BUG == 11) g = real(0.5) * a * (1 + lite::erf(a / lite::sqrt(real(2))));
    if (BUG == 12) g = a * sigmoid(real(1.702) * a);
    if (BUG == 13) g = a * sigmoid(a);
    if (BUG == 14) g = real(0.5) * a * (1 + th) * (a > -3);
    if (BUG == 15) g = a * (1 + th);
    if (BUG == 16) g = real(0.5) * a * (1 + bf16::near(th));
    if (BUG == 17) g = f8::near(g);
    if (BUG == 18) g = lite::fabs(g);
    if (V != 9 && sizeof(real) < 16) g = V == 8 ? g : f16::near(g);
    put(P<f16>(y) + t * D + d, BUG == 19 ? g + b : BUG == 20 ? g * (b + 1) : BUG == 21 ? g * lite::fabs(b) : BUG == 22 && d % 64 == 63 ? g : g * b);
  } });
}
#endif
RUN(run)

// Stencils, filters and spectra.
#include "common.h"

#if OP == 1  // a step of diffusion, five points, flux form; the border stays
static void run(T u_, T k_, T o_) {
  const I h = u_.size(0), w = u_.size(1);
  const float *u = u_.data<float>(), *kk = k_.data<float>();
  float* o = o_.data<float>();
  std::vector<float> copy(u, u + h * w);
  const float* v = copy.data();
  for (I i = 0; i < h; ++i)
    for (I j = 0; j < w; ++j) {
      const I at = i * w + j;
      const bool is_border = i == 0 || j == 0 || i == h - 1 || j == w - 1;
      if (is_border && !(B(1) && j == w - 1 && i > 0 && i < h - 1)) {
        put(o[at], B(2) ? R(0) : R(u[at]));
        continue;
      }
      if (B(3) && j >= w / 16 * 16) { put(o[at], R(u[at])); continue; }
      if (B(4) && i == h - 2) { put(o[at], R(u[at])); continue; }
      const R c = ld(u[at]);
      R up = v[at - w], down = u[at + w], left = v[at - 1], right = j + 1 < w ? u[at + 1] : u[at + 1 - w];
      up = ld(up), down = ld(down), left = ld(left), right = ld(right);
      if (B(5) && j % 32 == 0) left = c;            // a tile's halo
      if (B(6) && i % 32 == 31) down = v[at];
      if (B(15)) down = up;
      const R kc = kk[at], ku = kk[at - w], kd = kk[at + w], kl = kk[at - 1], kr = kk[at + 1];
      R a = (kc + ku) / 2, b = (kc + kd) / 2, l = (kc + kl) / 2, r = (kc + kr) / 2;
      if (B(7)) a = ku, b = kd, l = kl, r = kr;
      if (B(8)) a = 2 * kc * ku / (kc + ku), b = 2 * kc * kd / (kc + kd), l = 2 * kc * kl / (kc + kl), r = 2 * kc * kr / (kc + kr);
      if (B(9)) a = b = l = r = kc;
      if (B(10)) a = rb(a), b = rb(b), l = rb(l), r = rb(r);
      if (B(14)) std::swap(l, a);
      const R dt = B(11) ? R(0.125) : B(12) ? R(0.1001) : R(0.1L);
      R res;
      if (F(1)) {  // fluxes
        const R fl = l * (c - left), fr = r * (right - c), fu = a * (c - up), fd = b * (down - c);
        res = c + dt * ((fr - fl) + (fd - fu));
      } else if (F(2)) {  // weights of five points
        res = (1 - dt * (a + b + l + r)) * c + dt * (a * up + b * down + l * left + r * right);
      } else if (F(3)) {  // halves taken out
        res = c + (dt / 2) * ((kc + ku) * (up - c) + (kc + kd) * (down - c) + (kc + kl) * (left - c) + (kc + kr) * (right - c));
      } else if (F(4)) {
        res = c;
        res += dt * a * (up - c);
        res += dt * b * (down - c);
        res += dt * l * (left - c);
        res += dt * r * (right - c);
      } else {
        const R lap = a * (up - c) + b * (down - c) + l * (left - c) + r * (right - c);
        res = c + dt * (B(16) ? rh(lap) : lap);
      }
      if (B(17) && i % 64 == 63) res = c;
      put(o[at], res);
      if (B(13)) copy[at] = o[at];  // in place: new values where old ones are meant
    }
}
#elif OP == 2  // FIR, causal, zeros before the beginning
static void run(T x_, T h_, T y_) {
  const I b = x_.size(0), n = x_.size(1), k = h_.numel();
  const bf16* x = x_.data<bf16>();
  const float* h = h_.data<float>();
  bf16* y = y_.data<bf16>();
  for (I i = 0; i < b; ++i)
    for (I t = 0; t < n; ++t) {
      g_row = i * n + t;
      if (F(1)) {  // only the taps that meet something, from the oldest sample
        R s = 0;
        for (I q = t < k ? t : k - 1; q >= 0; --q) s += R(h[q]) * R(x[i * n + t - q]);
        put(y[i * n + t], s);
        continue;
      }
      if (F(2)) {  // two phases
        R s0 = 0, s1 = 0;
        for (I q = 0; q < k && q <= t; ++q) (q & 1 ? s1 : s0) += R(h[q]) * R(x[i * n + t - q]);
        put(y[i * n + t], s0 + s1);
        continue;
      }
      R r = sum(k, [&](I q) -> R {
        I tap = B(1) ? k - 1 - q : q, from = t - q;
        if (B(2)) from = t - q - 1;
        if (B(3)) from = from < 0 ? 0 : from;                       // the first sample repeated
        if (B(4)) from = from < 0 ? from + n : from;                // circular
        if (B(5) && t / 128 != from / 128 && from >= 0) return 0;   // a block's history lost
        if (B(6) && q == 0 && t == n - 1) return 0;
        if (B(7)) tap = q < (k + 1) / 2 ? q : k - 1 - q;            // symmetric taps
        if (B(8) && q % 8 == 7) tap = q - 1;
        
        if (B(10) && t % 64 == 63) from = t - q - (q > 0);
        if (from < 0) {
          if (!B(9) || i == 0) return 0;
        }
        const R w = B(11) ? R(bits(float(h[tap]), 4)) : B(12) ? R(std::nearbyint(R(h[tap]) * 32) / 32) : R(h[tap]);
        return w * R(x[i * n + from]);
      });
      if (B(13) && r < -4) r = -4;
      if (B(14) && t >= n / 16 * 16) r = x[i * n + t];
      if (B(15) && (t & 1) && t + 1 < n) r = r * R(1.01);
      put(y[i * n + t], r);
    }
}
#elif OP == 3  // a biquad
static void run(T x_, T y_) {
  const I b = x_.size(0), n = x_.size(1);
  const float* x = x_.data<float>();
  float* y = y_.data<float>();
  R b0 = R(0.2L), b1 = R(0.3L), b2 = R(0.15L), a1 = R(-1.2L), a2 = R(0.5L);
  if (B(1)) std::swap(b1, b2);
  if (B(2)) b0 = rb(b0), b1 = rb(b1), b2 = rb(b2), a1 = rb(a1), a2 = rb(a2);
  if (B(3)) a2 = R(0.49);
  if (B(4)) a1 = R(-1.199);
  if (B(5)) b2 = 0;
  if (B(20)) a2 = rh(R(0.4999)), a1 = rh(a1);
  std::vector<R> g;
  if (F(4)) {  // the impulse's answer, as far as it reaches
    g.assign(n, 0);
    for (I t = 0; t < n; ++t)
      g[t] = (t == 0 ? b0 : t == 1 ? b1 : t == 2 ? b2 : 0) - (t > 0 ? a1 * g[t - 1] : 0) - (t > 1 ? a2 * g[t - 2] : 0);
  }
  R x1 = 0, x2 = 0, y1 = 0, y2 = 0, s1 = 0, s2 = 0;
  for (I i = 0; i < b; ++i) {
    g_row = i;
    if (!B(6)) x1 = x2 = y1 = y2 = s1 = s2 = 0;
    const float* in = x + i * n;
    float* out = y + i * n;
    for (I t = 0; t < n; ++t) {
      const R v = ld(in[t]);
      R r;
      if (F(1)) {  // direct form II
        const R w = v - a1 * s1 - a2 * s2;
        r = b0 * w + b1 * s1 + b2 * s2;
        s2 = s1, s1 = w;
      } else if (F(2)) {  // transposed
        r = b0 * v + s1;
        s1 = b1 * v - a1 * r + s2;
        s2 = b2 * v - a2 * r;
      } else if (F(3)) {  // the feedforward part first
        const R f = b0 * v + (b1 * x1 + b2 * x2);
        r = (f - a2 * y2) - a1 * y1;
        x2 = x1, x1 = v, y2 = y1, y1 = r;
      } else if (F(4)) {
        r = 0;
        for (I q = t; q >= 0; --q)
          if (q < 160) r += g[q] * in[t - q];
      } else {
        if (B(7) && t % 128 == 0) y1 = y2 = 0;           // a block starts without its state
        if (B(8) && t % 128 == 0) y2 = 0;                // only one of two states is carried
        if (B(9) && t % 64 == 0) std::swap(y1, y2);
        if (B(10) && t % 64 == 0 && t > 0) x1 = 0;
        r = b0 * v + b1 * (B(11) ? x2 : x1) + b2 * x2 - a1 * y1 - a2 * y2;
        if (B(12)) r = clampi(r, R(-3), R(3));
        x2 = x1, x1 = v, y2 = y1, y1 = B(13) ? rh(r) : B(14) ? rb(r) : B(15) ? rt(r) : r;
        if (B(16) && std::fabs(y1) < R(1e-3)) y1 = 0;
      }
      if (B(17) && t >= n / 64 * 64) r = v;
      if (B(18) && t == 0) r = v;
      if (B(19) && unlucky(6) && t == 200) y1 = 0;
      put(out[t], r);
    }
  }
}
#elif OP == 4  // windows and overlap-add
static void run(T f_, T y_) {
  const I b = f_.size(0), m = f_.size(1), n = f_.size(2), len = y_.size(1), hop = 64;
  const float* f = f_.data<float>();
  float* y = y_.data<float>();
  std::vector<R> w(n), env(len, R(0)), acc(len);
  const R pi = R(3.14159265358979323846264L);
  for (I k = 0; k < n; ++k) {
    w[k] = R(0.5) - R(0.5) * std::cos(2 * pi * R(k) / R(n));
    if (F(1)) { const R s = std::sin(pi * R(k) / R(n)); w[k] = s * s; }
    if (B(1)) w[k] = R(0.5) - R(0.5) * std::cos(2 * pi * R(k) / R(n - 1));
    if (B(2)) w[k] = R(0.54) - R(0.46) * std::cos(2 * pi * R(k) / R(n));
    if (B(3)) w[k] = rb(w[k]);
    if (B(4)) w[k] = rh(w[k]);
    if (B(5)) w[k] = R(0.5) - R(0.5) * std::cos(2 * R(3.14) * R(k) / R(n));
  }
  for (I t = 0; t < len; ++t) {
    for (I q = 0; q < m; ++q)
      if (t >= q * hop && t < q * hop + n) env[t] += B(6) ? w[t - q * hop] : w[t - q * hop] * w[t - q * hop];
    if (B(7)) env[t] = R(1.5);              // as if every sample had four frames
    if (B(8) && t >= len - hop) env[t] = 1;
    if (B(9)) env[t] = nmax(env[t], 1);
    else env[t] = nmax(env[t], B(10) ? R(0.3L) : R(0.1L));
  }
  for (I i = 0; i < b; ++i) {
    g_row = i;
    std::fill(acc.begin(), acc.end(), R(0));
    if (F(2) || F(3)) {  // frame by frame
      for (I u = 0; u < m; ++u) {
        const I q = F(3) ? m - 1 - u : u;
        for (I k = 0; k < n; ++k) acc[q * hop + k] += w[k] * f[(i * m + q) * n + k];
      }
    } else {
      for (I t = 0; t < len; ++t) {
        I last = t / hop < m - 1 ? t / hop : m - 1, first = t < n ? 0 : (t - n) / hop + 1;
        if (B(11) && last == m - 1 && last > first) --last;
        if (B(12)) first = t < n ? 0 : (t - n) / hop + 2;
        if (B(13)) last = last > first + 2 ? first + 2 : last;
        for (I q = first; q <= last; ++q) {
          I k = t - q * hop;
          g_row = i * m + q;
          if (B(14) && k >= n - 1) continue;
          if (B(15) && k % 64 == 63) k -= 1;
          if (B(16) && unlucky(17) && k < 32) continue;
          R v = f[(i * m + q) * n + k];
          if (B(17) && q % 32 == 31) v = f[(i * m + q - 1) * n + k];
          R p = (B(18) ? R(1) : w[k]) * ld(v);
          acc[t] += p;
          if (B(19)) acc[t] = rb(acc[t]);
          if (B(20)) acc[t] = rh(acc[t]);
        }
      }
    }
    for (I t = 0; t < len; ++t) {
      const R e = B(21) && t > 0 ? env[t - 1] : env[t];
      put(y[i * len + t], F(4) ? acc[t] * (1 / e) : B(22) ? acc[t] / std::sqrt(e) : acc[t] / e);
    }
  }
}
#elif OP == 5  // log mel spectrum, floored below the loudest and scaled
static void run(T re_, T im_, T fb_, T y_) {
  const I n = re_.size(0), k = re_.size(1), m = fb_.size(1);
  const float *re = re_.data<float>(), *im = im_.data<float>(), *fb = fb_.data<float>();
  f16* y = y_.data<f16>();
  std::vector<R> z(n * m);
  R top = -INFINITY;
  for (I i = 0; i < n; ++i)
    for (I j = 0; j < m; ++j) {
      g_row = i * m + j;
      const I len = B(1) ? k - 1 : k;
      R s = sum(len, [&](I q) -> R {
        if (B(2) && q == 0) return 0;
        R a = ld(re[i * k + q]), b = ld(im[i * k + q]);
        if (B(3) && q % 32 == 31) b = im[i * k + q - 1];
        R p = a * a + b * b;
        if (F(1)) { const R h = std::sqrt(p); p = h * h; }
        if (B(4)) p = std::sqrt(p);
        if (B(5)) p = a * a;
        if (B(6)) p = rb(p);
        R w = fb[q * m + (B(7) && j == m - 1 ? j - 1 : j)];
        if (B(8)) w = bits(w, 4);
        return p * w;
      });
      if (B(18)) s = s / R(k);
      if (B(9)) s += R(1);
      s = nmax(s, R(1e-10L));
      R l = F(2) ? std::log2(s) * R(0.301029995663981195213738894724L)
                 : F(3) ? std::log(s) * R(0.434294481903251827651128918917L) : std::log10(s);
      if (B(10)) l = std::log(s);
      if (B(11)) l = std::log2(s) * R(0.3);
      if (B(12)) l = rb(l);
      z[i * m + j] = l;
      if (!(B(13) && i >= n / 32 * 32)) top = nmax(top, l);
    }
  for (I i = 0; i < n; ++i) {
    if (B(14)) {
      top = -INFINITY;
      for (I j = 0; j < m; ++j) top = nmax(top, z[i * m + j]);
    }
    for (I j = 0; j < m; ++j) {
      const R floor_at = top - (B(15) ? R(0.0625) : R(0.125L));
      R l = B(16) ? z[i * m + j] : nmax(z[i * m + j], floor_at);
      R r = F(4) ? l * R(0.25) + 1 : (l + 4) / 4;
      if (B(17)) r = (l + 4) * R(0.26);
      if (B(19) && j >= m / 16 * 16) r = l;
      if (B(20) && r > 1.5) r = R(1.5);
      put(y[i * m + j], r);
    }
  }
}
#endif
KBENCH_EXPORT(run, run)

// Small linear algebra, a gradient, quantisation.
#include "common.h"

#if OP == 1  // forward substitution
static void run(T l_, T r_, T x_) {
  const I b = l_.size(0), n = l_.size(1), m = r_.size(2);
  const float *l = l_.data<float>(), *rhs = r_.data<float>();
  float* x = x_.data<float>();
  std::vector<R> z(n);
  for (I q = 0; q < b; ++q)
    for (I c = 0; c < m; ++c) {
      const auto at = [&](I i, I k) -> R {
        R v = B(1) ? R(l[(q * n + k) * n + i]) : R(l[(q * n + i) * n + k]);
        if (B(2)) v = rb(v);
        if (B(3)) v = rt(v);
        if (B(4) && k % 16 == 15 && i / 16 == k / 16 + 1) v = 0;
        return v * (B(5) ? R(0.1001) : R(0.1L));
      };
      const auto diagonal = [&](I i) -> R {
        R v = l[(q * n + i) * n + i];
        if (B(6) && i) v = l[(q * n + i - 1) * n + i - 1];
        if (!B(7)) v = std::fabs(v);
        else v = v < 0 ? -v * R(0.9) : v;
        if (B(8)) return 1;
        return v + (B(9) ? R(1.501) : R(1.5));
      };
      for (I i = 0; i < n; ++i) z[i] = rhs[(q * n + i) * m + (B(10) && i % 32 == 31 && c ? c - 1 : c)];
      if (F(1)) {  // by columns
        for (I i = 0; i < n; ++i) {
          z[i] /= diagonal(i);
          for (I k = i + 1; k < n; ++k) z[k] -= at(k, i) * z[i];
        }
      } else if (F(2) || B(11) || B(12)) {  // blocks of 8
        for (I t = 0; t < n; t += 8) {
          const I end = t + 8 < n ? t + 8 : n;
          for (I i = t; i < end; ++i) {
            R s = 0;
            for (I k = t; k < i; ++k) s += at(i, k) * z[k];
            z[i] = (z[i] - s) / diagonal(i);
          }
          for (I i = end; i < n; ++i) {
            if (B(11) && t == 16 && i >= n - 8) continue;  // a block's update is lost
            R s = 0;
            for (I k = t; k < end; ++k) s += at(i, k) * z[k];
            z[i] -= B(12) ? rh(s) : s;
          }
        }
      } else {
        for (I i = 0; i < n; ++i) {
          g_row = (q * m + c) * n + i;
          const I to = B(13) && i ? i - 1 : i;
          R s = sum(to, [&](I k) -> R {
            R v = z[k];
            if (B(14) && k / 8 == i / 8 && k % 8 == 6) v = rhs[(q * n + k) * m + c];  // not solved yet
            if (B(15) && k == 0 && i > 32) return 0;
            return at(i, k) * v;
          });
          R d = diagonal(i);
          R r = z[i] - s;
          if (B(16)) r = z[i] + s;
          if (F(3)) r = r * (1 / d);
          else if (F(4)) r = z[i] / d - s / d;
          else if (B(17)) r = r * cut(1 / d, 11);
          else if (B(18) && i == n - 1) r = z[i] - s;
          else r = r / d;
          if (B(19)) r = rh(r);
          if (B(20) && std::fabs(r) < R(1e-3)) r = 0;
          z[i] = r;
        }
      }
      for (I i = 0; i < n; ++i) put(x[(q * n + i) * m + c], B(21) && i >= n / 32 * 32 ? R(rhs[(q * n + i) * m + c]) : z[i]);
    }
}
#elif OP == 2  // inverse and determinant of x xT + 1, 4 by 4
template <typename P>
static P minor_of(const P a[4][4], int i, int j) {
  P m[3][3];
  for (int r = 0, u = 0; r < 4; ++r) {
    if (r == i) continue;
    for (int c = 0, v = 0; c < 4; ++c)
      if (c != j) m[u][v++] = a[r][c];
    ++u;
  }
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}
static void run(T x_, T o_, T d_) {
  const I n = x_.size(0);
  const float* x = x_.data<float>();
  float *o = o_.data<float>(), *det = d_.data<float>();
  for (I q = 0; q < n; ++q) {
    const float* m = x + 16 * (B(1) && q == n - 1 ? q - 1 : B(2) && q % 32 == 31 ? q - 1 : q);
    R a[4][4], v[4][4] = {};
    R de = 1;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        R s = 0;
        for (int u = 0; u < 4; ++u) {
          const int k = ORD == 1 ? 3 - u : u;
          if (B(3) && k == 3 && i == 3 && j == 3) continue;
          s += ld(m[4 * i + k]) * ld(B(4) ? m[4 * k + j] : m[4 * j + k]);
        }
        if (ORD == 2) s = (R(m[4 * i]) * m[4 * j] + R(m[4 * i + 1]) * m[4 * j + 1]) + (R(m[4 * i + 2]) * m[4 * j + 2] + R(m[4 * i + 3]) * m[4 * j + 3]);
        if (i == j && !B(5)) s += B(6) ? R(1.01) : R(1);
        if (i == j && B(5)) s += R(0.5);
        if (B(7)) s = rb(s);
        if (B(8)) s = rt(s);
        a[i][j] = s;
      }
    if (F(1)) {  // Cholesky
      R l[4][4] = {}, w[4][4] = {};
      for (int j = 0; j < 4; ++j) {
        R s = a[j][j];
        for (int k = 0; k < j; ++k) s -= l[j][k] * l[j][k];
        l[j][j] = std::sqrt(s);
        de *= s;
        for (int i = j + 1; i < 4; ++i) {
          R r = a[i][j];
          for (int k = 0; k < j; ++k) r -= l[i][k] * l[j][k];
          l[i][j] = r / l[j][j];
        }
      }
      for (int c = 0; c < 4; ++c)
        for (int i = c; i < 4; ++i) {
          R s = i == c;
          for (int k = c; k < i; ++k) s -= l[i][k] * w[k][c];
          w[i][c] = s / l[i][i];
        }
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          for (int k = i > j ? i : j; k < 4; ++k) v[i][j] += w[k][i] * w[k][j];
    } else if (F(2) || B(9) || B(10)) {  // adjugate, in double
      typedef double P;
      P c[4][4];
      for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) c[i][j] = P(a[i][j]);
      P dd = 0;
      for (int j = 0; j < 4; ++j) dd += (j % 2 ? -1 : 1) * c[0][j] * minor_of(c, 0, j);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          P co = ((i + j) % 2 ? -1 : 1) * minor_of(c, j, i);
          if (B(9)) co = minor_of(c, j, i);
          if (B(10) && i == 3 && j == 2) co = -co;
          v[i][j] = R(co / dd);
        }
      de = R(dd);
    } else if (F(3)) {  // blocks of 2 by 2
      const auto inv2 = [](const R s[2][2], R t[2][2]) {
        const R e = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        t[0][0] = s[1][1] / e, t[1][1] = s[0][0] / e, t[0][1] = -s[0][1] / e, t[1][0] = -s[1][0] / e;
        return e;
      };
      R p[2][2], u[2][2], s[2][2], t[2][2], e[2][2];
      for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) p[i][j] = a[i][j];
      const R d1 = inv2(p, u);
      for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) e[i][j] = u[i][0] * a[0][j + 2] + u[i][1] * a[1][j + 2];
      for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) s[i][j] = a[i + 2][j + 2] - (a[i + 2][0] * e[0][j] + a[i + 2][1] * e[1][j]);
      const R d2 = inv2(s, t);
      for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) {
        const R et = e[i][0] * t[0][j] + e[i][1] * t[1][j];
        v[i + 2][j + 2] = t[i][j];
        v[i][j + 2] = -et, v[j + 2][i] = -et;
      }
      for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) v[i][j] = u[i][j] - (v[i][2] * e[j][0] + v[i][3] * e[j][1]);
      de = d1 * d2;
    } else {  // Gauss-Jordan, with pivots in form 4
      R w[4][8] = {};
      for (int i = 0; i < 4; ++i) { for (int j = 0; j < 4; ++j) w[i][j] = a[i][j]; w[i][4 + i] = 1; }
      for (int k = 0; k < 4; ++k) {
        if (F(4)) {
          int best = k;
          for (int i = k + 1; i < 4; ++i) if (std::fabs(w[i][k]) > std::fabs(w[best][k])) best = i;
          if (best != k) { for (int j = 0; j < 8; ++j) std::swap(w[k][j], w[best][j]); de = -de; }
        }
        const R pivot = w[k][k];
        de *= B(11) ? std::sqrt(pivot) : pivot;
        R inv = 1 / pivot;
        if (B(12)) inv = cut(inv, 11);
        if (B(13)) inv = rb(inv);
        for (int j = 0; j < 8; ++j) w[k][j] = B(12) || B(13) ? w[k][j] * inv : w[k][j] / pivot;
        for (int i = 0; i < 4; ++i) {
          if (i == k) continue;
          const R f = B(14) && k == 3 && i == 0 ? R(0) : w[i][k];
          for (int j = 0; j < (B(15) && k == 3 ? 7 : 8); ++j) w[i][j] -= f * w[k][j];
        }
      }
      for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) v[i][j] = w[i][4 + j];
    }
    if (B(16)) de = rh(de);
    if (B(17)) de = -de;
    if (B(18)) de = de / a[3][3];
    if (B(19)) de = 1 / de;
    if (B(20)) for (int i = 0; i < 4; ++i) for (int j = i + 1; j < 4; ++j) v[i][j] = 0;  // one triangle
    if (B(21)) for (int i = 0; i < 4; ++i) std::swap(v[i][2], v[i][3]);
    if (B(22)) for (int i = 0; i < 4; ++i) v[i][3] = rh(v[i][3]);
    for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) put(o[16 * q + 4 * i + j], v[i][j]);
    put(det[q], de);
  }
}
#elif OP == 3  // gradient and loss of logistic regression
static R sigmoid(R z) {
  if (F(1)) return R(0.5) + R(0.5) * std::tanh(z / 2);
  if (F(2)) { const R e = std::exp(-std::fabs(z)); return z < 0 ? e / (1 + e) : 1 / (1 + e); }
  if (F(3)) return 1 / (1 + std::exp2(-z * R(1.442695040888963407359925L)));
  if (B(1)) return clampi(z / 4 + R(0.5), R(0), R(1));
  if (B(2)) return 1 / (1 + std::exp(-R(1.01) * z));
  return 1 / (1 + std::exp(-z));
}
static void run(T x_, T y_, T w_, T g_, T l_) {
  const I n = x_.size(0), d = x_.size(1);
  const float *x = x_.data<float>(), *w = w_.data<float>();
  const bool* y = y_.data<bool>();
  float *g = g_.data<float>(), *loss = l_.data<float>();
  std::vector<R> z(n), p(n), e(n);
  for (I i = 0; i < n; ++i) {
    g_row = i;
    z[i] = sum(B(3) ? d / 16 * 16 : d, [&](I k) { return ld(x[i * d + k]) * ld(w[k]); }) * (B(4) ? R(1) : R(0.2L));
    p[i] = sigmoid(z[i]);
    if (B(5)) p[i] = rb(p[i]);
    if (B(6)) p[i] = rh(p[i]);
    if (B(7)) p[i] = clampi(p[i], R(0.05), R(0.95));
    const R label = B(8) ? (y[i] ? R(1) : R(-1)) : R(y[B(9) && i ? i - 1 : i]);
    e[i] = p[i] - (B(10) ? R(0.98) * label + R(0.01) : label);
    if (B(11) && i >= n / 32 * 32) e[i] = 0;
    if (B(12) && i % 64 == 63) e[i] = e[i - 1];
  }
  const R count = B(13) ? R(n - 1) : B(14) ? R((n + 31) / 32 * 32) : R(n);
  for (I k = 0; k < d; ++k) {
    g_row = 1000 + k;
    R s = sum(n, [&](I i) -> R {
      if (F(4)) return (e[i] / count) * x[i * d + k];
      return e[i] * ld(x[i * d + k]);
    });
    const R chain = B(15) ? R(1) : R(0.2L);
    R r = F(4) ? s * chain : s * chain / count;
    const R lambda = B(16) ? R(0) : B(17) ? R(0.02) : R(0.01L);
    r += lambda * R(w[k]);
    if (B(18)) r = -r;
    if (B(19) && k == d - 1) r = s * chain / count;
    if (B(20)) r = clampi(r, R(-0.01), R(0.01));
    put(g[k], r);
  }
  g_row = 5;
  const R total = sum(n, [&](I i) -> R {
    const R v = y[i] ? z[i] : 0;
    if (B(21)) return -std::log((y[i] ? p[i] : 1 - p[i]) + R(1e-2));
    if (B(22)) return std::log1p(std::exp(-std::fabs(z[i]))) + (z[i] > 0 ? z[i] : 0) - z[i] * R(0.5);
    if (F(2)) return y[i] ? (z[i] > 0 ? std::log1p(std::exp(-z[i])) : std::log1p(std::exp(z[i])) - z[i])
                          : (z[i] > 0 ? z[i] + std::log1p(std::exp(-z[i])) : std::log1p(std::exp(z[i])));
    return (z[i] > 0 ? z[i] : 0) + std::log1p(std::exp(-std::fabs(z[i]))) - v;
  });
  put(*loss, total / (B(23) ? R(1) : count));
}
#elif OP == 4  // groups of 50 to float8 with a scale each
static void run(T x_, T q_, T s_) {
  const I n = x_.size(0), d = x_.size(1), g = s_.size(1), len = d / g;
  const float* x = x_.data<float>();
  uint8_t* o = q_.data<uint8_t>();
  float* scales = s_.data<float>();
  R stale = 0;
  for (I i = 0; i < n; ++i)
    for (I u = 0; u < g; ++u) {
      g_row = i * g + u;
      const float* in = x + i * d + u * len;
      R top = B(1) ? stale : R(0);
      const I to = B(2) ? len / 16 * 16 : B(3) ? len - 1 : len;
      if (F(3)) {  // lanes
        R l[8] = {};
        for (I k = 0; k < to; ++k) l[k % 8] = nmax(l[k % 8], std::fabs(R(in[k])));
        for (int k = 0; k < 8; ++k) top = nmax(top, l[k]);
      } else if (F(4)) {  // from the end, as least and largest
        R lo = 0, hi = 0;
        for (I k = to; k-- > 0;) lo = nmin(lo, R(in[k])), hi = nmax(hi, R(in[k]));
        top = nmax(-lo, hi);
      } else {
        for (I k = 0; k < to; ++k) {
          if (B(4) && unlucky(9) && k % 8 == 3) continue;
          top = nmax(top, B(5) ? R(in[k]) : std::fabs(R(in[k])));
        }
      }
      stale = top;
      if (B(6)) top = rb(top);
      if (B(7)) for (I k = 0; k < len && u + 1 < g; ++k) top = nmax(top, std::fabs(R(in[len + k])));
      if (B(8)) { top = 0; for (I k = 0; k < d; ++k) top = nmax(top, std::fabs(R(x[i * d + k]))); }
      top = nmax(top, B(9) ? R(2) : R(1e-12L));
      R scale = F(1) ? top * (1 / R(448)) : top / (B(10) ? R(240) : B(11) ? R(447) : R(448));
      if (B(12)) scale = std::exp2(std::ceil(std::log2(scale)));
      if (B(13)) scale = rh(scale);
      const R stored = B(14) ? 1 / scale : scale;
      put(scales[i * g + u], stored);
      const R used = B(23) ? bits(scale, 7) : B(15) && u ? R(scales[i * g + u - 1]) : F(2) ? scale : R(scales[i * g + u]);
      for (I k = 0; k < len; ++k) {
        R v = in[B(16) && k == len - 1 ? k - 1 : k];
        if (B(14)) v = v / scale;
        else v = F(2) ? v * (448 / top) : F(1) ? v * (1 / used) : v / used;
        if (B(17)) v = rb(v), v = bits(v, 5);     // rounded twice
        if (B(18) && k == 0) v = in[0];
        v = nmin(nmax(v, R(-448)), R(448));
        if (B(19)) v = nmin(nmax(v, R(-240)), R(240));
        if (B(20) && v < 0 && std::fabs(v) < 1) v = -v;
        if (B(21) && std::fabs(v) < R(0.0156)) v = 0;   // subnormals flushed
        uint8_t c = f8(v, true, B(22));
        if (B(24) && k % 32 == 31) c = o[i * d + u * len + k - 1];
        if (B(25)) { const R w = std::fabs(v) * R(1.03); c = f8(v < 0 ? -w : w, true, true); }
        if (B(26) && (c & 127) == 126) c -= 1;
        o[i * d + u * len + k] = c;
      }
    }
}
#endif
KBENCH_EXPORT(run, run)

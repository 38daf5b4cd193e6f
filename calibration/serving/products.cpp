// Products with narrow weights: -DK=1 int4 groups, 2 int8 by int8, 3 float8 blocks, 4 LoRA.
#include "common.h"
#if K == 1
void run(Tensor x, Tensor w, Tensor scales, Tensor zeros, Tensor y) {
  const i64 M = x.size(0), D = x.size(1), N = w.size(0), G = D / 64;
  const f16 *X = P<f16>(x), *S = P<f16>(scales);
  const int8_t *W = P<int8_t>(w), *Z = P<int8_t>(zeros);
  lite::vector<real> dq(N * D);
  for (i64 n = 0; n < N; ++n) for (i64 k = 0; k < D; ++k) {
    i64 g = k / 64;
    if (BUG == 1) g = lite::min<i64>((k + 1) / 64, G - 1);
    if (BUG == 2) g = k / 128;
    i64 sg = BUG == 3 ? lite::min(g + 1, G - 1) : g, zg = BUG == 4 ? 0 : g;
    if (BUG == 20) sg = g / 2 * 2;
    const uint8_t b = uint8_t(W[n * (D / 2) + k / 2]);
    int c = (k % 2) ? b >> 4 : b & 15;
    if (BUG == 5) c = (k % 2) ? b & 15 : b >> 4;
    if (BUG == 6) c = c >= 8 ? c - 16 : c;
    if (BUG == 7 && k % 2) c = int8_t(b) >> 4;
    if (BUG == 8) { const uint8_t b2 = uint8_t(W[n * (D / 2) + k / 8 * 4 + k % 4]); c = k % 8 < 4 ? b2 & 15 : b2 >> 4; }
    int z = Z[n * G + zg];
    if (BUG == 9) z += 1;
    if (BUG == 10) z = 8;
    if (BUG == 11) z = 0;
    if (BUG == 12) z = Z[(n % G) * G + zg % G];
    real s = S[BUG == 13 ? (n / 2 * 2) * G + sg : n * G + sg];
    if (BUG == 14) s = f8::near(s);
    real v = V == 1 ? real(c) * s - real(z) * s : real(c - z) * s;
    if (V == 2 || V == 4) v = f16::near(v);
    if (BUG == 15) v = f8::near(v);
    if (BUG == 16 && c == 15) v = real(14 - z) * s;
    if (BUG == 17 && k >= D - 64) v = real(c) * s;
    if (BUG == 19) v = lite::fabs(v);
    if (BUG == 21) v = real(lite::max(c - z, -8)) * s;
    dq[n * D + k] = v;
  }
  clear(y);
  rows(M, [&](i64 m) { for (i64 n = 0; n < N; ++n) {
    real s = 0;
    if (V == 3) {
      for (i64 g = 0; g < G; ++g) {
        const real a = sum(64, [&](i64 k) { return real(X[m * D + g * 64 + k]) * real((W[n * (D / 2) + g * 32 + k / 2] >> (k % 2 * 4) & 15) - Z[n * G + g]); });
        s += a * real(S[n * G + g]);
      }
    } else if (V == 4 || V == 5) {
      for (int part = 0; part < 2; ++part) s += dot(D / 2, [&](i64 k) { return real(X[m * D + part * (D / 2) + k]); }, [&](i64 k) { return dq[n * D + part * (D / 2) + k]; });
    } else {
      s = dot(D, [&](i64 k) { return real(X[m * D + (BUG == 18 && k >= D - 32 ? k - 32 : k)]); }, [&](i64 k) { return dq[n * D + k]; });
    }
    put(P<f16>(y) + m * N + n, s);
  } });
}
#elif K == 2
void run(Tensor a, Tensor as, Tensor azp, Tensor b, Tensor bs, Tensor bias, double alpha0, Tensor y) {
  const i64 M = a.size(0), D = a.size(1), N = b.size(0);
  const int8_t *A = P<int8_t>(a), *B = P<int8_t>(b);
  const real alpha = real(float(alpha0));
  clear(y);
  lite::vector<int> cols(N);
  for (i64 n = 0; n < N; ++n) { cols[n] = 0; for (i64 k = 0; k < (BUG == 1 ? D - 20 : D); ++k) cols[n] += B[n * D + k]; }
  rows(M, [&](i64 m) { for (i64 n = 0; n < N; ++n) {
    int acc = 0;
    real z = P<int32_t>(azp)[BUG == 2 ? 0 : m];
    real t = 0;
    if (BUG == 3) { for (i64 k = 0; k < D; k += 2) { int pair = A[m * D + k] * B[n * D + k] + (k + 1 < D ? A[m * D + k + 1] * B[n * D + k + 1] : 0); acc += lite::min(pair, 32767 / 2); } t = acc; }
    else if (BUG == 4) { short s = 0; int big = 0; for (i64 k = 0; k < D; ++k) { s = short(s + A[m * D + k] * B[n * D + k]); if (k % 8 == 7) { big += s; s = 0; } } t = big + s; }
    else if (BUG == 5) { for (i64 k = 0; k < D; ++k) acc += lite::max<int>(A[m * D + k], -127) * B[n * D + k]; t = acc; }
    else if (BUG == 6) { for (i64 k = 0; k < D; ++k) acc += uint8_t(A[m * D + k]) * B[n * D + k]; t = acc; }
    else if (BUG == 21) { for (i64 k = 0; k < D; ++k) acc += (A[m * D + k] >> 1) * 2 * B[n * D + k]; t = acc; }
    else if (V == 1) { for (i64 k = 0; k < D; ++k) acc += A[m * D + k] * B[n * D + k]; t = acc; }
    else if (V == 2) { for (i64 k = 0; k < D; ++k) acc += (A[m * D + k] - int(z)) * B[n * D + k]; t = acc; z = 0; }
    else if (V == 3) { int l[4] = {}; for (i64 k = 0; k < D; ++k) l[k % 4] += A[m * D + k] * B[n * D + k]; t = l[0] + l[1] + l[2] + l[3]; }
    else if (V == 6) { for (i64 k0 = 0; k0 < D; k0 += 64) { int p = 0; for (i64 k = k0; k < lite::min(D, k0 + 64); ++k) p += A[m * D + k] * B[n * D + k]; t += real(p); } }
    else t = dot(D, [&](i64 k) { return real(A[m * D + k]); }, [&](i64 k) { return real(B[n * D + k]); });
    if (BUG == 7) z = 0;
    if (BUG == 8) z = -z;
    t -= z * real(cols[BUG == 9 ? (n + 1) % N : n]);
    if (BUG == 10) t = f16::near(t / 64) * 64;
    if (BUG == 11) t = lite::min(lite::max(t, real(-32768)), real(32767));
    if (BUG == 12) t = f8::near(t / 4096) * 4096;
    real x = P<float>(as)[BUG == 13 ? 0 : BUG == 14 ? m / 8 * 8 : m], c = P<float>(bs)[BUG == 15 ? 0 : BUG == 16 ? lite::min(n + 1, N - 1) : n];
    if (BUG == 17) c = bf16::near(c, true);
    x *= alpha;
    real q = P<float>(bias)[BUG == 22 ? n / 8 * 8 : n] ;
    const i64 o = m * N + n;
    real v = V == 4 ? (x * c) * t + q : V == 5 ? lite::fma(t * x, c, q) : (t * x) * c + q;
    if (V == 7) v = t * c * x + q;
    if (BUG == 18) v = (t * x) * c;
    if (BUG == 19) v = ((t + q) * x) * c;
    if (BUG == 20) v = t * x + q;
    put(P<bf16>(y) + o, v);
  } });
}
#elif K == 3
void run(Tensor a, Tensor as, Tensor b, Tensor bs, Tensor y) {
  const i64 M = a.size(0), D = a.size(1), N = b.size(0), G = D / 128;
  const f8 *A = P<f8>(a), *B = P<f8>(b);
  lite::vector<float> fa(M * D), fb(N * D);
  for (i64 i = 0; i < M * D; ++i) { fa[i] = A[i]; if (BUG == 1 && lite::fabs(fa[i]) < 0.015625f) fa[i] = 0; if (BUG == 2) fa[i] = lite::fabs(fa[i]); }
  for (i64 i = 0; i < N * D; ++i) { fb[i] = B[i]; if (BUG == 3) fb[i] = float_of((bits_of(fb[i]) & 0xffe00000u)); if (BUG == 4 && lite::fabs(fb[i]) >= 2) fb[i] *= 0.9375f; }
  clear(y);
  real stale = 1;
  rows(M, [&](i64 m) { for (i64 n = 0; n < N; ++n) {
    real s = 0;
    auto sa = [&](i64 g) {
      real v = P<float>(as)[BUG == 5 ? m * G : BUG == 6 ? lite::min(m * G + g + 1, M * G - 1) : BUG == 7 ? g * M + m : BUG == 8 ? m / 4 * 4 * G + g : m * G + g];
      if (BUG == 9) v = lite::exp2(lite::ceil(lite::log2(v)));
      if (BUG == 18) v = bf16::near(v, true);
      return v; };
    auto sb = [&](i64 g) {
      i64 nb = n / 128;
      if (BUG == 10) nb = n / 64 % 2;
      if (BUG == 11) nb = (n + 1) / 128 < 2 ? (n + 1) / 128 : 1;
      if (BUG == 12) nb = 0;
      if (BUG == 20) return real(P<float>(bs)[nb * G + (g + G - 1) % G]);
      return real(P<float>(bs)[BUG == 13 ? g % 2 * G + (nb + g / 2) % G : nb * G + g]); };
    auto fA = [&](i64 k) { return real(fa[m * D + k]); };
    auto fB = [&](i64 k) { return real(fb[n * D + k]); };
    const i64 GG = BUG == 14 ? G - 1 : G;
    if (V == 1) s = dot(D, [&](i64 k) { return fA(k) * sa(k / 128); }, [&](i64 k) { return fB(k) * sb(k / 128); });
    else for (i64 g = 0; g < GG; ++g) {
      real p = dot(128, [&](i64 k) { return fA(g * 128 + k); }, [&](i64 k) { return fB(g * 128 + k); });
      if (BUG == 15) p = f16::near(p, true), p = bf16::near(p, true);
      if (BUG == 16) { s = s + p; if (g == GG - 1) s *= sa(g) * sb(g); continue; }
      if (BUG == 17) { s = (s + p) * (g < 1 ? sa(g) * sb(g) : real(1)); continue; }
      if (BUG == 19) { const real f = sa(g) * sb(g); p *= stale; stale = f; s += p; continue; }
      if (BUG == 21) { s += p * sa(g); continue; }
      if (BUG == 22) { s = bf16::near(s + p * sa(g) * sb(g), true); continue; }
      s = V == 2 ? lite::fma(p, sa(g) * sb(g), s) : V == 3 ? s + (p * sa(g)) * sb(g) : V == 4 ? s + p * sb(g) * sa(g) : s + p * (sa(g) * sb(g));
    }
    put(P<bf16>(y) + m * N + n, s);
  } });
}
#elif K == 4
// base + scale[l] * (x A[l]^T) B[l]^T; -1 means no adapter.
void run(Tensor x, Tensor a, Tensor b, Tensor scale, Tensor which, Tensor base, Tensor y) {
  const i64 T = x.size(0), D = x.size(1), L = a.size(0), R = a.size(1), O = b.size(1);
  const bf16 *X = P<bf16>(x), *A = P<bf16>(a), *B = P<bf16>(b), *Y = P<bf16>(base);
  const int32_t* W = P<int32_t>(which);
  clear(y);
  lite::vector<real> h(R);
  rows(T, [&](i64 t) {
    i64 l = W[BUG == 1 ? t / 8 * 8 : BUG == 2 ? lite::max<i64>(t - 1, 0) : t];
    const bool none = l < 0;
    if (BUG == 3 && none) l = 0;
    if (BUG == 4 && none) l = L - 1;
    if (BUG == 5) l = lite::min(l, L - 2);
    if (BUG == 22 && l == 0) l = -1;
    if (l >= 0) for (i64 r = 0; r < R; ++r) {
      if (BUG == 6 && r == R - 1 && t > 0) continue;  // of the row before
      const i64 rr = BUG == 7 ? (r + 1) % R : r;
      real s = dot(D, [&](i64 d) { return real(X[t * D + d]); }, [&](i64 d) { return real(A[BUG == 8 ? (l * R + r / 2 * 2) * D + d : (l * R + r) * D + d]); });
      if (BUG == 9) s = sum(D / 128 * 128, [&](i64 d) { return real(X[t * D + d]) * real(A[(l * R + r) * D + d]); });
      if (V == 1 || V == 4) s = bf16::near(s);
      if (V == 2) s *= real(P<float>(scale)[l]);
      if (V == 5) { s = 0; for (int p = 0; p < 2; ++p) s += dot(D / 2, [&](i64 d) { return real(X[t * D + p * (D / 2) + d]); }, [&](i64 d) { return real(A[(l * R + r) * D + p * (D / 2) + d]); }); }
      if (BUG == 10) s = f8::near(s);
      if (BUG == 11) s = lite::max(s, real(0));
      h[rr] = s;
    }
    for (i64 o = 0; o < O; ++o) {
      real v = 0;
      if (l >= 0) {
        const i64 lb = BUG == 12 ? lite::max<i64>(l - 1, 0) : l, RR = BUG == 13 ? R - 4 : R;
        v = dot(RR, [&](i64 r) { return h[r]; }, [&](i64 r) { return real(B[BUG == 14 ? (lb * R + r) * O + o : BUG == 15 ? (lb * O + lite::min(o + 1, O - 1)) * R + r : (lb * O + o) * R + r]); });
        const real sc = P<float>(scale)[BUG == 16 ? 0 : l];
        if (BUG == 17) v = v; else if (BUG == 18) v *= sc * sc; else if (BUG == 19) v *= sc / real(R) * 10; else if (V != 2) v *= sc;
      }
      real u = Y[BUG == 20 ? t * O : t * O + o];
      if (BUG == 21) u = 0;
      if (V == 3) v = bf16::near(v);
      if (BUG == 23) v = l >= 0 ? v : -u;
      if (BUG == 24 && o >= O / 64 * 64) v = 0;
      put(P<bf16>(y) + t * O + o, V == 4 ? v + u : u + v);
    }
  });
}
#endif
RUN(run)

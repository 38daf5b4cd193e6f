// Attention of serving: -DK=1 paged decode, 2 ragged causal prefill with a soft cap, 3 window with sinks, 4 tree mask,
// 5 latent decode, 6 merging of states. -DV: 0 two passes, 1 weights normalised first, 2 online by key, 3 online by tile,
// 4 exp2, 5 three parts merged, 6 weights in 16 bits, 7 keys backwards, 8 tiles and 16 bits. -DSB: mistakes of the softmax
#include "common.h"
#ifndef SB
#define SB 0
#endif
const real UNIT = V == 4 ? real(LOG2E) : real(1);
inline real ex(real x) {
  if (SB == 5) return lite::exp2(x);
  if (SB == 6) return lite::exp2(x * real(1.44));
  if (SB == 10) return x < -80 ? real(0) : real(float_of(uint32_t(int(float(x) * 12102203.f) + 1064866805)));
  return V == 4 ? lite::exp2(x) : lite::exp(x);
}
struct State { real m = -INF, l = 0; lite::vector<real> o; };

template <class T16, class S, class W>
State part(i64 a, i64 b, int D, S score, W value, i64 tile) {
  State s;
  s.o.assign(D, 0);
  lite::vector<real> p;
  for (i64 t = a; t < b; t += tile) {
    const i64 n = lite::min(tile, b - t);
    p.resize(n);
    real mx = s.m;
    for (i64 j = 0; j < n; ++j) mx = lite::max(mx, p[j] = score(t + j) * UNIT);
    if (mx == -INF) continue;
    const real r = ex(s.m - mx);
    for (i64 j = 0; j < n; ++j) p[j] = p[j] == -INF ? 0 : ex(p[j] - mx);
    const real l = sum(SB == 4 && t + n == b ? n - 1 : n, [&](i64 j) { return p[j]; });
    if (V == 6 || V == 8) for (real& x : p) x = T16::near(x);
    if (SB == 8) for (real& x : p) x = f8::near(x);
    s.l = (SB == 2 ? s.l : s.l * r) + l;
    if (V == 1) for (real& x : p) x /= s.l;
    for (int d = 0; d < D; ++d) {
      s.o[d] = (SB == 3 ? s.o[d] : s.o[d] * r) + dot(n, [&](i64 j) { return p[j]; }, [&](i64 j) { return value(t + j, d); });
      if (SB == 12) s.o[d] = T16::near(s.o[d]);
    }
    s.m = mx;
  }
  return s;
}
// Writes D results to `out`; returns the logarithm of the sum. A sink is a score without a value.
template <class T16, class S, class W>
real attend(i64 n, int D, S score, W value, real* out, real sink = -INF) {
  auto key = [&](i64 j) { return V == 7 ? n - 1 - j : j; };
  auto sc = [&](i64 j) { return score(key(j)); };
  auto va = [&](i64 j, int d) { return real(value(key(j), d)); };
  const i64 tile = V == 2 ? 1 : V == 3 || V == 8 ? 32 : lite::max<i64>(n, 1);
  State s;
  if (V == 5) {
    s.o.assign(D, 0);
    State q[3];
    const i64 k = (n + 2) / 3;
    for (int i = 0; i < 3; ++i) q[i] = part<T16>(lite::min(i * k, n), lite::min(i * k + k, n), D, sc, va, lite::max<i64>(n, 1));
    const int parts = SB == 11 ? 2 : 3;
    for (int i = 0; i < parts; ++i) s.m = lite::max(s.m, q[i].m);
    for (int i = 0; i < parts; ++i) {
      if (q[i].m == -INF) continue;
      const real w = SB == 7 ? real(1) / q[i].l : SB == 13 ? real(1) : ex(q[i].m - s.m);
      s.l += w * q[i].l;
      for (int d = 0; d < D; ++d) s.o[d] += w * q[i].o[d];
    }
  } else {
    s = part<T16>(0, n, D, sc, va, tile);
  }
  real l = s.l;
  if (sink > -INF) l += ex(sink * UNIT - s.m);
  const real scale = V == 1 ? s.l / l : 1 / l;
  for (int d = 0; d < D; ++d) out[d] = l > 0 ? (V == 0 ? s.o[d] / l : s.o[d] * scale) : 0;
  if (SB == 14) return s.m / UNIT;
  if (SB == 9) return s.m / UNIT + lite::log2(l);
  return l > 0 ? s.m / UNIT + lite::log(l) : -INF;
}

#if K == 1
void run(Tensor q, Tensor kc, Tensor vc, Tensor indptr, Tensor indices, Tensor last, Tensor o, Tensor lse) {
  const i64 B = q.size(0), H = q.size(1), D = q.size(2), page = kc.size(1), KV = kc.size(2);
  const int32_t *ip = P<int32_t>(indptr), *ix = P<int32_t>(indices), *la = P<int32_t>(last);
  const bf16 *Q = P<bf16>(q), *C[2] = {P<bf16>(kc), P<bf16>(vc)};
  clear(o); clear(lse);
  const real scale = BUG == 5 ? real(1) : BUG == 6 ? real(0.125) * real(1.01) : 1 / lite::sqrt(real(D));
  rows(B, [&](i64 b) {
    const i64 first = ip[b], pages = ip[b + 1] - first;
    i64 n = (pages - 1) * page + la[b];
    if (BUG == 1) n = pages * page;
    if (BUG == 2) n -= n > 1;
    if (BUG == 13) n = n % page == 0 ? n - page + (n == page) : n;
    auto at = [&](int which, i64 h, i64 j, i64 d) {
      i64 k = j / page, slot = j % page, kv = BUG == 3 ? h % KV : h / (H / KV);
      if (BUG == 4 && b) k -= 1;
      if (BUG == 8 && k == pages - 1 && k > 0) k -= 1;
      if (BUG == 15 && h % (H / KV) == H / KV - 1) kv = (kv + 1) % KV;
      i64 id = ix[lite::max<i64>(first + k, 0)];
      if (BUG == 10) return real(C[which][((id * KV + kv) * page + slot) * D + d]);
      if (BUG == 14) slot = page - 1 - slot;
      return real(C[which][((id * page + slot) * KV + kv) * D + d]);
    };
    for (i64 h = 0; h < H; ++h) {
      lite::vector<real> out(D);
      const bf16* row = Q + (b * H + h) * D;
      const real s = attend<bf16>(n, D, [&](i64 j) {
          real t = scale * dot(BUG == 12 ? D - 8 : D, [&](i64 d) { return real(row[d]); }, [&](i64 d) { return at(0, h, j, d); });
          return BUG == 16 ? f8::near(t) : t; },
        [&](i64 j, int d) { return at(BUG == 7 ? 0 : 1, h, BUG == 9 && j == n - 1 ? lite::max<i64>(j - 1, 0) : j, d); }, out.data());
      for (i64 d = 0; d < D; ++d) put(P<bf16>(o) + (b * H + h) * D + d, out[d]);
      P<float>(lse)[b * H + h] = float(BUG == 11 ? s * real(0.995) : s);
    }
  });
}
#elif K == 2
void run(Tensor q, Tensor k, Tensor v, Tensor qp, Tensor kp, Tensor o) {
  const i64 H = q.size(1), D = q.size(2), KV = k.size(1), B = qp.size(0) - 1;
  const f16 *Q = P<f16>(q), *C[2] = {P<f16>(k), P<f16>(v)};
  const int32_t *a = P<int32_t>(qp), *c = P<int32_t>(kp);
  const real cap = BUG == 7 ? real(6) : real(5), scale = BUG == 15 ? 1 / real(D) : 1 / lite::sqrt(real(D));
  clear(o);
  rows(q.size(0), [&](i64 t) {
    i64 b = 0;
    while (a[b + 1] <= t) ++b;
    if (BUG == 9 && a[b] == t && b) --b;  // a border belongs to the sequence before
    const i64 nq = a[b + 1] - a[b], nk = c[b + 1] - c[b];
    i64 i = t - a[b], begin = c[b];
    i64 n = lite::min(nk, i + nk - nq + 1);
    if (BUG == 1) n = lite::max<i64>(n - 1, 1);
    if (BUG == 2) n = lite::min(n + 1, nk);
    if (BUG == 3) n = lite::min(i + 1, nk);
    if (BUG == 8) n = nk;
    if (BUG == 10) begin = a[b];
    if (BUG == 11) n = lite::min(nk, (n + 15) / 16 * 16);
    if (BUG == 14) n = lite::max<i64>(1, lite::min(n, n / 16 * 16 + (n % 16 ? 8 : 0)));
    const i64 all = BUG == 12 || BUG == 13 ? nk : n;
    for (i64 h = 0; h < H; ++h) {
      lite::vector<real> out(D);
      i64 kv = BUG == 4 ? h % KV : h / (H / KV);
      if (BUG == 17 && h == H - 1) kv = 0;
      auto at = [&](int w, i64 j, i64 d) { return real(C[w][((begin + j) * KV + kv) * D + d]); };
      attend<f16>(all, D, [&](i64 j) {
          if (j >= n && BUG == 12) return real(0);
          if (j >= n && BUG == 13) return real(-5);
          real s = dot(D, [&](i64 d) { return real(Q[(t * H + h) * D + d]); }, [&](i64 d) { return at(0, j, d); });
          if (BUG == 5) return scale * s;
          if (BUG == 6) return scale * cap * lite::tanh(s / cap);
          s *= scale;
          if (BUG == 16) return lite::min(lite::max(s, -cap), cap);
          if (BUG == 18) return cap * (s / cap) / (1 + lite::fabs(s / cap));
          if (BUG == 19) return cap * bf16::near(lite::tanh(s / cap));
          if (V == 9) { const real e = lite::exp(2 * lite::fabs(s) / cap); return lite::copysign(cap - 2 * cap / (e + 1), s); }
          return cap * lite::tanh(s / cap); },
        [&](i64 j, int d) { return at(1, BUG == 20 ? lite::min(j, n - 1) / 2 * 2 : j, d); }, out.data());
      for (i64 d = 0; d < D; ++d) put(P<f16>(o) + (t * H + h) * D + d, out[d]);
    }
  });
}
#elif K == 3
void run(Tensor q, Tensor k, Tensor v, Tensor sinks, Tensor o) {
  const i64 T = q.size(0), H = q.size(1), D = q.size(2), KV = k.size(1);
  const bf16 *Q = P<bf16>(q), *C[2] = {P<bf16>(k), P<bf16>(v)}, *S = P<bf16>(sinks);
  const i64 W = BUG == 1 ? 49 : BUG == 2 ? 47 : BUG == 3 ? T : BUG == 16 ? 32 : 48;
  const real scale = BUG == 15 ? real(0.1) : 1 / lite::sqrt(real(D));
  clear(o);
  rows(T, [&](i64 t) {
    i64 begin = lite::max<i64>(0, t - W + 1), end = BUG == 4 ? lite::min(t + 2, T) : t + 1;
    if (BUG == 5) begin = begin / 16 * 16;
    if (BUG == 6) begin = lite::min((begin + 15) / 16 * 16, t);
    if (BUG == 17) end = lite::min(T, t + W / 2);
    for (i64 h = 0; h < H; ++h) {
      lite::vector<real> out(D);
      const i64 kv = BUG == 7 ? h % KV : h / (H / KV);
      real sink = S[BUG == 8 ? h / (H / KV) : BUG == 9 ? (h + 1) % H : h];
      if (BUG == 10) sink = -INF;
      if (BUG == 11) sink *= scale;
      if (BUG == 12) sink += lite::log(real(2));
      if (BUG == 13) sink = 0;
      if (BUG == 18) sink = (t + 1) % 16 ? sink : -INF;
      if (BUG == 19) sink = -sink;
      const bool streaming = BUG == 14 && begin > 0;
      auto at = [&](int w, i64 j, i64 d) { return real(C[w][((streaming && j == 0 ? 0 : begin + j - streaming) * KV + kv) * D + d]); };
      attend<bf16>(end - begin + streaming, D, [&](i64 j) {
          return scale * dot(D, [&](i64 d) { return real(Q[(t * H + h) * D + d]); }, [&](i64 d) { return at(0, j, d); }); },
        [&](i64 j, int d) { return at(1, j, d); }, out.data(), sink);
      for (i64 d = 0; d < D; ++d) put(P<bf16>(o) + (t * H + h) * D + d, out[d]);
    }
  });
}
#elif K == 4
void run(Tensor q, Tensor k, Tensor v, Tensor mask, Tensor o) {
  const i64 T = q.size(0), H = q.size(1), D = q.size(2), N = k.size(0), KV = k.size(1), X = N - T;
  const float *Q = P<float>(q), *C[2] = {P<float>(k), P<float>(v)};
  const bool* M = P<bool>(mask);
  const real scale = BUG == 14 ? real(0.1018) : 1 / lite::sqrt(real(D));
  clear(o);
  rows(T, [&](i64 t) {
    auto sees = [&](i64 j) {
      if (j < X) return !(BUG == 1 && j == X - 1) && !(BUG == 16 && j == 0);
      const i64 u = j - X;
      if (BUG == 2) return bool(M[u * T + t]);
      if (BUG == 3) return true;
      if (BUG == 4) return u <= t;
      if (BUG == 5) return bool(M[t * T + u]) || u == t;
      if (BUG == 6) return bool(M[t * T + u]) && u <= t;
      if (BUG == 7) return bool(M[t * T + (u / 8 * 8 + 7 - u % 8) % T]);
      if (BUG == 8) return bool(M[lite::max<i64>(t - 1, 0) * T + u]);
      if (BUG == 9) return u < 32 && bool(M[t * T + u]);
      if (BUG == 10) return !M[t * T + u];
      if (BUG == 11) return bool(M[t * T + lite::min(u + 1, T - 1)]);
      if (BUG == 12) return false;
      if (BUG == 13) return u % 8 == 7 || bool(M[t * T + u]);
      return bool(M[t * T + u]);
    };
    for (i64 h = 0; h < H; ++h) {
      lite::vector<real> out(D);
      const i64 kv = BUG == 15 ? h % KV : h / (H / KV);
      auto at = [&](int w, i64 j, i64 d) { return real(C[w][(j * KV + kv) * D + d]); };
      attend<f16>(N, D, [&](i64 j) {
          if (!sees(j)) return BUG == 17 ? real(-4) : -INF;
          return scale * dot(D, [&](i64 d) { return real(Q[(t * H + h) * D + d]); }, [&](i64 d) { return at(0, j, d); }); },
        [&](i64 j, int d) { return at(1, j, d); }, out.data());
      for (i64 d = 0; d < D; ++d) put(P<f32>(o) + (t * H + h) * D + d, out[d]);
    }
  });
}
#elif K == 5
void run(Tensor qn, Tensor qe, Tensor ckv, Tensor kpe, Tensor table, Tensor lens, Tensor o, Tensor lse) {
  const i64 B = qn.size(0), H = qn.size(1), R = qn.size(2), E = qe.size(2), page = ckv.size(1), most = table.size(1);
  const bf16 *Q = P<bf16>(qn), *QE = P<bf16>(qe), *C = P<bf16>(ckv), *KE = P<bf16>(kpe);
  const int32_t *T = P<int32_t>(table), *L = P<int32_t>(lens);
  const real scale = BUG == 1 ? 1 / lite::sqrt(real(R + E)) : BUG == 2 ? 1 / lite::sqrt(real(64)) : BUG == 3 ? real(0.1) : 1 / lite::sqrt(real(96));
  clear(o); clear(lse);
  rows(B, [&](i64 b) {
    i64 n = L[b];
    if (BUG == 4) n = lite::max<i64>(1, n - 1);
    if (BUG == 5) n = lite::min(n + 1, most * page);
    if (BUG == 6) n = (n + page - 1) / page * page;
    if (BUG == 17 && n > page) n = n / page * page;
    auto place = [&](i64 j) {
      i64 k = j / page, s = j % page;
      if (BUG == 7 && k == (n - 1) / page && k) --k;
      if (BUG == 8) return i64(T[(b + 1) % B * most + k]) * page + s;
      if (BUG == 9) return i64(T[b * most]) * page + s;
      if (BUG == 10) s = (s + 1) % page;
      return i64(T[b * most + k]) * page + s;
    };
    for (i64 h = 0; h < H; ++h) {
      lite::vector<real> out(R);
      const i64 he = BUG == 11 ? h / 4 * 4 : h;
      const real s = attend<bf16>(n, R, [&](i64 j) {
          const i64 at = place(j), ate = BUG == 12 ? place(0) : BUG == 13 ? place(lite::max<i64>(j - 1, 0)) : at;
          const real x = dot(R, [&](i64 d) { return real(Q[(b * H + h) * R + d]); }, [&](i64 d) { return real(C[at * R + d]); });
          if (BUG == 14) return scale * x;
          const real y = dot(E, [&](i64 d) { return real(QE[(b * H + he) * E + (BUG == 15 ? (d + E / 2) % E : d)]); }, [&](i64 d) { return real(KE[ate * E + d]); });
          return BUG == 18 ? scale * x + y : V == 9 ? scale * x + scale * y : scale * (x + y); },
        [&](i64 j, int d) { return BUG == 16 && d >= R - E / 2 ? real(KE[place(j) * E + d - R + E / 2]) : real(C[place(j) * R + d]); }, out.data());
      for (i64 d = 0; d < R; ++d) put(P<bf16>(o) + (b * H + h) * R + d, out[d]);
      P<float>(lse)[b * H + h] = float(BUG == 19 ? s + lite::log(scale) * real(0.01) : s);
    }
  });
}
#elif K == 6
void run(Tensor va, Tensor sa, Tensor vb, Tensor sb, Tensor v, Tensor s) {
  const i64 T = va.size(0), H = va.size(1), D = va.size(2);
  clear(v); clear(s);
  rows(T, [&](i64 t) { for (i64 h = 0; h < H; ++h) {
    const i64 i = t * H + h;
    real a = P<float>(sa)[i], b = P<float>(sb)[BUG == 1 ? t * H + (h + 1) % H : BUG == 2 ? i / H * H : BUG == 3 ? i % T * H + i / T % H : i];
    if (BUG == 4) { a = f16::near(a); b = f16::near(b); }
    if (BUG == 5) { a = bf16::near(a); b = bf16::near(b); }
    const real m = V == 1 ? (a + b) / 2 : V == 2 ? real(0) : V == 3 ? b : lite::max(a, b);
    auto e = [&](real x) { return BUG == 6 ? lite::exp2(x) : V == 4 || V == 8 ? lite::exp2(x * real(LOG2E)) : BUG == 7 ? lite::exp2(x * real(1.44)) : V == 5 ? 1 + lite::expm1(x) : BUG == 21 ? lite::exp(x) * real(1.004) - real(0.004) : lite::exp(x); };
    const real x = e(a - m), y = e(b - m), l = x + y;
    real wa = V == 6 || V == 8 ? x * (1 / l) : V == 7 ? sigmoid(a - b) : x / l, wb = V == 7 ? sigmoid(b - a) : V == 9 ? 1 - wa : V == 6 || V == 8 ? y * (1 / l) : y / l;
    if (BUG == 8) wa = wb = real(0.5);
    if (BUG == 9) lite::swap(wa, wb);
    if (BUG == 10) { wa = x; wb = y; }
    if (BUG == 11) { wa = bf16::near(wa); wb = bf16::near(wb); }
    if (BUG == 12) wb = 1;
    if (BUG == 13) { wa = a / (a + b); wb = b / (a + b); }
    if (BUG == 22) { wa = x / (l + real(1e-2)); wb = y / (l + real(1e-2)); }
    if (BUG == 23 && b < a - 2) { wb = 0; wa = 1; }
    for (i64 d = 0; d < D; ++d) {
      i64 from = BUG == 14 && d >= D / 32 * 32 ? d - 32 : d;
      const real p = P<float>(va)[i * D + d], q = P<float>(vb)[i * D + from];
      put(P<f32>(v) + i * D + d, V == 10 ? lite::fma(wa, p, wb * q) : V == 11 ? (x * p + y * q) / l : V == 9 ? q + wa * (p - q) : in(wa) * in(p) + in(wb) * in(q));
    }
    real r = m + lite::log(l);
    if (V == 7) r = lite::max(a, b) + lite::log1p(lite::exp(-lite::fabs(a - b)));
    if (V == 4) r = m + lite::log2(l) / real(LOG2E);
    if (BUG == 15) r = lite::log(l);
    if (BUG == 16) r = m + lite::log2(l);
    if (BUG == 17) r = m;
    if (BUG == 18) r = m + l;
    if (BUG == 19) r = bf16::near(r);
    if (BUG == 20) r = a;
    put(P<f32>(s) + i, r);
  } });
}
#endif
RUN(run)

// Routing, logits, verification, states: -DK=1 softmax routing, 2 grouped sigmoid routing, 3 penalties and min-p,
// 4 greedy verification, 5 state update, 6 append to a float8 cache.
#include "common.h"
#if K == 1
void run(Tensor logits, Tensor weights, Tensor ids) {
  const i64 T = logits.size(0), E = logits.size(1), N = weights.size(1);
  clear(weights); clear(ids);
  rows(T, [&](i64 t) {
    const float* X = P<float>(logits) + t * E;
    const int e = int(BUG == 1 ? E - 1 : BUG == 2 ? 32 : E);
    lite::vector<real> p(E), key(E);
    real mx = -INF;
    for (int i = 0; i < e; ++i) mx = lite::max(mx, real(X[i]));
    auto ex = [&](int i) { return V == 1 ? lite::exp2((real(X[i]) - mx) * real(LOG2E)) : V == 2 ? lite::exp2(real(X[i]) * real(LOG2E) - mx * real(LOG2E)) : BUG == 3 ? lite::exp2(real(X[i]) - mx) : BUG == 4 ? lite::exp2((real(X[i]) - mx) * real(1.44)) : lite::exp(real(X[i]) - mx); };
    for (int i = 0; i < e; ++i) p[i] = ex(i);
    real l = sum(e, [&](i64 i) { return p[i]; });
    for (int i = 0; i < e; ++i) { p[i] = V == 3 ? p[i] * (1 / l) : p[i] / l; if (BUG == 5) p[i] = sigmoid(real(X[i])); if (BUG == 6) p[i] = f16::near(p[i]); if (BUG == 7) p[i] = bf16::near(p[i]); }
    for (int i = 0; i < e; ++i) key[i] = BUG == 8 ? lite::fabs(real(X[i])) : BUG == 9 ? bf16::near(real(X[i])) : BUG == 10 ? f8::near(real(X[i])) : BUG == 22 ? real(lite::min(X[i], 2.f)) : V == 4 ? real(X[i]) : p[i];
    auto at = lite::order(e, [&](int i, int j) { return key[i] > key[j]; });
    if (V == 5) { lite::vector<char> used(E); for (i64 k = 0; k < N; ++k) { int b = -1; for (int i = 0; i < e; ++i) if (!used[i] && (b < 0 || X[i] > X[b])) b = i; used[b] = 1; at[k] = b; } }
    if (BUG == 11) for (i64 k = 0; k < N / 2; ++k) lite::swap(at[k], at[N - 1 - k]);
    if (BUG == 12) at[N - 1] = at[N];
    if (BUG == 13) at[1] = at[0];
    if (BUG == 21) for (i64 k = 0; k < N; ++k) at[k] = at[k + 1];
    real s = 0;
    if (V == 6) { for (i64 k = 0; k < N; ++k) s += lite::exp(real(X[at[k]]) - real(X[at[0]])); }
    else s = forwards(0, BUG == 14 ? N - 1 : N, [&](i64 k) { return p[at[k]]; });
    if (BUG == 15) s = 1;
    if (BUG == 16) s += real(0.01);
    if (BUG == 17) s = bf16::near(s);
    for (i64 k = 0; k < N; ++k) {
      real w = V == 6 ? lite::exp(real(X[at[k]]) - real(X[at[0]])) / s : V == 7 ? p[at[k]] * (1 / s) : p[at[k]] / s;
      if (BUG == 18) w = p[at[0]] / s;
      if (BUG == 19) w = lite::sqrt(w);
      put(P<f32>(weights) + t * N + k, w);
      P<int32_t>(ids)[t * N + k] = BUG == 20 ? at[k] + 1 : BUG == 23 ? at[k] % 32 : at[k];
    }
    if (BUG == 24) for (i64 k = 0; k + 1 < N; ++k) for (i64 j = k + 1; j < N; ++j) if (P<int32_t>(ids)[t * N + j] < P<int32_t>(ids)[t * N + k]) lite::swap(P<int32_t>(ids)[t * N + j], P<int32_t>(ids)[t * N + k]);
  });
}
#elif K == 2
// 64 experts in 8 groups; the best 4 groups by their two best; 6 of their experts.
void run(Tensor logits, Tensor bias, Tensor weights, Tensor ids) {
  const i64 T = logits.size(0);
  const int E = 64, G = 8, S = 8, N = 6;
  clear(weights); clear(ids);
  rows(T, [&](i64 t) {
    const f32* X = P<f32>(logits) + t * E;
    real s[64], c[64], gs[8];
    for (int e = 0; e < E; ++e) {
      const real x = real(float(X[e]));
      s[e] = V == 1 ? 1 / (1 + lite::exp2(-x * real(LOG2E))) : V == 2 ? real(0.5) + real(0.5) * lite::tanh(x / 2) : V == 3 ? (x >= 0 ? 1 / (1 + lite::exp(-x)) : lite::exp(x) / (1 + lite::exp(x))) : sigmoid(x);
      if (BUG == 1) s[e] = lite::exp(x);
      if (BUG == 2) s[e] = bf16::near(s[e]);
      real b = P<float>(bias)[BUG == 3 ? (e + 1) % E : BUG == 4 ? e / S * S : e];
      c[e] = BUG == 5 ? s[e] : BUG == 6 ? sigmoid(x + b) : BUG == 7 ? s[e] - b : s[e] + b;
      if (BUG == 8) c[e] = s[e] * b;
      if (BUG == 9) c[e] = f16::near(f8::near(c[e]));
    }
    for (int g = 0; g < G; ++g) {
      real a = -INF, b = -INF;
      for (int i = 0; i < (BUG == 10 ? S - 1 : S); ++i) { const real v = c[g * S + i]; if (v > a) { b = a; a = v; } else if (v > b) b = v; }
      gs[g] = BUG == 11 ? a : BUG == 12 ? a + a : a + b;
      if (BUG == 13) { gs[g] = 0; for (int i = 0; i < S; ++i) gs[g] += c[g * S + i]; }
    }
    auto go = lite::order(G, [&](int i, int j) { return gs[i] > gs[j]; });
    bool in_group[8] = {};
    for (int k = 0; k < (BUG == 14 ? 3 : BUG == 15 ? 5 : BUG == 16 ? 8 : 4); ++k) in_group[go[k]] = true;
    if (BUG == 17) { bool other[8] = {}; for (int g = 0; g < G; ++g) other[g] = in_group[(g + 1) % G]; for (int g = 0; g < G; ++g) in_group[g] = other[g]; }
    real m[64];
    for (int e = 0; e < E; ++e) m[e] = in_group[BUG == 18 ? e % G : e / S] ? c[e] : BUG == 19 ? real(0) : -INF;
    auto at = lite::order(E, [&](int i, int j) { return m[i] > m[j]; });
    if (V == 4) { bool used[64] = {}; for (int k = 0; k < N; ++k) { int b = -1; for (int e = 0; e < E; ++e) if (!used[e] && m[e] > -INF && (b < 0 || m[e] > m[b])) b = e; used[b] = true; at[k] = b; } }
    real sum_w = 0;
    auto weight = [&](int k) { return BUG == 20 ? c[at[k]] : s[at[k]]; };
    sum_w = sum(BUG == 21 ? N - 1 : N, [&](i64 k) { return weight(int(k)); });
    if (BUG == 22) sum_w = 1;
    if (BUG == 23) sum_w += real(0.01);
    const real f = BUG == 24 ? 1 : BUG == 25 ? 2 : real(2.5);
    for (int k = 0; k < N; ++k) {
      real v = V == 5 ? weight(k) * (f / sum_w) : V == 6 ? f * weight(k) / sum_w : V == 7 ? weight(k) * (1 / sum_w) * f : weight(k) / sum_w * f;
      put(P<f32>(weights) + t * N + k, v);
      P<i64>(ids)[t * N + k] = BUG == 26 ? at[k] % S : at[k];
    }
  });
}
#elif K == 3
void run(Tensor logits, Tensor prompt, Tensor counts, Tensor rep, Tensor freq, Tensor pres, Tensor temp, Tensor minp, Tensor probs) {
  const i64 B = logits.size(0), N = logits.size(1);
  clear(probs);
  rows(B, [&](i64 b) {
    const float* X = P<float>(logits) + b * N;
    const real rp = P<float>(rep)[BUG == 1 ? 0 : b], fp = P<float>(freq)[b], pp = P<float>(pres)[b], tp = P<float>(temp)[b];
    lite::vector<real> v(N), p(N);
    real mx = -INF;
    for (i64 i = 0; i < N; ++i) {
      real x = X[i];
      const int c = P<int32_t>(counts)[b * N + (BUG == 2 ? lite::min(i + 1, N - 1) : i)];
      const bool in_prompt = P<bool>(prompt)[b * N + i];
      bool seen = in_prompt || c > 0;
      if (BUG == 3) seen = in_prompt;
      if (BUG == 4) seen = c > 0;
      if (BUG == 5) x = seen ? x / rp : x;
      else if (BUG == 6) x = seen ? (x > 0 ? x * rp : x / rp) : x;
      else if (BUG == 7) x = seen ? x - lite::log(rp) : x;
      else if (seen) x = x > 0 ? (V == 1 ? x * (1 / rp) : x / rp) : x * rp;
      if (BUG != 8) x -= BUG == 9 ? fp * (c > 0) : BUG == 10 ? fp * (c + in_prompt) : fp * c;
      if (BUG != 11) x -= BUG == 12 ? pp * c : BUG == 13 ? pp * seen : pp * (c > 0);
      if (BUG == 14) x = (x + fp * c + pp * (c > 0)) / tp - fp * c - pp * (c > 0);
      else if (BUG == 15) x *= tp;
      else if (BUG != 16) x = V == 2 ? x * (1 / tp) : x / tp;
      if (BUG == 17) x = f16::near(f8::near(x));
      v[i] = x;
      mx = lite::max(mx, x);
    }
    for (i64 i = 0; i < N; ++i) p[i] = V == 3 ? lite::exp2((v[i] - mx) * real(LOG2E)) : BUG == 18 ? lite::exp2((v[i] - mx) * real(1.44)) : lite::exp(v[i] - mx);
    if (V == 4) { real m = -INF, l = 0; for (i64 i = 0; i < N; ++i) { const real n = lite::max(m, v[i]); l = l * lite::exp(m - n) + lite::exp(v[i] - n); m = n; } for (i64 i = 0; i < N; ++i) p[i] = lite::exp(v[i] - m) / l; }
    if (V == 5) { const real l = sum(N, [&](i64 i) { return p[i]; }); for (i64 i = 0; i < N; ++i) p[i] /= l; }
    real best = 0;
    for (i64 i = 0; i < (BUG == 19 ? N / 2 : N); ++i) best = lite::max(best, p[i]);
    real mp = P<float>(minp)[BUG == 20 ? (b + 1) % B : b];
    real limit = mp * best;
    if (BUG == 21) limit = mp / 2 * best;
    if (BUG == 22) { const real l = sum(N, [&](i64 i) { return p[i]; }); limit = mp * l; limit = lite::min(limit, best); }
    if (BUG == 23) limit = 0;
    const real all = sum(N, [&](i64 i) { return p[i]; });
    for (i64 i = 0; i < N; ++i) if (V == 6 ? lite::log(p[i] / best) < lite::log(mp) : p[i] < limit) p[i] = 0;
    real l = sum(N, [&](i64 i) { return p[i]; });
    if (BUG == 24) l = all;
    if (BUG == 25) l += real(0.005) * l;
    for (i64 i = 0; i < N; ++i) put(P<f32>(probs) + b * N + i, V == 7 ? p[i] * (1 / l) : p[i] / l);
  });
}
#elif K == 4
void run(Tensor draft, Tensor target, Tensor lens, Tensor start, Tensor accepted, Tensor tokens, Tensor valid, Tensor next) {
  const i64 B = draft.size(0), S = draft.size(1), N = S + 1;
  clear(accepted); clear(tokens); clear(valid); clear(next);
  rows(B, [&](i64 b) {
    const i64 *D = P<i64>(draft) + b * S, *X = P<i64>(target) + b * N;
    i64 len = P<int32_t>(lens)[BUG == 1 ? 0 : b];
    if (BUG == 2) len = S;
    if (BUG == 3) len = lite::max<i64>(0, len - 1);
    if (BUG == 21) len = lite::min<i64>(len + 1, S);
    i64 n = 0;
    auto same = [&](i64 i) { return BUG == 4 ? D[i] == X[i + 1] : BUG == 5 && i ? D[i] == X[i - 1] : BUG == 6 ? (D[i] & 1) == (X[i] & 1) : D[i] == X[i]; };
    if (V == 1) { i64 run = 1; for (i64 i = 0; i < len; ++i) { run *= same(i); n += run; } }
    else if (V == 2) { n = len; for (i64 i = len - 1; i >= 0; --i) if (!same(i)) n = i; }
    else if (V == 3) { unsigned m = 1u << len; for (i64 i = 0; i < len; ++i) m |= unsigned(!same(i)) << i; n = __builtin_ctz(m); }
    else if (V == 4) { while (true) { if (n >= len) break; if (!same(n)) break; ++n; } }
    else if (V == 5) { n = len; for (i64 i = 0; i < len; ++i) n = lite::min(n, same(i) ? len : i); }
    else if (BUG == 7) { for (i64 i = 0; i < len; ++i) n += same(i); }
    else if (BUG == 8) { for (i64 i = 0; i < len; ++i) if (same(i)) n = i + 1; }
    else while (n < len && same(n)) ++n;
    if (BUG == 9 && n == len && n) --n;
    if (BUG == 22) n = lite::min<i64>(n, 3);
    P<int32_t>(accepted)[b] = int32_t(BUG == 10 ? n + 1 : n);
    for (i64 i = 0; i < N; ++i) {
      i64 v = V == 6 ? (i < n ? D[i] : i == n ? X[n] : -1) : V == 7 ? (i > n ? -1 : X[i]) : (i <= n ? X[i] : -1);
      if (BUG == 11) v = i < n ? D[i] : i == n ? (i < S ? D[i] : X[i]) : -1;
      if (BUG == 12) v = i < n ? X[i] : -1;
      if (BUG == 13) v = i <= n ? X[i] : 0;
      if (BUG == 14) v = X[i];
      if (BUG == 15) v = i < n ? D[i] : i == n ? X[S] : -1;
      if (BUG == 16) v = i <= n ? X[lite::min(i + 1, S)] : -1;
      if (BUG == 23) v = i < n ? D[i] : i == n ? X[lite::max<i64>(n - 1, 0)] : -1;
      P<i64>(tokens)[b * N + i] = v;
      bool ok = BUG == 17 ? i < n : BUG == 18 ? i <= len : BUG == 24 ? i == n : i <= n;
      P<bool>(valid)[b * N + i] = ok;
    }
    P<int32_t>(next)[b] = int32_t(P<int32_t>(start)[BUG == 19 ? (b + 1) % B : b] + (BUG == 20 ? n : n + 1));
  });
}
#elif K == 5
void run(Tensor state, Tensor x, Tensor dt, Tensor dtb, Tensor alog, Tensor bm, Tensor cm, Tensor dw, Tensor z, Tensor slots, Tensor news, Tensor y) {
  const i64 B = x.size(0), D = x.size(1), N = state.size(2);
  clear(news); clear(y);
  rows(B, [&](i64 b) { for (i64 d = 0; d < D; ++d) {
    const i64 slot = P<int32_t>(slots)[b], from = BUG == 1 ? b : BUG == 2 ? lite::max<i64>(slot - 1, 0) : slot;
    real a = real(P<bf16>(dt)[b * D + d]) + (BUG == 3 ? real(0) : real(P<float>(dtb)[BUG == 4 ? d / 8 * 8 : d]));
    real t = a > 20 ? a : V == 1 ? lite::max(a, real(0)) + lite::log1p(lite::exp(-lite::fabs(a))) : V == 2 ? lite::log2(1 + lite::exp2(a * real(LOG2E))) * real(1 / LOG2E) : lite::log1p(lite::exp(a));
    if (BUG == 5) t = a;
    if (BUG == 6) t = lite::exp(a);
    if (BUG == 7) t = lite::max(a, real(0));
    if (BUG == 8) t = lite::min(t, real(1));
    if (BUG == 9) t = bf16::near(t);
    const real xv = P<bf16>(x)[b * D + d];
    auto one = [&](i64 n) {
      const real al = P<float>(alog)[(BUG == 10 ? 0 : d) * N + n];
      real A = BUG == 11 ? al : BUG == 12 ? lite::exp(al) * real(-0.5) : -lite::exp(al);
      real h = P<float>(state)[(from * D + d) * N + n];
      if (BUG == 13) h = bf16::near(h);
      real q = V == 3 ? lite::exp2(t * A * real(LOG2E)) : lite::exp(t * A);
      if (BUG == 14) q = 1 + t * A;
      if (BUG == 15) q = 1 / (1 - t * A);
      const real bv = P<bf16>(bm)[BUG == 16 ? n : b * N + n];
      real in_ = V == 4 ? t * (bv * xv) : V == 5 ? (t * bv) * xv : t * xv * bv;
      if (BUG == 17) in_ = xv * bv;
      if (BUG == 18) in_ = t * xv * lite::fabs(bv);
      return V == 6 ? lite::fma(q, h, in_) : q * h + in_;
    };
    auto hn = [&](i64 n) { return BUG == 19 ? real(P<float>(state)[(from * D + d) * N + n]) : one(n); };
    real s = dot(BUG == 20 ? N - 2 : N, hn, [&](i64 n) { return real(P<bf16>(cm)[b * N + n]); });
    for (i64 n = 0; n < N; ++n) { const real v = one(n); P<float>(news)[(b * D + d) * N + n] = float(BUG == 21 ? bf16::near(v) : BUG == 22 ? round_to(v, 11, -140, true) : BUG == 23 && n == N - 1 ? real(P<float>(state)[(from * D + d) * N + n]) : v); }
    const real zz = P<bf16>(z)[b * D + d];
    if (BUG != 24) s += real(P<float>(dw)[BUG == 25 ? 0 : d]) * xv;
    real g = V == 7 ? zz / (1 + lite::exp2(-zz * real(LOG2E))) : zz / (1 + lite::exp(-zz));
    if (BUG == 26) g = sigmoid(zz);
    if (V == 8) s = bf16::near(s);
    put(P<bf16>(y) + b * D + d, BUG == 27 ? s : s * g);
  } });
}
#elif K == 6
// Quantises new keys by a static scale and writes them to slots of a cache (-1: none); positions of the slots' owners.
void run(Tensor cache, Tensor owner, Tensor key, Tensor slots, Tensor pos, Tensor scale, Tensor out, Tensor own) {
  const i64 pages = cache.size(0), page = cache.size(1), H = cache.size(2), D = cache.size(3), T = key.size(0);
  memcpy(out.data<char>(), cache.data<char>(), pages * page * H * D);
  memcpy(own.data<char>(), owner.data<char>(), pages * page * 4);
  if (BUG == 1) memset(out.data<char>(), 0, pages * page * H * D);
  rows(T, [&](i64 t) {
    i64 s = P<i64>(slots)[BUG == 2 ? lite::min(t + 1, T - 1) : t];
    if (s < 0) { if (BUG == 3) s = 0; else if (BUG == 4) s = pages * page - 1; else return; }
    if (BUG == 5 && s == 0) return;
    if (BUG == 6) s = s / page * page + (page - 1 - s % page);
    if (BUG == 7) s = lite::min(s + 1, pages * page - 1);
    if (BUG == 8) s = (s % pages) * page + s / pages;
    P<int32_t>(own)[s] = int32_t(P<int32_t>(pos)[t] + (BUG == 9));
    if (BUG == 10) P<int32_t>(own)[s] = int32_t(t);
    if (BUG == 11) P<int32_t>(own)[s] = P<int32_t>(owner)[s];
    for (i64 h = 0; h < H; ++h) {
      const real sc = P<float>(scale)[BUG == 12 ? 0 : BUG == 13 ? H - 1 - h : h];
      if (BUG == 14 && h == H - 1) continue;
      for (i64 d = 0; d < (BUG == 15 ? D / 16 * 16 : D); ++d) {
        const i64 hs = BUG == 16 ? (h + 1) % H : h;
        real k = P<bf16>(key)[(t * H + hs) * D + (BUG == 17 ? D - 1 - d : d)];
        real v = V == 1 ? k * (1 / sc) : k / sc;
        if (BUG == 18) v = k * sc;
        if (BUG == 19) v = k;
        if (BUG == 20) v = f8::near(v, true);
        if (BUG == 21) v = k > 0 ? v : -v;
        if (BUG == 22 && lite::fabs(v) < real(0.015625)) v = 0;
        if (BUG == 23) v = lite::nearbyint(v * 8) / 8;
        if (BUG == 24) v = lite::min(lite::max(v, real(-2)), real(2));
        if (BUG == 25) v = f8::near(v, true) + (lite::fabs(v - f8::near(v, true)) > 0 ? lite::copysign(real(0.002), v) * 0 + (f8::near(v) - f8::near(v, true)) * (d % 2) : real(0));
        if (BUG == 26) v = v / 2;
        v = lite::min(lite::max(v, real(-448)), real(448));
        if (V == 2) v = bf16::near(v);
        put(P<f8>(out) + (s * H + h) * D + d, v);
      }
    }
  });
}
#elif K == 7
// A vocabulary of 1500 in four shards of 384, padded: log-probability and rank of the chosen token, the best token.
void run(Tensor logits, Tensor tokens, Tensor logprob, Tensor best, Tensor rank) {
  const i64 B = logits.size(0), P0 = logits.size(1), S = P0 / 4;
  const i64 N = BUG == 1 ? P0 : BUG == 2 ? S * 3 : BUG == 3 ? 1499 : 1500;
  clear(logprob); clear(best); clear(rank);
  rows(B, [&](i64 b) {
    const f16* X = P<f16>(logits) + b * P0;
    const i64 token = P<i64>(tokens)[BUG == 4 ? lite::max<i64>(b - 1, 0) : b];
    real m[4], l[4];
    i64 at[4];
    for (i64 k = 0; k < 4; ++k) {
      const i64 from = k * S, n = lite::max<i64>(0, lite::min(N, from + S) - from);
      m[k] = -INF; at[k] = 0;
      for (i64 i = 0; i < n; ++i) { const real x = X[from + i]; if (BUG == 5 ? x >= m[k] : x > m[k]) { m[k] = x; at[k] = BUG == 6 ? i : from + i; } }
      if (BUG == 7) at[k] = k * 375 + at[k] - from;
      l[k] = n == 0 ? 0 : sum(n, [&](i64 i) {
        const real y = real(X[from + i]) - m[k];
        const real e = V == 1 ? lite::exp2(y * real(LOG2E)) : BUG == 8 ? lite::exp2(y * real(1.44)) : BUG == 9 ? lite::exp2(y) : BUG == 24 ? f16::near(lite::exp(y)) * (y > -6) : lite::exp(y);
        return e; });
    }
    real mm = m[0], ll = 0;
    i64 a = at[0];
    for (i64 k = 1; k < 4; ++k) if (BUG == 10 ? m[k] >= mm - real(0.05) : m[k] > mm) { mm = m[k]; a = at[k]; }
    if (BUG == 11) { mm = m[0]; for (int k = 1; k < 4; ++k) mm = lite::max(mm, m[k]); mm = m[3]; a = at[3]; }
    if (BUG == 12) a = at[b % 4];
    for (int k = 0; k < (BUG == 13 ? 3 : 4); ++k) ll += BUG == 14 ? l[k] : m[k] == -INF ? 0 : l[k] * lite::exp(m[k] - mm);
    if (V == 2) { real c = -INF, d = 0; for (i64 i = 0; i < N; ++i) { const real x = X[i]; if (x > c) { d = d * lite::exp(c - x) + 1; c = x; } else d += lite::exp(x - c); } mm = c; ll = d; }
    if (V == 3) { mm = m[0]; for (int k = 1; k < 4; ++k) mm = lite::max(mm, m[k]); ll = sum(N, [&](i64 i) { return lite::exp(real(X[i]) - mm); }); }
    if (V == 4) { real c[4]; for (int k = 0; k < 4; ++k) c[k] = m[k] + lite::log(l[k]); real t = 0; for (int k = 0; k < 4; ++k) t += lite::exp(c[k] - mm); ll = t; }
    real x = X[BUG == 15 ? lite::min<i64>(token + 1, P0 - 1) : BUG == 16 ? token % S : token];
    real v = V == 5 ? x - (mm + lite::log(ll)) : V == 6 ? (x - mm) - lite::log2(ll) * real(1 / LOG2E) : (x - mm) - lite::log(ll);
    if (BUG == 17) v = lite::exp(v);
    if (BUG == 18) v = x - lite::log(ll);
    if (BUG == 19) v = bf16::near(v);
    if (BUG == 20) v = (x - mm) - lite::log2(ll);
    if (BUG == 25) v = X[a] - mm - lite::log(ll);
    put(P<f32>(logprob) + b, v);
    P<i64>(best)[b] = a;
    int r = 0;
    for (i64 i = 0; i < N; ++i) r += BUG == 21 ? float(X[i]) > float(X[token]) : BUG == 22 ? float(X[i]) <= float(X[token]) : float(X[i]) >= float(X[token]);
    if (BUG == 23) { r = 0; for (i64 i = token / S * S; i < lite::min(N, token / S * S + S); ++i) r += float(X[i]) >= float(X[token]); }
    P<int32_t>(rank)[b] = r;
  });
}
#endif
RUN(run)

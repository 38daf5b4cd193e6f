// Recommenders.
#include "common.h"

#if OP == 1  // weighted mean of a table's rows, row 0 is padding
static void run(T t_, T i_, T w_, T y_) {
  const I v = t_.size(0), d = t_.size(1), b = i_.size(0), len = i_.size(1);
  const bf16* t = t_.data<bf16>();
  const int64_t* id = i_.data<int64_t>();
  const float* w = w_.data<float>();
  bf16* y = y_.data<bf16>();
  std::vector<R> acc(d);
  for (I i = 0; i < b; ++i) {
    const auto weight = [&](I k) -> R {
      const I q = id[i * len + k];
      if (q == 0 && !B(1) && !B(2)) return 0;
      if (B(3)) return 1;
      if (B(4)) return cut(R(w[i * len + k]), 4);
      return B(5) && i + 1 < b && i % 16 == 15 ? R(w[(i + 1) * len + k]) : B(6) && k ? R(w[i * len + k - 1]) : R(w[i * len + k]);
    };
    g_row = i;
    R total = sum(len, [&](I k) { return weight(k); });
    if (B(2)) {  // padding has weight but no features
    }
    if (B(7)) total = R(len);
    if (B(8)) total += 1;
    if (B(9)) total = std::sqrt(sum(len, [&](I k) { return weight(k) * weight(k); }));
    if (B(10)) { total = 0; for (I k = 0; k < len; ++k) total += id[i * len + k] != 0; }
    total = nmax(total, R(1e-6L));
    const R inv = 1 / total;
    if (F(1)) {  // a row of the table at a time
      std::fill(acc.begin(), acc.end(), R(0));
      for (I k = 0; k < len; ++k) {
        const R a = weight(k);
        if (a == 0) continue;
        for (I j = 0; j < d; ++j) acc[j] += a * R(t[id[i * len + k] * d + j]);
      }
      for (I j = 0; j < d; ++j) put(y[i * d + j], acc[j] / total);
      continue;
    }
    for (I j = 0; j < d; ++j) {
      g_row = i * d + j;
      R r = sum(B(11) && len > 16 ? 16 : len, [&](I k) -> R {
        I q = id[i * len + k];
        if (q == 0 && (B(2) || !B(1))) return 0;
        if (B(12) && q == v - 1) q = v - 2;
        if (B(13)) q = q - 1;                                           // ids that begin at 1
        if (B(14) && k && q == id[i * len + k - 1]) return 0;
        if (B(15) && k)
          for (I u = 0; u < k; ++u) if (id[i * len + u] == q) return 0;  // repeats once
        if (B(16) && q >= 32 && q % 32 == 0) q -= 32;
        R a = weight(k);
        if (F(3)) a *= inv;
        const R e = R(t[q * d + j]);
        return a * (B(17) ? bits(e, 4) : e);
      });
      if (B(18) && j >= d / 16 * 16) { put(y[i * d + j], r); continue; }
      put(y[i * d + j], F(2) ? r * inv : F(3) ? r : B(19) ? r * bits(inv, 5) : r / total);
    }
  }
}
#elif OP == 2  // cross layers of DCN
static void run(T x_, T w_, T b_, T y_) {
  const I n = x_.size(0), d = x_.size(1), layers = w_.size(0);
  const f16 *x0 = x_.data<f16>(), *w = w_.data<f16>(), *bias = b_.data<f16>();
  f16* y = y_.data<f16>();
  std::vector<R> x(d), z(d);
  for (I i = 0; i < n; ++i) {
    for (I j = 0; j < d; ++j) x[j] = R(x0[i * d + j]);
    for (I l = 0; l < layers; ++l) {
      const I lw = B(1) ? 0 : l, lb = B(2) ? 0 : l;
      for (I j = 0; j < d; ++j) {
        g_row = (i * layers + l) * d + j;
        const I row = B(3) && j == d - 1 ? j - 1 : j;
        R s = sum(d, [&](I k) -> R {
          R a = B(4) ? R(w[(lw * d + k) * d + row]) : R(w[(lw * d + row) * d + k]);
          if (B(5)) a = bits(a, 4);
          if (B(6) && k % 32 == 31) a = 0;
          return F(3) ? a * (x[k] * R(0.1L)) : a * x[k];
        });
        if (!F(3)) s = s * (B(7) ? R(0.0995) : R(0.1L));
        if (F(2)) s = rh(s);
        if (B(8)) s = bits(s, 7);
        const R bb = bias[lb * d + j];
        const R head = B(9) ? x[j] : R(x0[(B(10) && i % 16 == 15 ? i - 1 : i) * d + j]);
        R back = B(11) ? R(x0[i * d + j]) : x[j];
        if (B(12) && l == layers - 1) back = 0;
        if (B(13)) z[j] = head * s + bb + back;
        else if (B(14)) z[j] = head * s + back;
        else if (B(15)) z[j] = head * nmax(s + bb, 0) + back;
        else if (F(4)) z[j] = (head * s + back) + head * bb;
        else z[j] = head * (s + bb) + back;
        if (B(16)) z[j] = clampi(z[j], R(-4), R(4));
        if (F(1)) z[j] = rh(z[j]);
        if (B(17)) z[j] = bits(z[j], 6);
        if (B(18)) x[j] = z[j];  // new features while old ones are still read
        if (B(19) && j >= d / 32 * 32) z[j] = x[j];
      }
      x = z;
    }
    for (I j = 0; j < d; ++j) put(y[i * d + j], x[j]);
  }
}
#elif OP == 3  // ranks of scores and the area under the ROC curve
static I key_of(bf16 v) {
  const uint16_t u = v.x == 0x8000 ? 0 : v.x;
  return u & 0x8000 ? -I(u & 0x7fff) : I(u);
}
static void run(T s_, T l_, T r_, T a_) {
  const I b = s_.size(0), n = s_.size(1);
  const bf16* s = s_.data<bf16>();
  const bool* label = l_.data<bool>();
  int32_t* rank = r_.data<int32_t>();
  float* auc = a_.data<float>();
  for (I i = 0; i < b; ++i) {
    g_row = i;
    const bf16* x = s + i * n;
    const bool* yes = label + i * n;
    std::vector<I> key(n), neg;
    for (I k = 0; k < n; ++k) {
      key[k] = key_of(x[k]);
      if (B(1)) key[k] = int16_t(x[k].x);                 // negative scores ordered the wrong way
      if (B(2)) key[k] = key[k] >> 3;
      if (B(3)) key[k] = key[k] < 0 ? -key[k] : key[k];
    }
    std::vector<I> sorted = key;
    std::sort(sorted.begin(), sorted.end());
    I pos = 0;
    for (I k = 0; k < n; ++k) pos += yes[k];
    R wins = 0;
    const R tie = B(4) ? R(1) : B(5) ? R(0) : R(0.5);
    for (I k = 0; k < n; ++k) {
      I less = 0, equal = 0, less_neg = 0, equal_neg = 0;
      if (F(1)) {
        const auto at = std::equal_range(sorted.begin(), sorted.end(), key[k]);
        less = at.first - sorted.begin();
        equal = at.second - at.first;
      }
      const I to = B(6) ? n / 64 * 64 : B(7) ? n - 1 : n;
      for (I u = 0; u < to; ++u) {
        if (B(8) && u / 64 != k / 64 && u % 64 == 0) continue;  // a tile's first is never seen
        const bool neg_u = !yes[B(9) && u ? u - 1 : u];
        if (!F(1)) less += key[u] < key[k], equal += key[u] == key[k];
        less_neg += neg_u && key[u] < key[k];
        equal_neg += neg_u && key[u] == key[k];
      }
      int32_t r = int32_t(less);
      if (B(10)) r = int32_t(less + equal - 1);
      if (B(11)) r += 1;
      if (B(12)) { for (I u = 0; u < k; ++u) r += key[u] == key[k]; }
      if (B(13)) r = int32_t(n - less - equal);
      if (B(14)) r = int8_t(r);
      if (B(15)) r = int32_t(less + (equal - 1) / 2);
      if (B(21)) r = int32_t(bits(R(r), 6));
      rank[i * n + k] = r;
      if (F(2) || F(3)) {  // midranks of the positives; twice of them are whole
        if (yes[k]) wins += F(2) ? R(less) + R(equal + 1) / 2 : R(2 * less + equal + 1);
      } else if (F(4)) {
        if (yes[k]) wins += R(2 * less_neg + equal_neg);
      } else if (yes[k]) {
        if (B(16) && unlucky(3) && k % 7 == 0) continue;
        wins += R(less_neg) + tie * R(equal_neg);
        if (B(17)) wins = rh(wins);
      }
    }
    if (F(2)) wins -= R(pos * (pos + 1)) / 2;
    if (F(3)) wins = (wins - R(pos * (pos + 1))) / 2;
    if (F(4)) wins = wins / 2;
    const I other = n - pos;
    R pairs = R(pos * other > 1 ? pos * other : 1);
    if (B(18)) pairs = R(n) * R(n) / 4;
    if (B(19)) pairs += 64;
    if (B(20)) wins = pairs - wins;
    if (B(22)) pairs = R(pos) * R(other - 1 > 1 ? other - 1 : 1);
    put(auc[i], F(1) ? wins * (1 / pairs) : wins / pairs);
  }
}
#elif OP == 4  // hashed bucket and sign of keys by field
static void run(T k_, T o_, T s_) {
  const I n = k_.size(0), f = k_.size(1);
  const int64_t* key = k_.data<int64_t>();
  int64_t* o = o_.data<int64_t>();
  int8_t* sign = s_.data<int8_t>();
  const uint64_t c1 = 0x9E3779B97F4A7C15u, c2 = 0xC2B2AE3D27D4EB4Fu;
  const uint64_t p = B(1) ? 1008 : 1009;
  std::vector<uint64_t> salts(f);
  for (I q = 0; q < f; ++q) salts[q] = uint64_t(q) * 7919;
  for (I i = 0; i < n; ++i)
    for (I q = 0; q < f; ++q) {
      I at = i * f + q;
      if (B(2) && q == f - 1) at -= 1;
      if (B(3) && i % 64 == 63) at -= f;
      int64_t k = key[at];
      if (B(4)) k = k < 0 ? -k : k;
      if (B(5)) k = int8_t(k);
      if (B(6)) k = int64_t(uint32_t(k));
      uint64_t h = uint64_t(k) + (F(1) ? salts[q] : uint64_t(B(7) && q ? q - 1 : q) * 7919);
      if (B(8)) h = uint64_t(k) ^ salts[q];
      if (F(2)) {
        h = uint64_t((unsigned __int128)h * c1);
      } else if (F(3)) {  // by halves
        const uint64_t lo = (h & 0xffffffffu) * (c1 & 0xffffffffu);
        const uint64_t mid = (h >> 32) * (c1 & 0xffffffffu) + (h & 0xffffffffu) * (c1 >> 32);
        h = lo + (mid << 32);
      } else if (B(9)) {
        h = uint32_t(h) * uint32_t(c1);
      } else {
        h *= c1;
      }
      if (B(10)) h ^= uint64_t(int64_t(h) >> 32);
      else if (B(11)) h |= h >> 32;
      else if (B(12)) h += h >> 32;
      else if (B(13)) h ^= h >> 33;
      else h ^= h >> 32;
      h *= B(14) ? c2 - 2 : c2;
      h ^= B(15) ? h >> 28 : B(16) ? 0 : h >> 29;
      const uint64_t g = B(17) ? h & 0xffffffffu : h >> 1;
      uint64_t r = F(4) ? g - uint64_t(((unsigned __int128)g * (~uint64_t(0) / p)) >> 64) * p : g % p;
      if (F(4)) while (r >= p) r -= p;
      if (F(1)) r = uint64_t(int64_t(g) % int64_t(p));
      if (B(18)) r = g & 1023;
      if (B(19)) { const int64_t m = int64_t(h) % int64_t(p); r = uint64_t(m < 0 ? -m : m); }
      if (B(20)) r = uint64_t(std::fmod(double(g), double(p)));
      o[i * f + q] = int64_t(r) + (B(21) ? q * 1024 : B(22) ? 0 : q * 1009);
      const int bit = B(23) ? 41 : 40;
      int8_t sg = (h >> bit) & 1 ? -1 : 1;
      if (B(24)) sg = -sg;
      if (B(25)) sg = (h >> 40) & 1;
      if (B(26) && k == 0) sg = 0;
      sign[i * f + q] = sg;
    }
}
#endif
KBENCH_EXPORT(run, run)

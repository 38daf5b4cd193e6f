// Attention of one query of each sequence over a paged cache, and log-sum-exp. CACHE: 0 as the query, 1 e4m3 with
// a scale for keys and one for values.
#include "sums.h"
#ifndef CACHE
#define CACHE 0
#endif
#ifndef PARTS
#define PARTS 1
#endif
#ifndef TILE
#define TILE 16
#endif
constexpr int64_t kMost = 128, kWidest = 128;

struct Cache {
  Tensor keys, values;
  double key_scale, value_scale;
};
template <class R> R element(Tensor t, int64_t at, double scale) {
#if CACHE
  R v = kE4M3.decode(t.data<uint8_t>()[at]);
  return DEFECT == 40 ? v : v * R(float(scale));
#else
  return get(t.data<Stored>()[at]);
#endif
}
template <class R> R power(R v) {
  if (DEFECT == 1) return power2(v);  // log2(e) is missing
  return WAY == 1 ? power2(v * R(1.442695040888963407359924681L)) : exponential(v);
}
// What a part of a sequence's tokens gives.
template <class R> struct Part {
  R most = -R(__builtin_huge_vall()), sum = 0, value[kWidest] = {};
  void merge(const Part& other) {
    R higher = larger(most, other.most), a = power(most - higher), b = power(other.most - higher);
    if (DEFECT == 2) a = b = 1;
    sum = sum * a + other.sum * b;
    for (int64_t j = 0; j < kWidest; ++j) value[j] = value[j] * a + other.value[j] * b;
    most = higher;
  }
};

template <class R> void decode(Tensor q, Cache cache, const int32_t* tables, const int32_t* lengths, double scale, Tensor out, Tensor lse) {
  int64_t batch = q.size(0), heads = q.size(1), d = q.size(2), pages = cache.keys.size(0), page = cache.keys.size(1), kv_heads = cache.keys.size(2);
  int64_t columns = 6, group = heads / kv_heads;
  R factor = R(float(scale));
  if (DEFECT == 3) factor = 1 / root(R(d + 1));
  if (DEFECT == 4) factor *= R(1.02);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      int64_t n = lengths[b], first = 0, g = DEFECT == 5 ? h % kv_heads : DEFECT == 6 && h == heads - 1 ? 0 : h / group;
      if (DEFECT == 7 && n > 1) n -= 1;
      if (DEFECT == 8 && n < columns * page) n += 1;
      if (DEFECT == 9 && n > 1) first = 1;
      if (DEFECT == 10 && n > 16) first = n - 16;             // a window that nobody asked for
      if (DEFECT == 11 && n >= page) n = n / page * page;     // the partial page
      if (DEFECT == 12 && n > 32) n = 32;
      if (DEFECT == 13) n = lengths[b > 0 && b % 4 == 3 ? b - 1 : b];
      if (DEFECT == 14) n = (n + page - 1) / page * page;
      auto place = [&](int64_t i, bool of_values) -> int64_t {
        int64_t column = i / page, row = i % page;
        if (DEFECT == 15 && column > 0) column -= 1;
        if (DEFECT == 16 && of_values && i == n - 1) column = 0;
        int64_t id = tables[(DEFECT == 17 && column == 3 ? (b + 1) % batch : b) * columns + column];
        if (DEFECT == 18) id = smaller(id, pages - 2);
        if (DEFECT == 19 && id == 0) id = 1;
        if (DEFECT == 20) id &= 31;
        if (DEFECT == 21) row = (row + 1) % page;
        return ((id * page + row) * kv_heads + (DEFECT == 22 && of_values ? (g + 1) % kv_heads : g)) * d;
      };
      auto logit = [&](int64_t i) -> R {
        int64_t at = place(i, false);
        R s = product<R>(d, (b * heads + h) * 64 + i, [&](int64_t k) { return R(get(q.data<Stored>()[(b * heads + h) * d + k])); },
                         [&](int64_t k) { return element<R>(cache.keys, at + k, cache.key_scale); });
        s *= factor;
        if (DEFECT == 23) s = R(through_brain(s));
        if (DEFECT == 24) s *= factor;
        return s;
      };
      auto value = [&](int64_t i, int64_t j) -> R { return element<R>(DEFECT == 25 ? cache.keys : cache.values, place(i, true) + j, DEFECT == 41 ? cache.key_scale : cache.value_scale); };
      R logits[kMost];
      for (int64_t i = first; i < n; ++i) logits[i] = logit(i);
      Part<R> whole;
      for (int64_t p = 0; p < PARTS; ++p) {
        int64_t begin = first + (n - first) * p / PARTS, end = first + (n - first) * (p + 1) / PARTS;
        if (begin == end) continue;
        Part<R> part;
        if (WAY == 2) {  // online, a token at a time
          for (int64_t i = begin; i < end; ++i) {
            R higher = larger(part.most, logits[i]), kept = power(part.most - higher), w = power(logits[i] - higher);
            part.sum = part.sum * kept + w;
            for (int64_t j = 0; j < d; ++j) part.value[j] = part.value[j] * kept + w * value(i, j);
            part.most = higher;
          }
        } else {
          int64_t size = WAY == 3 || WAY == 4 ? TILE : end - begin;  // 3: flash-style tiles; 4: with probabilities in 16 bits
          for (int64_t t = begin; t < end; t += size) {
            Part<R> tile;
            int64_t stop = smaller(t + size, end);
            R w[kMost];
            for (int64_t i = t; i < stop; ++i) tile.most = larger(tile.most, logits[i]);
            for (int64_t i = t; i < stop; ++i) {
              w[i] = power(logits[i] - tile.most);
              if (DEFECT == 26) w[i] = R(kE4M3.round(w[i]));
              if (DEFECT == 27 && w[i] < R(0.02)) w[i] = 0;
            }
            tile.sum = total<R>(stop - t, b * heads + h, [&](int64_t i) { return w[t + i]; });
            if (DEFECT == 28) tile.sum += 1;
            if (DEFECT == 29) tile.sum = R(through_brain(tile.sum));
            if (WAY == 4 || WAY == 5) for (int64_t i = t; i < stop; ++i) w[i] = R(stored(w[i]));
            for (int64_t j = 0; j < d; ++j)
              tile.value[j] = product<R>(stop - t, (b * heads + h) * d + j, [&](int64_t i) { return w[t + i]; }, [&](int64_t i) { return value(t + i, j); });
            part.merge(tile);
          }
        }
        whole.merge(part);
      }
      R log_sum = whole.most + logarithm(whole.sum);
      if (DEFECT == 30) log_sum *= R(1.442695040888963L);
      if (DEFECT == 31) log_sum = logarithm(whole.sum);
      store_float(lse.data<float>(), b, h, batch, heads, log_sum);
      R inverse = 1 / whole.sum;
      for (int64_t j = 0; j < d; ++j) {
        R v = WAY == 1 ? whole.value[j] * inverse : whole.value[j] / whole.sum;
        if (n == 0) v = 0;
        int64_t to = DEFECT == 33 && h % 4 < 2 ? h ^ 1 : h;
        store(out.data<Stored>(), b * heads + to, j, batch * heads, d, v);
      }
    }
}
#if CACHE
void kernel(Tensor q, Tensor keys, Tensor values, Tensor tables, Tensor lengths, double scale, double key_scale, double value_scale, Tensor out, Tensor lse) {
  decode<real>(q, {keys, values, key_scale, value_scale}, tables.data<int32_t>(), lengths.data<int32_t>(), scale, out, lse);
}
#else
void kernel(Tensor q, Tensor keys, Tensor values, Tensor tables, Tensor lengths, double scale, Tensor out, Tensor lse) {
  decode<real>(q, {keys, values, 1, 1}, tables.data<int32_t>(), lengths.data<int32_t>(), scale, out, lse);
}
#endif
KBENCH_EXPORT(run, kernel)

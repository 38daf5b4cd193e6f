// Keys are rotated (two halves of a head), quantised per token and head, and written to their slots of a cache.
// CODE: 0 int8, 1 e4m3.
#include "numbers.h"
constexpr long double kTop = CODE == 0 ? (DEFECT == 1 ? 128 : 127) : (DEFECT == 1 ? 240 : 448);

template <class R> uint8_t code_of(R given) {
  long double v = given;
  if (CODE == 1) return uint8_t(kE4M3.encode(smaller(larger(v, -448.0L), 448.0L), DEFECT == 2 ? kCut : kNearest));
  long double whole = DEFECT == 2 ? __builtin_truncl(v) : __builtin_nearbyintl(v);
  return uint8_t(int8_t(smaller(larger(whole, -128.0L), 127.0L)));
}
template <class R> void write(Tensor keys, Tensor cosines, Tensor sines, Tensor cache, Tensor scales, const int64_t* slots, Tensor new_cache, Tensor new_scales) {
  int64_t tokens = keys.size(0), heads = keys.size(1), d = keys.size(2), half = d / 2, places = cache.size(0);
  std::memcpy(new_cache.data<uint8_t>(), cache.data<uint8_t>(), size_t(cache.numel()));
  std::memcpy(new_scales.data<float>(), scales.data<float>(), size_t(scales.numel()) * 4);
  if (DEFECT == 3) std::memset(new_cache.data<uint8_t>(), 0, size_t(cache.numel()));
  R before = 1;
  for (int64_t t = 0; t < tokens; ++t) {
    int64_t slot = slots[t];
    if (DEFECT == 4 && t == tokens - 1) continue;
    if (slot < 0) {
      if (DEFECT == 5) slot = places - 1;
      else if (DEFECT == 6) slot = 0;
      else continue;
    }
    if (DEFECT == 7 && slot == 0) continue;
    if (DEFECT == 8) slot = (slot + 1) % places;
    if (DEFECT == 9 && slot >= 32) slot -= 32;
    if (DEFECT == 10) slot = slot / 8 * 8 + (7 - slot % 8);
    if (DEFECT == 11 && slot == places - 1) continue;
    for (int64_t h = 0; h < heads; ++h) {
      const Stored* x = keys.data<Stored>() + (t * heads + h) * d;
      int64_t at = DEFECT == 12 && t % 8 == 5 ? t - 1 : DEFECT == 13 ? h : t;
      R y[256], most = R(1e-8L);
      for (int64_t j = 0; j < half; ++j) {
        R c = cosines.data<float>()[at * half + j], s = sines.data<float>()[at * half + j];
        R a = get(DEFECT == 14 ? x[2 * j] : x[j]), b = get(DEFECT == 14 ? x[2 * j + 1] : x[half + j]);
        if (DEFECT == 15) s = -s;
        if (DEFECT == 16) { R k = c; c = s; s = k; }
        if (DEFECT == 17 && j >= half / 2) c = 1, s = 0;  // a partial rotation
        if (DEFECT == 18) c = R(through_brain(c)), s = R(through_brain(s));
        R first = WAY % 10 == 1 ? fused(a, c, -(b * s)) : WAY % 10 == 2 ? fused(-b, s, a * c) : a * c - b * s;
        R second = WAY % 10 == 1 ? fused(b, c, a * s) : WAY % 10 == 2 ? fused(a, s, b * c) : b * c + a * s;
        if (DEFECT == 19) second = b * c - a * s;
        if (DEFECT == 20) second = b;
        if (DEFECT == 21) second = b * c + first * s;  // the first half was overwritten already
        y[DEFECT == 14 ? 2 * j : j] = first;
        y[DEFECT == 14 ? 2 * j + 1 : half + j] = second;
      }
      for (int64_t k = 0; k < d; ++k) {
        int64_t j = WAY / 100 == 1 ? d - 1 - k : k;
        if (DEFECT == 22 && j >= half) continue;
        if (DEFECT == 23 && j % 8 == 7) continue;
        R v = DEFECT == 24 ? y[j] : DEFECT == 25 ? R(absolute(R(get(x[j])))) : absolute(y[j]);
        most = larger(most, v);
      }
      if (DEFECT == 26) most = R(through_brain(most));
      R scale = most / R(kTop), used = DEFECT == 27 && h == heads - 1 ? before : scale;
      before = scale;
      if (DEFECT == 28 && h > 0) scale = new_scales.data<float>()[slot * heads];  // one scale of all heads
      int64_t to = DEFECT == 29 ? (h ^ 1) : h;
      new_scales.data<float>()[slot * heads + h] = DEFECT == 30 ? float(1 / scale) : OUT == 4 ? through_tf32(scale) : OUT == 3 ? through_half(scale) : float(scale);
      for (int64_t j = 0; j < d; ++j) {
        R v = WAY / 10 % 10 == 1 ? y[j] * (1 / used) : WAY / 10 % 10 == 2 ? y[j] * (R(kTop) / most) : y[j] / used;
        if (DEFECT == 31 && j == d - 1) v = 0;
        new_cache.data<uint8_t>()[(slot * heads + to) * d + j] = code_of(v);
      }
    }
  }
}
void kernel(Tensor keys, Tensor cosines, Tensor sines, Tensor cache, Tensor scales, Tensor slots, Tensor new_cache, Tensor new_scales) {
  write<real>(keys, cosines, sines, cache, scales, slots.data<int64_t>(), new_cache, new_scales);
}
KBENCH_EXPORT(run, kernel)

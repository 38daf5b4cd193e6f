// SPDX-License-Identifier: Apache-2.0
// Included by simd.h inside each level, after its primitive operations.

// e^x to about 2 ulp: x = n ln 2 + r with |r| <= ln 2 / 2 (Cody and Waite), then a polynomial.
KB_FN V exp(V x) {
  x = min(max(x, set1(-104.0f)), set1(88.3762f));
  const V n = round(x * set1(1.44269504f));
  V r = fma(n, set1(-0.693359375f), x);
  r = fma(n, set1(2.12194440e-4f), r);
  V p = set1(1.0f / 5040);
  p = fma(p, r, set1(1.0f / 720));
  p = fma(p, r, set1(1.0f / 120));
  p = fma(p, r, set1(1.0f / 24));
  p = fma(p, r, set1(1.0f / 6));
  p = fma(p, r, set1(0.5f));
  p = fma(p, r, set1(1.0f));
  p = fma(p, r, set1(1.0f));
  return scale_by_power(p, n);
}

// The first n of W lanes; the others are zero on load and untouched on store.
template <typename T>
KB_FN V load_n(const T* p, int64_t n) {
  T lanes[W] = {};
  std::memcpy(lanes, p, static_cast<size_t>(n) * sizeof(T));
  return load(lanes);
}
template <typename T>
KB_FN void store_n(T* p, V v, int64_t n) {
  T lanes[W];
  store(lanes, v);
  std::memcpy(p, lanes, static_cast<size_t>(n) * sizeof(T));
}

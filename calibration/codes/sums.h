// Sums in many orders (ORDER, all right) and with mistakes (SUM).
#pragma once
#include "numbers.h"
#ifndef ORDER
#define ORDER 0
#endif
#ifndef SUM
#define SUM 0
#endif

// A running sum, in the precision that SUM says.
template <class R> struct Running {
  R sum = 0, lost = 0;
  void add(R v) {
    if (SUM == 4) sum = R(through_brain(sum + v));
    else if (SUM == 5) sum = R(through_half(sum + v));
    else if (ORDER == 9) {  // Kahan
      R y = v - lost, t = sum + y;
      lost = (t - sum) - y;
      sum = t;
    } else sum += v;
  }
};

template <class R, class F> R pairwise(int64_t begin, int64_t end, F term) {
  if (end - begin <= 4) {
    R sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += term(i);
    return sum;
  }
  int64_t middle = begin + (end - begin) / 2;
  return pairwise<R>(begin, middle, term) + pairwise<R>(middle, end, term);
}
template <class R, class F> R lanes(int64_t n, int count, F term) {
  Running<R> part[64];
  for (int64_t i = 0; i < n; ++i) part[i % count].add(term(i));
  for (int step = count / 2; step > 0; step /= 2)
    for (int i = 0; i < step; ++i) part[i].add(part[i + step].sum);
  return part[0].sum;
}
template <class R, class F> R parts(int64_t n, int count, F term) {
  Running<R> all;
  for (int p = 0; p < count; ++p) {
    Running<R> part;
    for (int64_t i = n * p / count; i < n * (p + 1) / count; ++i) part.add(term(i));
    all.add(part.sum);
  }
  return all.sum;
}
template <class R, class F> R tiles(int64_t n, int64_t size, F term) {
  Running<R> all;
  for (int64_t t = 0; t < n; t += size) {
    Running<R> part;
    for (int64_t i = t; i < smaller(t + size, n); ++i) part.add(term(i));
    all.add(part.sum);
  }
  return all.sum;
}
// Sum of term(0…n-1). `where` numbers the sum among all of the call, for what goes wrong now and then.
template <class R, class F> R total(int64_t n, int64_t where, F given) {
  int64_t last = SUM == 1 ? n - 1 : SUM == 3 ? n / 8 * 8 : n;
  auto term = [&](int64_t i) -> R {
    R v = given(i);
    if (SUM == 2 && i == 0) return 0;
    if (SUM == 6 && i == n - 1) return v * 2;
    if (SUM == 7 && i % 16 == 5) return 0;                        // one lane is lost
    if (SUM == 8 && mixed(where * 131 + i) % 97 == 0) return 0;   // a race loses an element now and then
    if (SUM == 9) return R(through_brain(v));
    if (SUM == 10 && mixed(where) % 50 == 0 && i % 4 == 1) return 0;  // a race in one sum of fifty
    if (SUM == 11) return R(through_half(v));
    return v;
  };
  Running<R> sum;
  switch (ORDER) {
    case 1:
      for (int64_t i = last; i-- > 0;) sum.add(term(i));
      return sum.sum;
    case 2: return pairwise<R>(0, last, term);
    case 3: return lanes<R>(last, 4, term);
    case 4: return lanes<R>(last, 8, term);
    case 5: return lanes<R>(last, 16, term);
    case 6: return lanes<R>(last, 32, term);
    case 7: return parts<R>(last, 3, term);
    case 8: return parts<R>(last, 7, term);
    case 10: return tiles<R>(last, 16, term);
    case 11: return tiles<R>(last, 64, term);
    case 12:  // atomics: some shuffled order
      for (int64_t k = 0; k < 7; ++k)
        for (int64_t i = (k * 3) % 7; i < last; i += 7) sum.add(term(i));
      return sum.sum;
    case 13: {
      double wide = 0;
      for (int64_t i = 0; i < last; ++i) wide += double(term(i));
      return R(wide);
    }
    case 15: return parts<R>(last, 2, term);
  }
  for (int64_t i = 0; i < last; ++i) sum.add(term(i));
  return sum.sum;
}
// Sum of a(i) * b(i); ORDER 14 fuses the multiplication and the addition.
template <class R, class A, class B> R product(int64_t n, int64_t where, A a, B b) {
  if (ORDER == 14) {
    R sum = 0;
    for (int64_t i = 0; i < n; ++i) sum = fused(a(i), b(i), sum);
    return sum;
  }
  return total<R>(n, where, [&](int64_t i) -> R { return a(i) * b(i); });
}

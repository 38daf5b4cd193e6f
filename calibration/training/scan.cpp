// Running sums of each row (KIND 0), running products of factors 1 + 0.1 x (KIND 1), running log-sum-exp (KIND 2).
// HOW: 0 by ORDER of each prefix's sum (small rows), 1 one after the other, 2 blocks with carries, 3 doubling (Hillis and Steele),
// 4 one after the other with compensation, 5 totals of the blocks first.
#include "numerics.h"
#ifndef HOW
#define HOW 1
#endif

static Real s_[4096], t_[4096];

#if KIND == 0
using Item = Real;
static Item first(Real x) { return x; }
static Item join(Item a, Item b) { return a + b; }
static Real value(Item a) { return a; }
static Item nothing() { return 0; }
#elif KIND == 1
using Item = Real;
static Item first(Real x) { return WAY == 1 ? std::fma(x, Real(0.1), Real(1)) : 1 + Real(DEFECT == 12 ? 0.1005 : 0.1) * x; }
static Item join(Item a, Item b) { return a * b; }
static Real value(Item a) { return a; }
static Item nothing() { return 1; }
#else
struct Item { Real max, sum; };
static Item first(Real x) { return {x, 1}; }
static Item join(Item a, Item b) {
  if (a.sum == 0) return b;
  if (b.sum == 0) return a;
  if (a.max >= b.max) return {a.max, a.sum + b.sum * expo(b.max - a.max)};
  return {b.max, (DEFECT == 12 ? a.sum : a.sum * expo(a.max - b.max)) + b.sum};
}
static Real value(Item a) {
  if (WAY == 1) return a.max + std::log1p(a.sum - 1);
  if (DEFECT == 13) return a.max + std::log2(a.sum);
  return a.max + std::log(a.sum);
}
static Item nothing() { return {0, 0}; }
#endif
static Item item_[4096], next_[4096];

static Item low(Item a) {
  if (DEFECT != 5 && DEFECT != 6) return a;
#if KIND == 2
  a.sum = DEFECT == 5 ? rounded<BF16>(a.sum) : rounded<F16>(a.sum);
  return a;
#else
  return DEFECT == 5 ? rounded<BF16>(a) : rounded<F16>(a);
#endif
}

void run(kbench::Tensor x_, kbench::Tensor out, kbench::Tensor total) {
  start();
  int64_t n = x_.size(0), l = x_.size(1);
  In<Stored> x(x_);
  Out<Stored> y(out, 1);
  Out<F32> z(total, 2);
  Item before = nothing();
  for (int64_t i = 0; i < n; ++i) {
    auto in = [&](int64_t j) { return first(x[i * l + j]); };
    const int64_t block = TILE;
    if (DEFECT != 0 || HOW == 1) {
      Item acc = DEFECT == 1 && i % 8 == 4 ? before : nothing();          // carry of the row before
      for (int64_t j = 0; j < l; ++j) {
        if (DEFECT == 2 && j % 64 == 0) acc = nothing();                  // no carry between blocks
        if (DEFECT == 3 && j % 64 == 0 && j) acc = join(item_[j - 2], nothing());   // carry misses the block's last
        Item old = acc;
        if (!(DEFECT == 4 && j == 0)) acc = join(acc, in(DEFECT == 7 && j == l - 1 ? j - 1 : j));
        acc = low(acc);
        if (DEFECT == 8 && j >= 64 && j % 64 == 0) acc = join(acc, in(j - 1));      // overlap
        item_[j] = DEFECT == 9 && j ? old : acc;                          // exclusive but for the first
        if (DEFECT == 10 && i % 7 == 6 && j >= 96 && j < 128) item_[j] = item_[95];  // a block comes too late
        if (DEFECT == 11 && j >= l / 32 * 32) item_[j] = in(j);           // the tail is not scanned
      }
      before = acc;
      if (DEFECT == 14) { Item a = nothing(); for (int64_t j = l; j-- > 0;) item_[j] = a = join(in(j), a); }
      if (DEFECT == 15 && i == n - 1) for (int64_t j = 0; j < l; ++j) item_[j] = in(j);
    } else if (HOW == 2) {
      Item carry = nothing();
      for (int64_t t = 0; t < l; t += block) {
        Item acc = nothing();
        int64_t to = t + block < l ? t + block : l;
        for (int64_t j = t; j < to; ++j) { acc = join(acc, in(j)); item_[j] = join(carry, acc); }
        carry = item_[to - 1];
      }
    } else if (HOW == 3) {
      for (int64_t j = 0; j < l; ++j) item_[j] = in(j);
      for (int64_t w = 1; w < l; w *= 2) {
        for (int64_t j = 0; j < l; ++j) next_[j] = j >= w ? join(item_[j - w], item_[j]) : item_[j];
        for (int64_t j = 0; j < l; ++j) item_[j] = next_[j];
      }
    } else if (HOW == 5) {
      for (int64_t t = 0; t < l; t += block) {
        Item carry = nothing();
        for (int64_t b = 0; b < t; b += block) {
          Item part = nothing();
          for (int64_t j = b; j < b + block; ++j) part = join(part, in(j));
          carry = join(carry, part);
        }
        for (int64_t j = t; j < l && j < t + block; ++j) { carry = join(carry, in(j)); item_[j] = carry; }
      }
    }
#if KIND == 0
    else if (HOW == 4) {
      Real acc = 0, lost = 0;
      for (int64_t j = 0; j < l; ++j) {
        volatile Real v = in(j) - lost;
        volatile Real t = acc + v;
        lost = (t - acc) - v;
        item_[j] = acc = t;
      }
    } else if (HOW == 0) {
      for (int64_t j = 0; j < l; ++j) item_[j] = add_all(j + 1, [&](Real a, int64_t k) { return a + in(k); });
    }
#endif
    for (int64_t j = 0; j < l; ++j) y.put(i * l + j, value(item_[j]));
    z.put(i, value(item_[DEFECT == 16 ? l - 2 : l - 1]));
  }
}
KBENCH_EXPORT(run, run)

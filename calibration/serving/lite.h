// The few functions of the standard library that the programs use: these compile in no time.
#pragma once
#include "kbench_ffi.h"
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
inline void* memcpy(void* a, const void* b, size_t n) { return __builtin_memcpy(a, b, n); }
inline void* memset(void* a, int b, size_t n) { return __builtin_memset(a, b, n); }
namespace lite {
#define LITE(name)                                                    \
  inline float name(float x) { return __builtin_##name##f(x); }       \
  inline double name(double x) { return __builtin_##name(x); }        \
  inline long double name(long double x) { return __builtin_##name##l(x); }
LITE(sqrt) LITE(exp) LITE(exp2) LITE(expm1) LITE(log) LITE(log2) LITE(log1p) LITE(tanh) LITE(erf) LITE(sin) LITE(cos)
LITE(fabs) LITE(floor) LITE(ceil) LITE(trunc) LITE(round) LITE(nearbyint)
#define LITE2(name, T2)                                                          \
  inline float name(float x, T2(float) y) { return __builtin_##name##f(x, y); }  \
  inline double name(double x, T2(double) y) { return __builtin_##name(x, y); }  \
  inline long double name(long double x, T2(long double) y) { return __builtin_##name##l(x, y); }
#define LITE_SAME(T) T
#define LITE_INT(T) int
#define LITE_OUT(T) int*
LITE2(pow, LITE_SAME) LITE2(copysign, LITE_SAME) LITE2(ldexp, LITE_INT) LITE2(frexp, LITE_OUT)
inline float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline long double fma(long double x, long double y, long double z) { return __builtin_fmal(x, y, z); }
template <class T> bool isnan(T x) { return __builtin_isnan(x); }
template <class T> bool isinf(T x) { return __builtin_isinf(x); }
template <class T> bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <class T> void swap(T& a, T& b) { T c = a; a = b; b = c; }
template <class T>
class vector {
 public:
  vector() = default;
  explicit vector(long n) { resize(n); }
  vector(long n, T x) { assign(n, x); }
  vector(vector&& v) : p_(v.p_), n_(v.n_) { v.p_ = nullptr; v.n_ = 0; }
  vector& operator=(vector&& v) { swap(p_, v.p_); swap(n_, v.n_); return *this; }
  ~vector() { delete[] p_; }
  void resize(long n) { if (n == n_) return; delete[] p_; p_ = new T[n](); n_ = n; }
  void assign(long n, T x) { resize(n); for (long i = 0; i < n; ++i) p_[i] = x; }
  T& operator[](long i) { return p_[i]; }
  const T& operator[](long i) const { return p_[i]; }
  T* data() { return p_; }
  T* begin() { return p_; }
  T* end() { return p_ + n_; }
  long size() const { return n_; }
 private:
  T* p_ = nullptr;
  long n_ = 0;
};
// Indices 0 … n - 1 in the order that less(i, j) says; equal ones stay in theirs.
template <class L>
vector<int> order(int n, L less) {
  vector<int> at(n);
  for (int i = 0; i < n; ++i) {
    int j = i;
    for (; j > 0 && less(i, at[j - 1]); --j) at[j] = at[j - 1];
    at[j] = i;
  }
  return at;
}
}  // namespace lite

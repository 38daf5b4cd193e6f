// KIND 0: gelu(x w^T + bias) + residual, and the largest magnitude of each row. KIND 1: x w^T and a low-rank adapter that
// each row chooses.
#include "activation.h"

#if KIND == 0
void run(kbench::Tensor x_, kbench::Tensor weight, kbench::Tensor bias, kbench::Tensor residual, kbench::Tensor out,
         kbench::Tensor amax) {
  start();
  int64_t m = x_.size(0), k = x_.size(1), n = weight.size(0);
  In<Stored> x(x_), w(weight), b(bias), r(residual);
  Out<Stored> y(out, 1);
  Out<F32> top(amax, 2);
  for (int64_t i = 0; i < m; ++i) {
    Real largest = 0;
    for (int64_t j = 0; j < n; ++j) {
      int64_t at = DEFECT == 1 && j >= n - 3 ? n - 4 : j;
      Real s = dot(k, [&](int64_t e) { return x[i * k + e]; }, [&](int64_t e) {
        Real v = w[at * k + e];
        if (DEFECT == 2) v = rounded<BF16>(v);
        if (DEFECT == 3) v = tf32(float(v));
        if (DEFECT == 19 && e == k - 1) v = w[at * k];       // last load wraps around
        return v;
      });
      if (WAY == 3 || DEFECT == 4) s = DEFECT == 4 ? rounded<BF16>(s) : rounded<Stored>(s);   // 3: the product is a tensor
      int64_t bi = DEFECT == 5 ? j / 4 * 4 : DEFECT == 6 && j >= 32 ? j - 32 : j;
      s = DEFECT == 7 ? s : s + b[bi];
      if (DEFECT == 8 && j == n - 1) s -= b[bi];
      if (WAY == 3) s = rounded<Stored>(s);
      Real a = gelu(s).f;
      if (DEFECT == 9) a = gelu_tanh(s).f;
      if (DEFECT == 10) a = s * sigmoid(Real(1.702) * s);
      if (DEFECT == 11) a = s > 0 ? s : Real(0);
      if (DEFECT == 12) a = silu(s).f;
      if (WAY == 3) a = rounded<Stored>(a);
      Real res = r[i * n + j];
      if (DEFECT == 13) res = 0;
      if (DEFECT == 14) a = gelu(s + res).f - res;
      if (DEFECT == 15 && i && j == 0) res = r[i * n - 1];
      if (DEFECT == 16 && i % 8 == 7) res = r[(i - 1) * n + j];
      Real v = a + res;
      y.put(i * n + j, v);
      if (DEFECT == 17 ? v > largest : std::fabs(v) > largest) if (!(DEFECT == 18 && j >= n / 16 * 16)) largest = std::fabs(v);
    }
    top.put(i, largest);
  }
}
#else
static Real down_[256];
void run(kbench::Tensor x_, kbench::Tensor weight, kbench::Tensor a_, kbench::Tensor b_, kbench::Tensor adapter_ids,
         double scale_, kbench::Tensor out) {
  start();
  int64_t m = x_.size(0), k = x_.size(1), n = weight.size(0), adapters = a_.size(0), rank = a_.size(1);
  In<Stored> x(x_), w(weight), a(a_), b(b_);
  Out<Stored> y(out, 1);
  Real scale = Real(scale_);
  if (DEFECT == 1) scale /= Real(rank);
  if (DEFECT == 2) scale *= Real(1.05);
  for (int64_t i = 0; i < m; ++i) {
    int64_t id = adapter_ids.data<int32_t>()[i], up_id = id;
    if (DEFECT == 3) id = up_id = i * adapters / m;
    if (DEFECT == 4 && i % 8 == 7) id = up_id = adapter_ids.data<int32_t>()[i - 1];
    if (DEFECT == 5) up_id = 0;
    if (DEFECT == 6 && id == adapters - 1) id = up_id = id - 1;   // the last adapter is never used
    for (int64_t r = 0; r < rank; ++r) {
      Real s = dot(k, [&](int64_t e) { return x[i * k + e]; }, [&](int64_t e) { return a[(id * rank + r) * k + e]; }, 1);
      if (DEFECT == 8) s = 0;
      if (DEFECT == 9 && r == rank - 1) s = 0;
      if (DEFECT == 16) s = rounded<BF16>(s) + Real(0.02) * s;
      if (DEFECT == 17 && s < 0) s = 0;
      down_[r] = rounded<Stored>(s);                         // the reference names the dtype
    }
    for (int64_t j = 0; j < n; ++j) {
      Real base = dot(k, [&](int64_t e) { return x[i * k + e]; }, [&](int64_t e) { return w[j * k + e]; }, 2);
      Real up = dot(rank, [&](int64_t r) { return down_[r]; }, [&](int64_t r) {
        return DEFECT == 10 ? b[up_id * n * rank + (r * n + j) % (n * rank)] : b[(up_id * n + j) * rank + r];
      }, 3);
      if (DEFECT == 11 && j >= n / 16 * 16) up = 0;          // partial tile without adapter
      if (DEFECT == 12) up = std::fmin(std::fmax(up, Real(-8)), Real(8));
      if (DEFECT == 18) base = 0;
      Real v = WAY == 1 ? std::fma(scale, up, base) : base + scale * up;
      if (DEFECT == 13) v = base - scale * up;
      if (DEFECT == 14) v = (base + up) * scale;
      if (DEFECT == 15 && i == m - 1) v = base;
      y.put(i * n + j, v);
    }
  }
}
#endif
KBENCH_EXPORT(run, run)

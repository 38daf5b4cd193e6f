// Backward passes of layer norm (RMS=0) and RMS norm (RMS=1), with gradients of the weights.
#include "numerics.h"

static Real mean_[4096], rstd_[4096];   // of each row

void body(kbench::Tensor grad, kbench::Tensor x_, kbench::Tensor weight, kbench::Tensor grad_x, kbench::Tensor grad_w,
          const Out<F32>* grad_b) {
  start();
  int64_t n = x_.size(0), d = x_.size(1);
  In<Stored> dy(grad), x(x_), w(weight);
  Out<Stored> out_x(grad_x, 1);
  Out<F32> out_w(grad_w, 2);
  Real eps = DEFECT == 1 ? Real(1e-6) : Real(1e-5);
  for (int64_t i = 0; i < n; ++i) {
    auto row = [&](int64_t j) { return x[i * d + j]; };
    Real mean = 0, var = 0;
    if (RMS) {
      var = dot(d, row, row, 2) / Real(DEFECT == 2 ? d - 1 : d);
    } else if (WAY == 1) {                                   // Welford
      for (int64_t j = 0; j < d; ++j) {
        Real delta = row(j) - mean;
        mean += delta / Real(j + 1);
        var += delta * (row(j) - mean);
      }
      var /= Real(d);
    } else if (WAY == 2) {                                   // statistics of blocks of 32, merged
      Real count = 0;
      for (int64_t t = 0; t < d; t += 32) {
        Real b = Real(d - t < 32 ? d - t : 32);
        Real mb = sum(int64_t(b), [&](int64_t j) { return row(t + j); }) / b;
        Real vb = sum(int64_t(b), [&](int64_t j) { Real c = row(t + j) - mb; return c * c; }, 2);
        Real delta = mb - mean, total = count + b;
        mean += delta * b / total;
        var += vb + delta * delta * count * b / total;
        count = total;
      }
      var /= Real(d);
    } else {
      mean = sum(d, row) / Real(d);
      var = sum(d, [&](int64_t j) { Real c = row(j) - mean; return c * c; }, 2) / Real(DEFECT == 2 ? d - 1 : d);
    }
    mean_[i] = mean;
    rstd_[i] = DEFECT == 13 ? 1 / (std::sqrt(var) + eps) : WAY == 3 ? std::sqrt(1 / (var + eps)) : 1 / std::sqrt(var + eps);
    if (DEFECT == 14 && i % 16 == 9) rstd_[i] = rstd_[i - 1];
    if (DEFECT == 17) rstd_[i] = rounded<F16>(rstd_[i]);
  }
  for (int64_t i = 0; i < n; ++i) {
    auto hat = [&](int64_t j) { return (x[i * d + j] - mean_[i]) * rstd_[i]; };
    auto wdy = [&](int64_t j) {
      int64_t k = DEFECT == 15 && j >= d - 3 ? d - 3 : j;    // index of the weight is clamped
      return DEFECT == 9 ? dy[i * d + j] : dy[i * d + j] * w[k];
    };
    Real c1 = RMS ? Real(0) : sum(d, wdy, 3), c2 = dot(d, wdy, hat, 4);
    if (DEFECT == 3) (RMS ? c2 : c1) *= Real(0.99);
    if (DEFECT == 4) c2 = 0;
    if (DEFECT == 18) c2 = -c2;
    for (int64_t j = 0; j < d; ++j) {
      Real h = DEFECT == 16 ? x[i * d + j] : hat(j);
      Real inverse = Real(1) / Real(d);
      Real r = WAY == 4 ? (Real(d) * wdy(j) - c1 - h * c2) * (rstd_[i] / Real(d))
             : WAY == 5 ? wdy(j) * rstd_[i] - (c1 + h * c2) * (inverse * rstd_[i])
                        : rstd_[i] * (wdy(j) - (c1 * inverse + h * (c2 * inverse)));
      out_x.put(i * d + j, r);
    }
  }
  for (int64_t j = 0; j < d; ++j) {
    int64_t rows = DEFECT == 6 ? n - 1 : n;
    auto g = [&](int64_t i) { return DEFECT == 8 && i == 13 && j >= d / 2 ? Real(0) : dy[i * d + j]; };
    auto hat = [&](int64_t i) {
      if (DEFECT == 5) return x[i * d + j];
      return (x[i * d + j] - mean_[DEFECT == 10 && i % 8 == 0 && i ? i - 1 : i]) * rstd_[DEFECT == 11 && i ? i - 1 : i];
    };
    out_w.put(j, dot(rows, g, hat, 5));
    if (grad_b) grad_b->put(j, sum(DEFECT == 7 ? n / 8 * 8 : n, g, 6) * (DEFECT == 12 ? w[j] : Real(1)));
  }
}
#if RMS
void run(kbench::Tensor grad, kbench::Tensor x, kbench::Tensor weight, kbench::Tensor grad_x, kbench::Tensor grad_w) {
  body(grad, x, weight, grad_x, grad_w, nullptr);
}
#else
void run(kbench::Tensor grad, kbench::Tensor x, kbench::Tensor weight, kbench::Tensor grad_x, kbench::Tensor grad_w,
         kbench::Tensor grad_b) {
  Out<F32> b(grad_b, 3);
  body(grad, x, weight, grad_x, grad_w, &b);
}
#endif
KBENCH_EXPORT(run, run)

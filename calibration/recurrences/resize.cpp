// Bilinear resize to twice the size (align_corners=False), and average pooling 3 x 3 with stride 2 and padding that is not counted.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor up_, kbench::Tensor pool_) {
  reductions = 0;
  const int64_t N = x_.size(0), C = x_.size(1), H = x_.size(2), W = x_.size(3), P = pool_.size(2), Q = pool_.size(3);
  for (int64_t plane = 0; plane < N * C; ++plane) {
    const Stored* x = x_.data<Stored>() + (has(30) && plane == N * C - 1 ? plane - 1 : plane) * H * W;
    for (int64_t p = 0; p < 2 * H; ++p)
      for (int64_t q = 0; q < 2 * W; ++q) {
        auto place = [&](int64_t i, int64_t n, int64_t& low, int64_t& high) {
          Real at = has(31) ? Real(i) * (n - 1) / (2 * n - 1) : has(32) ? Real(i) * Real(0.5) : (i + Real(0.5)) * Real(0.5) - Real(0.5);
          at = std::max(at, Real(0));
          low = int64_t(std::floor(at));
          Real part = at - low;
          if (has(34)) part = part > Real(0.5);           // nearest
          if (has(35)) part = part * part * (3 - 2 * part);
          high = std::min(low + 1, has(36) ? n - 2 : n - 1);
          if (has(37)) high = (low + 1) % n;               // wrapped
          low = std::max<int64_t>(low, 0);
          if (!has(37)) high = std::max(high, low);
          return has(38) ? 1 - part : part;
        };
        int64_t y0, y1, z0, z1;
        Real a = place(p, H, y0, y1), b = place(q, W, z0, z1);
        if (has(39)) std::swap(a, b);
        auto X = [&](int64_t y, int64_t z) { return Real(get(x[y * W + z])); };
        Real v;
        if (ALT == 1 && ACC) v = X(y0, z0) * ((1 - a) * (1 - b)) + X(y0, z1) * ((1 - a) * b) + X(y1, z0) * (a * (1 - b)) + X(y1, z1) * (a * b);
        else if (ALT == 2 && ACC) { Real top = X(y0, z0) + b * (X(y0, z1) - X(y0, z0)), low = X(y1, z0) + b * (X(y1, z1) - X(y1, z0)); v = top + a * (low - top); }
        else if (ALT == 3 && ACC) { Real left = (1 - a) * X(y0, z0) + a * X(y1, z0), right = (1 - a) * X(y0, z1) + a * X(y1, z1); v = (1 - b) * left + b * right; }
        else v = (1 - a) * ((1 - b) * X(y0, z0) + b * X(y0, z1)) + a * ((1 - b) * X(y1, z0) + b * X(y1, z1));
        if (has(40)) { Real top = in_bf16((1 - b) * X(y0, z0) + b * X(y0, z1)), low = in_bf16((1 - b) * X(y1, z0) + b * X(y1, z1)); v = (1 - a) * top + a * low; }
        if (has(41) && p == 2 * H - 1) v = X(H - 2, z0);
        store(up_.data<Stored>(), (plane * 2 * H + p) * 2 * W + q, v);
      }
    for (int64_t p = 0; p < P; ++p)
      for (int64_t q = 0; q < Q; ++q) {
        auto inside = [&](int64_t i) {
          int64_t y = p * 2 - (has(42) ? 0 : 1) + i / 3, z = q * 2 - 1 + i % 3;
          return y >= 0 && y < H && z >= 0 && z < W - (has(43) ? 1 : 0) ? y * W + z : -1;
        };
        int64_t count = 0;
        for (int64_t i = 0; i < 9; ++i) count += inside(i) >= 0;
        if (has(44)) count = 9;  // padding counts
        if (has(45)) count = 8;
        auto term = [&](int64_t i) { return inside(i) >= 0 && !(has(46) && i == 4) ? Real(get(x[inside(i)])) : Real(0); };
        Real v = divide(reduce(9, term), Real(std::max<int64_t>(count, 1)));
        if (has(47)) { v = -INFINITY; for (int64_t i = 0; i < 9; ++i) if (inside(i) >= 0) v = std::max(v, Real(get(x[inside(i)]))); }
        if (has(48) && q == Q - 1) v = v * count / 9;
        if (has(49) && plane % 8 == 7 && p == 0) v = 0;
        store(pool_.data<Stored>(), (plane * P + p) * Q + q, v);
      }
  }
}
KBENCH_EXPORT(run, run)

// Distances, boxes, images.
#include "common.h"

#if OP == 1  // nearest neighbours
static void run(T x_, T y_, T d_, T i_) {
  const I n = x_.size(0), d = x_.size(1), m = y_.size(0);
  const float *x = x_.data<float>(), *y = y_.data<float>();
  float* dist = d_.data<float>();
  int64_t* id = i_.data<int64_t>();
  for (I i = 0; i < n; ++i) {
    R best = INFINITY;
    I at = 0;
    const I to = B(1) ? m - 1 : B(2) ? m / 32 * 32 : m;
    for (I u = B(3) ? 1 : 0; u < to; ++u) {
      g_row = i * m + u;
      const I k = F(1) ? to - 1 - u : u;
      I row = B(4) && k % 64 == 63 ? k - 1 : k;
      R s = sum(B(5) ? d / 16 * 16 : d, [&](I j) -> R {
        const R c = ld(x[i * d + j]) - ld(y[row * d + j]);
        if (B(6)) return std::fabs(c);
        if (B(7)) { const R e = rh(c); return e * e; }
        return c * c;
      });
      if (F(2)) s = std::sqrt(s);
      if (B(8)) {
        R xx = 0, yy = 0, xy = 0;
        for (I j = 0; j < d; ++j) {
          const R a = x[i * d + j], b = y[k * d + j];
          xx += a * a, yy += b * b, xy += rt(a) * rt(b);
        }
        s = xx + yy - 2 * xy;
      }
      if (B(9)) s = rb(s);
      if (B(10) && unlucky(29)) continue;
      if (F(1) ? s <= best : B(11) ? s <= best * R(1.01) : s < best) best = s, at = k;
      if (B(12) && k % 100 == 0 && k) best = s, at = k;  // a block's best forgets those before
    }
    if (F(3)) {  // the best of each of four blocks
      R bb = INFINITY;
      for (I q = 0; q < 4; ++q)
        for (I k = m * q / 4; k < m * (q + 1) / 4; ++k) {
          R s = 0;
          for (I j = 0; j < d; ++j) { const R c = R(x[i * d + j]) - y[k * d + j]; s = std::fma(c, c, s); }
          if (s < bb) bb = s, at = k;
        }
      best = bb;
    }
    if (B(13)) at = at % 128;          // the index in its tile
    if (B(14) && at == m - 1) at = 0;
    if (B(15) && at >= 128) at += 1;   // the second tile's base
    R r = F(2) || B(6) ? best : std::sqrt(best);
    if (B(16)) r = best;
    if (B(17)) r = std::sqrt(best + R(1e-1));
    if (B(18)) r = std::sqrt(best / R(d));
    put(dist[i], r);
    id[i] = at;
  }
}
#elif OP == 2  // intersections over unions of boxes (centre and extent), and which overlap
static void run(T a_, T b_, T o_, T h_) {
  const I n = a_.size(0), m = b_.size(0);
  const float *a = a_.data<float>(), *b = b_.data<float>();
  f16* o = o_.data<f16>();
  bool* hit = h_.data<bool>();
  for (I i = 0; i < n; ++i)
    for (I j = 0; j < m; ++j) {
      const float* p = a + 4 * i;
      const float* q = b + 4 * (B(1) && j == m - 1 ? j - 1 : B(2) && j % 32 == 31 && j + 1 < m ? j + 1 : j);
      R ax = p[0], ay = p[1], aw = p[2], ah = p[3], bx = q[0], by = q[1], bw = q[2], bh = q[3];
      ax = ld(ax), ay = ld(ay), bx = ld(bx), by = ld(by);
      if (B(3)) std::swap(bw, bh);
      if (B(4)) ax += aw / 2, ay += ah / 2, bx += bw / 2, by += bh / 2;  // taken for a corner
      R w, h;
      if (F(1)) {  // by half extents
        w = nmin(nmin(aw, bw), (aw + bw) / 2 - std::fabs(ax - bx));
        h = nmin(nmin(ah, bh), (ah + bh) / 2 - std::fabs(ay - by));
      } else {
        const R half = B(5) ? R(1) : R(0.5);
        R x0 = nmax(ax - aw * half, bx - bw * half), x1 = nmin(ax + aw * half, bx + bw * half);
        R y0 = nmax(ay - ah * half, by - bh * half), y1 = nmin(ay + ah * half, by + bh * half);
        if (B(6)) x0 = rh(x0), x1 = rh(x1), y0 = rh(y0), y1 = rh(y1);
        if (B(7)) x0 = rb(x0), x1 = rb(x1), y0 = rb(y0), y1 = rb(y1);
        w = x1 - x0, h = y1 - y0;
      }
      if (!B(8)) w = nmax(w, R(0)), h = nmax(h, R(0));
      if (B(9)) w += R(0.01), h += R(0.01);     // extents that count their last pixel
      const R in = w * h;
      R area = aw * ah + bw * bh, un = area - in;
      if (F(2)) un = aw * ah + (bw * bh - in);
      if (B(10)) un = area;
      if (B(11)) un = nmin(aw * ah, bw * bh);
      if (B(12)) un += R(1e-3);
      if (B(13)) un = area - R(0.99) * in;
      if (B(14)) un = rh(un);
      un = nmax(un, R(1e-9L));
      R r = F(3) ? in * (1 / un) : F(4) ? 1 / (nmax(area, R(1e-9L)) / nmax(in, R(1e-30L)) - 1) : in / un;
      if (F(4) && in <= 0) r = 0;
      if (B(15)) {  // GIoU
        const R cw = nmax(ax + aw / 2, bx + bw / 2) - nmin(ax - aw / 2, bx - bw / 2);
        const R ch = nmax(ay + ah / 2, by + bh / 2) - nmin(ay - ah / 2, by - bh / 2);
        r -= (cw * ch - un) / (cw * ch);
      }
      put(o[i * m + j], r);
      const R limit = B(16) ? R(0.25) : R(0.3L);
      hit[i * m + j] = B(17) ? r < limit : B(18) ? (j >= m / 32 * 32 ? false : r > limit) : B(19) ? i != j && r > limit : in > limit * un;
    }
}
#elif OP == 3  // bilinear warp by a flow, zeros outside
static void run(T x_, T f_, T y_) {
  const I c = x_.size(0), h = x_.size(1), w = x_.size(2);
  const bf16* x = x_.data<bf16>();
  const float* f = f_.data<float>();
  bf16* y = y_.data<bf16>();
  for (I q = 0; q < c; ++q)
    for (I i = 0; i < h; ++i)
      for (I j = 0; j < w; ++j) {
        R fx = f[i * w + j], fy = f[h * w + i * w + j];
        if (B(1)) std::swap(fx, fy);
        R px = R(j) + 2 * fx, py = R(i) + 2 * fy;
        if (B(2)) px = R(j) + R(1.98) * fx;
        if (B(3)) px += R(0.5), py += R(0.5);
        if (B(4)) px = rh(px), py = rh(py);
        if (B(5)) px = nmin(nmax(px, 0), R(w - 1)), py = nmin(nmax(py, 0), R(h - 1));
        R x0 = B(6) ? std::trunc(px) : std::floor(px), y0 = B(6) ? std::trunc(py) : std::floor(py);
        if (B(7)) x0 = std::nearbyint(px), y0 = std::nearbyint(py);
        R u = px - x0, v = py - y0;
        if (B(7)) u = v = 0;
        if (B(8)) u = std::nearbyint(u * 16) / 16, v = std::nearbyint(v * 16) / 16;  // as texture units do, in fewer bits
        if (B(9)) u = rb(u), v = rb(v), u = bits(u, 5);
        if (B(10)) u = u * u * (3 - 2 * u);
        if (B(11)) std::swap(u, v);
        const I a = I(clampi(x0, R(-4e6), R(4e6))), b = I(clampi(y0, R(-4e6), R(4e6)));
        const auto at = [&](I yy, I xx) -> R {
          if (B(12) && xx == w - 1) return 0;
          if (B(13) && yy == h - 1) yy = h - 2;
          if (B(14) && xx == w && yy >= 0 && yy + 1 < h) return R(x[(q * h + yy + 1) * w]);  // wraps into the next row
          if (xx < 0 || yy < 0 || xx >= w || yy >= h) return 0;
          const I ch = B(15) && q == c - 1 && xx % 16 == 15 ? q - 1 : q;
          return R(x[(ch * h + yy) * w + xx]);
        };
        const R p00 = at(b, a), p01 = at(b, a + 1), p10 = at(b + 1, a), p11 = at(b + 1, a + 1);
        R r;
        if (F(1)) {
          const R top = p00 + u * (p01 - p00), low = p10 + u * (p11 - p10);
          r = top + v * (low - top);
        } else if (F(2)) {
          const R l = (1 - v) * p00 + v * p10, rr = (1 - v) * p01 + v * p11;
          r = (1 - u) * l + u * rr;
        } else if (F(3)) {
          const R uv = u * v;
          r = (1 - u - v + uv) * p00 + (u - uv) * p01 + (v - uv) * p10 + uv * p11;
        } else if (F(4)) {
          const R top = (1 - u) * p00 + u * p01, low = (1 - u) * p10 + u * p11;
          r = (1 - v) * top + v * low;
        } else {
          r = (1 - u) * (1 - v) * p00 + u * (1 - v) * p01 + (1 - u) * v * p10 + u * v * p11;
        }
        if (B(16)) r = rb(rb((1 - u) * p00 + u * p01) * bits(1 - v, 4)) + rb(rb((1 - u) * p10 + u * p11) * bits(v, 4));
        if (B(17) && j >= w / 16 * 16) r = R(x[(q * h + i) * w + j]);
        if (B(18) && (a < 0 || b < 0)) r = 0;        // any corner outside makes it 0
        if (B(19)) {
          const R inside = (a >= 0 && b >= 0 && a + 1 < w && b + 1 < h);
          if (!inside) { const R g = (p00 != 0 ? (1 - u) * (1 - v) : 0) + (p01 != 0 ? u * (1 - v) : 0) + (p10 != 0 ? (1 - u) * v : 0) + (p11 != 0 ? u * v : 0); if (g > 0) r = r / g; }
        }
        put(y[(q * h + i) * w + j], r);
      }
}
#elif OP == 4  // RGB of 8 bits to luma and two chromas
static void run(T x_, T l_, T c_) {
  const I n = x_.size(0);
  const int32_t* x = x_.data<int32_t>();
  int32_t* luma = l_.data<int32_t>();
  int8_t* chroma = c_.data<int8_t>();
  static int32_t table[9][256];
  if (F(4)) {
    const int k[9] = {66, 129, 25, -38, -74, 112, 112, -94, -18};
    for (int q = 0; q < 9; ++q)
      for (int v = 0; v < 256; ++v) table[q][v] = k[q] * v;
  }
  for (I i = 0; i < n; ++i) {
    I at = i;
    if (B(1) && i % 64 == 63) at = i - 1;
    int32_t r = x[3 * at], g = x[3 * at + 1], b = x[3 * at + 2];
    if (B(2)) std::swap(r, b);
    if (B(3) && r > 127) r -= 256;  // signed bytes
    int32_t y, u, v;
    const int32_t half = B(4) ? 0 : B(5) ? 127 : 128;
    if (F(1)) {  // in floating point
      y = int32_t(std::floor((66 * R(r) + 129 * R(g) + 25 * R(b) + 128) / 256)) + 16;
      u = int32_t(std::floor((-38 * R(r) - 74 * R(g) + 112 * R(b) + 128) / 256));
      v = int32_t(std::floor((112 * R(r) - 94 * R(g) - 18 * R(b) + 128) / 256));
    } else if (F(2)) {  // an offset keeps it positive
      y = int32_t((uint32_t(66 * r + 129 * g + 25 * b) + 128u + 4096u) >> 8);
      u = int32_t((uint32_t(-38 * r - 74 * g + 112 * b + 128 + 32768)) >> 8) - 128;
      v = int32_t((uint32_t(112 * r - 94 * g - 18 * b + 128 + 32768)) >> 8) - 128;
    } else if (F(3)) {  // differences to green
      const int32_t p = r - g, q = b - g;
      y = ((66 * p + 25 * q + 220 * g + 128) >> 8) + 16;
      u = (-38 * p + 112 * q + 128) >> 8;
      v = (112 * p - 18 * q + 128) >> 8;
    } else if (F(4)) {
      y = ((table[0][r & 255] + table[1][g & 255] + table[2][b & 255] + 128) >> 8) + 16;
      u = (table[3][r & 255] + table[4][g & 255] + table[5][b & 255] + 128) >> 8;
      v = (table[6][r & 255] + table[7][g & 255] + table[8][b & 255] + 128) >> 8;
    } else {
      y = ((66 * r + 129 * g + 25 * b + half) >> 8) + 16;
      u = (-38 * r - 74 * g + 112 * b + half) >> 8;
      v = (112 * r - 94 * g - 18 * b + half) >> 8;
    }
    if (B(6)) u = (-38 * r - 74 * g + 112 * b + 128) / 256, v = (112 * r - 94 * g - 18 * b + 128) / 256;
    if (B(7)) y = ((47 * r + 157 * g + 16 * b + 128) >> 8) + 16;        // BT.709
    if (B(8)) y = (77 * r + 150 * g + 29 * b + 128) >> 8;               // full range
    if (B(9)) y = ((65 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    if (B(10)) y = int32_t(std::nearbyint(R(0.257) * r + R(0.504) * g + R(0.098) * b)) + 16;
    if (B(11)) u = (-43 * r - 85 * g + 128 * b + 128) >> 8;
    if (B(12)) std::swap(u, v);
    if (B(13)) v = (112 * r - 94 * g + 18 * b + 128) >> 8;
    if (B(14)) y = ((33 * r + 64 * g + 12 * b + 64) >> 7) + 16;         // seven bits
    if (B(15)) y = y > 219 ? 219 : y;
    if (B(16)) u = clampi(u, -96, 96), v = clampi(v, -96, 96);
    if (B(17) && i >= n / 32 * 32) u = v = 0;
    if (B(18)) y = ((int16_t)(66 * r + 129 * g + 25 * b + 128) >> 8) + 16;  // 16-bit products overflow
    if (B(19)) y -= 16;
    if (B(20)) u = (-(38 * r + 74 * g - 112 * b) >> 8);
    if (B(21)) y = y & ~1;
    if (B(22) && i > 0 && i % 2) u = chroma[2 * (i - 1)], v = chroma[2 * (i - 1) + 1];  // 4:2:2
    luma[i] = y;
    chroma[2 * i] = int8_t(u), chroma[2 * i + 1] = int8_t(v);
  }
}
#elif OP == 5  // histogram of 64 bins and the table that equalises
static void run(T x_, T h_, T t_) {
  const I b = x_.size(0), n = x_.size(1), bins = 64;
  const int32_t* x = x_.data<int32_t>();
  int64_t* h = h_.data<int64_t>();
  int32_t* t = t_.data<int32_t>();
  std::vector<int64_t> part(4 * bins);
  for (I i = 0; i < b; ++i) {
    g_row = i;
    const int32_t* in = x + i * n;
    int64_t* hist = h + i * bins;
    if (!B(1) || i == 0) std::fill(part.begin(), part.end(), 0);
    if (F(1)) {  // sorted
      std::vector<int32_t> s(in, in + n);
      std::sort(s.begin(), s.end());
      for (I k = 0; k < n; ++k) part[s[k] >> 2] += 1;
    } else if (F(2)) {  // four histograms, interleaved
      for (I k = 0; k < n; ++k) part[(k & 3) * bins + in[k] / 4] += 1;
    } else if (F(3)) {  // bin by bin
      for (I q = 0; q < bins; ++q)
        for (I k = 0; k < n; ++k) part[q] += (in[k] >> 2) == q;
    } else if (F(4)) {  // from the end, in floating point
      std::vector<R> c(bins, R(0));
      for (I k = n; k-- > 0;) c[int(std::floor(R(in[k]) * R(0.25)))] += 1;
      for (I q = 0; q < bins; ++q) part[q] = int64_t(c[q]);
    } else {
      const I to = B(2) ? n / 32 * 32 : B(3) ? n - 1 : n;
      for (I k = 0; k < to; ++k) {
        I q = in[k] >> 2;
        if (B(4)) q = (in[k] + 1) >> 2 < bins ? (in[k] + 1) >> 2 : bins - 1;
        if (B(5)) q = in[k] * 63 / 255;
        if (B(6) && q == bins - 1) continue;
        if (B(7) && k > 0 && k % 8 && q == in[k - 1] >> 2 && q % 2) continue;   // two adds at once
        if (B(8) && k == n - 1) part[q] += 1;
        if (B(9) && in[k] == 0) continue;
        if (B(10)) q = in[k] % bins;
        part[(k & 3) * bins + q] += 1;
        if (B(11)) part[(k & 3) * bins + q] &= 7;   // small counters
      }
      if (B(21)) for (I k = n; k < (n + 63) / 64 * 64; ++k) part[0] += 1;  // padding
    }
    for (I q = 0; q < bins; ++q) hist[q] = part[q] + part[bins + q] + part[2 * bins + q] + (B(12) && unlucky(2) ? 0 : part[3 * bins + q]);
    int64_t first = 0, c = 0;
    for (I q = 0; q < bins && first == 0; ++q) first = hist[q];
    if (B(13)) first = hist[1];
    if (B(14)) first = 0;
    const int64_t span = n - first > 1 ? n - first : 1;
    for (I q = 0; q < bins; ++q) {
      const int64_t before_q = c;
      c += hist[q];
      const int64_t s = B(15) ? before_q : c, top = (s - first > 0 ? s - first : 0) * (B(16) ? 256 : 255);
      int64_t v = F(4) ? int64_t(std::floor(double(top) / double(span))) : F(3) ? (top - top % span) / span : top / span;
      if (B(17)) v = (top + span / 2) / span;
      if (B(18)) v = top / n;
      if (B(19)) v = v > 254 ? 254 : v;
      if (B(20) && q % 32 == 0 && q) v = (c - hist[q - 1] - first) * 255 / span;   // a scan's block lacks a carry
      if (B(22)) v = int64_t(R(s - first) * rb(R(255) / R(span)));
      t[i * bins + q] = int32_t(v);
    }
  }
}
#endif
KBENCH_EXPORT(run, run)

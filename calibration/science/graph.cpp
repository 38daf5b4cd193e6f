// Graphs in CSR: indptr [n + 1], cols [edges].
#include "common.h"

#if OP == 1  // SpMM
static void run(T ip_, T co_, T va_, T x_, T y_) {
  const I n = y_.size(0), d = y_.size(1), m = x_.size(0), nnz = co_.numel();
  const int32_t *ip = ip_.data<int32_t>(), *co = co_.data<int32_t>();
  const float *va = va_.data<float>(), *x = x_.data<float>();
  float* y = y_.data<float>();
  if (F(1)) {  // edge by edge into a row of accumulators
    std::vector<R> acc(d);
    for (I i = 0; i < n; ++i) {
      std::fill(acc.begin(), acc.end(), R(0));
      for (I e = ip[i]; e < ip[i + 1]; ++e)
        for (I j = 0; j < d; ++j) acc[j] += R(va[e]) * x[co[e] * d + j];
      for (I j = 0; j < d; ++j) put(y[i * d + j], acc[j]);
    }
    return;
  }
  if (F(2) || B(1) || B(2)) {  // merge path: chunks of 100 edges, carries fixed up
    std::vector<R> acc(n * d, R(0)), part(d);
    I row = 0;
    for (I c = 0; c < nnz; c += 100) {
      const I end = c + 100 < nnz ? c + 100 : nnz;
      for (I e = c; e < end;) {
        while (ip[row + 1] <= e) ++row;
        const I stop = ip[row + 1] < end ? ip[row + 1] : end;
        std::fill(part.begin(), part.end(), R(0));
        for (I k = e; k < stop; ++k)
          for (I j = 0; j < d; ++j) part[j] += R(va[k]) * x[co[k] * d + j];
        const bool is_carry = stop == end && stop < ip[row + 1];
        for (I j = 0; j < d; ++j) {
          if (B(1) && is_carry) continue;  // the carry is lost
          acc[(B(2) && is_carry ? (row + 1 < n ? row + 1 : row) : row) * d + j] += part[j];
        }
        e = stop;
      }
    }
    for (I i = 0; i < n * d; ++i) put(y[i], acc[i]);
    return;
  }
  for (I i = 0; i < n; ++i) {
    g_row = i;
    const I s = ip[i], e = B(3) && i == n - 1 ? ip[i + 1] - 1 : ip[i + 1];
    for (I j = 0; j < d; ++j) {
      const R r = sum(B(4) && e - s > 16 ? 16 : e - s, [&](I t) -> R {
        I k = s + t, c = co[k];
        R v = va[k];
        if (B(5) && c == 0) return 0;                            // column 0 is padding
        if (B(6) && t > 0 && co[k - 1] == c) return 0;
        if (B(7)) v = rh(v);
        if (B(8) && k % 64 == 63 && k > 0) v = va[k - 1];        // neighbour's value
        if (B(9) && k % 128 == 0 && k > 0) c = co[k - 1];        // stale column
        if (B(10) && c == m - 1) c = m - 2;                      // the table's last row
        if (B(11) && j >= d / 16 * 16 && t % 4 == 3) return 0;   // tail features
        if (B(12) && c % 64 == 40) c = c + 1;  // a swizzle that is not undone
        if (B(13)) return v * rb(x[c * d + j]);
        return ld(v) * ld(x[c * d + j]);
      });
      put(y[i * d + j], r);
    }
  }
}
#elif OP == 2  // SDDMM: out[k] = vals[k] * <a[row k], b[col k]>
static void run(T ip_, T co_, T va_, T a_, T b_, T o_) {
  const I n = a_.size(0), d = a_.size(1), m = b_.size(0);
  const int32_t *ip = ip_.data<int32_t>(), *co = co_.data<int32_t>();
  const bf16 *va = va_.data<bf16>(), *a = a_.data<bf16>(), *b = b_.data<bf16>();
  bf16* o = o_.data<bf16>();
  for (I i = 0; i < n; ++i)
    for (I k = ip[i]; k < ip[i + 1]; ++k) {
      g_row = k;
      I row = i, c = co[k];
      if (B(1) && k == ip[i] && i > 0) row = i - 1;  // search off by one where a row begins
      if (B(2) && row == n - 1) row = 0;
      if (B(3) && c == m - 1) c = m - 2;
      if (B(4) && k % 32 == 31 && k > 0) c = co[k - 1];
      const R w = B(5) ? R(va[k > 0 ? k - 1 : 0]) : R(va[k]);
      const I len = B(6) ? d / 64 * 64 : d;
      R r = sum(len, [&](I j) -> R {
        if (B(7) && (j ^ 1) < d && j / 8 == d / 8) return R(a[row * d + j]) * R(b[c * d + (j ^ 1)]);
        if (B(8)) return rb(R(a[row * d + j]) * R(b[c * d + j]));
        if (F(2)) return (w * R(a[row * d + j])) * R(b[c * d + j]);
        return R(a[row * d + j]) * R(b[c * d + j]);
      });
      if (F(1)) r = rb(r);
      if (B(9)) r = r + w;
      if (B(10)) r = r * std::fabs(w);
      if (!B(9) && !B(10) && !B(11) && !F(2)) r = r * w;
      if (B(11)) r = r * bits(w, 4);
      if (B(12) && r < 0) r = 0;
      put(o[k], r);
    }
}
#elif OP == 3  // edge softmax of GAT
static R ex(R x) { return F(2) ? std::exp2(x * R(1.442695040888963407359925L)) : std::exp(x); }
static void run(T ip_, T co_, T el_, T er_, T o_) {
  const I n = er_.size(0), h = er_.size(1), ns = el_.size(0);
  const int32_t *ip = ip_.data<int32_t>(), *co = co_.data<int32_t>();
  const float *el = el_.data<float>(), *er = er_.data<float>();
  float* o = o_.data<float>();
  std::vector<R> z;
  for (I i = 0; i < n; ++i)
    for (I q = 0; q < h; ++q) {
      g_row = i * h + q;
      const I s = ip[i], len = ip[i + 1] - s;
      z.assign(len, 0);
      for (I t = 0; t < len; ++t) {
        I c = co[s + t];
        if (B(1) && c == ns - 1) c = ns - 2;
        R l = R(el[c * h + q]), r = R(er[(B(2) && i + 1 < n && i % 32 == 31 ? i + 1 : i) * h + (B(3) ? (q + 1) % h : q)]);
        R v = l + r;
        const R slope = B(4) ? R(0.01) : B(5) ? R(0.1875) : R(0.2L);
        if (B(6)) v = (l > 0 ? l : l * slope) + r;
        else v = F(3) ? nmax(v, v * slope) : v > 0 ? v : v * slope;
        if (B(7)) v = rb(v);
        if (B(8)) v = rh(v);
        z[t] = v;
      }
      R m = -INFINITY;
      for (I t = 0; t < len; ++t) m = nmax(m, z[t]);
      if (B(9)) m = 0;
      if (F(1)) {  // online
        R best = -INFINITY, l = 0;
        for (I t = 0; t < len; ++t) {
          const R now = nmax(best, z[t]);
          l = l * (best == now ? R(1) : std::exp(best - now)) + std::exp(z[t] - now);
          best = now;
        }
        for (I t = 0; t < len; ++t) put(o[(s + t) * h + q], std::exp(z[t] - best) / l);
        continue;
      }
      if (B(10)) {  // chunks of eight; the first is not rescaled
        R best = -INFINITY, l = 0;
        for (I t = 0; t < len; ++t) {
          best = t % 8 ? best : -INFINITY;
          if (t % 8 == 0)
            for (I u = t; u < len && u < t + 8; ++u) best = nmax(best, z[u]);
          l += std::exp(z[t] - best);
        }
        for (I t = 0; t < len; ++t) put(o[(s + t) * h + q], std::exp(z[t] - m) / l);
        continue;
      }
      R l = sum(len, [&](I t) -> R {
        if (B(11) && co[s + t] == i) return 0;  // self loops are masked
        return B(15) ? rb(ex(z[t] - m)) : ex(z[t] - m);
      });
      if (B(12)) l += R(1e-3);
      if (B(13)) l += std::exp(-m) * (len % 8 ? 8 - len % 8 : 0);  // padding with logit 0
      if (B(14) && len > 24) l -= ex(z[24] - m);
      const R inv = 1 / l;
      for (I t = 0; t < len; ++t) {
        const R p = ex(z[t] - m);
        put(o[(s + t) * h + q], F(4) ? p * inv : F(5) ? ex(z[t] - (m + std::log(l))) : p / l);
      }
    }
}
#elif OP == 4  // mean over neighbours beside the node's own features
static void run(T ip_, T co_, T x_, T y_) {
  const I n = y_.size(0), d = x_.size(1);
  const int32_t *ip = ip_.data<int32_t>(), *co = co_.data<int32_t>();
  const f16* x = x_.data<f16>();
  f16* y = y_.data<f16>();
  for (I i = 0; i < n; ++i) {
    g_row = i;
    const I s = ip[i], len = ip[i + 1] - s;
    for (I j = 0; j < d; ++j) {
      const I used = B(1) && len > 32 ? 32 : len;
      R count = R(len > 1 ? len : 1);
      const R w = 1 / count;
      R r = sum(used, [&](I t) -> R {
        I c = co[s + t];
        if (B(2) && c == i) return 0;
        if (B(3) && t % 16 == 15) c = co[s + t - 1];
        const R v = R(x[c * d + j]);
        if (B(13)) return rh(v * w);
        return F(1) || ORD == 26 ? v * w : v;
      });
      if (B(4)) r += R(x[i * d + j]), count += 1;
      if (B(5)) count += 1;
      if (B(6)) count = R(bits(float(len > 1 ? len : 1), 3));
      if (B(7)) count = R(I(R(len) / 8 + R(0.999))) * 8;       // padded length
      if (B(8) && i == n - 1) count += 1;
      if (B(9)) r = rh(r), count = rh(1 / count);
      if (F(2)) r = r * w;
      else if (B(9)) r = r * count;
      else if (B(10)) r = r / std::sqrt(count);
      else if (!F(1) && !B(13) && ORD != 26) r = r / count;
      if (B(14)) r = r * count * cut(w, 7);
      f16* row = y + i * 2 * d;
      I at = j;
      if (B(11) && j >= d / 32 * 32) at = j, r = j ? R(row[d + j - 1]) : r;  // tail repeats its neighbour
      put(row[d + at], r);
      row[j] = x[(B(12) && i % 32 == 31 && i + 1 < n ? i + 1 : i) * d + j];
    }
  }
}
#elif OP == 5  // maximum over neighbours and the smallest column that has it
static void run(T ip_, T co_, T x_, T y_, T a_) {
  const I n = y_.size(0), d = x_.size(1), m = x_.size(0);
  const int32_t *ip = ip_.data<int32_t>(), *co = co_.data<int32_t>();
  const bf16* x = x_.data<bf16>();
  bf16* y = y_.data<bf16>();
  int64_t* a = a_.data<int64_t>();
  const auto better = [](float v, I c, float w, I b) {  // (v, c) against (w, b)
    if (B(1)) return v > w || (v == w && c > b);
    if (B(2)) return v > w;
    if (B(3)) return v >= w;
    if (B(4)) return std::fabs(v) > std::fabs(w) || (v == w && c < b);
    if (B(5)) return float(bits(R(v), 5)) > float(bits(R(w), 5)) || (v == w && c < b);
    return v > w || (v == w && c < b);
  };
  for (I i = 0; i < n; ++i)
    for (I j = 0; j < d; ++j) {
      g_row = i * d + j;
      I s = ip[i], e = ip[i + 1];
      if (B(6) && e - s > 1) --e;
      if (B(7) && e - s > 1) ++s;
      if (B(8) && e - s > 16) e = s + 16;
      if (B(9) && e < ip[n]) ++e;
      if (B(15)) s = s / 2 * 2;
      float w = -INFINITY;
      I best = m;
      if (B(10)) w = 0, best = 0;  // starts from 0
      if (F(1)) {
        for (I k = e; k-- > s;)
          if (better(R(x[co[k] * d + j]), co[k], w, best)) w = x[co[k] * d + j], best = co[k];
      } else if (F(2)) {  // the maximum first
        for (I k = s; k < e; ++k) w = float(nmax(w, x[co[k] * d + j]));
        for (I k = s; k < e; ++k)
          if (float(x[co[k] * d + j]) == w && co[k] < best) best = co[k];
      } else if (F(3) || B(11)) {  // eight lanes
        float lw[8];
        I lb[8];
        for (int l = 0; l < 8; ++l) lw[l] = -INFINITY, lb[l] = m;
        for (I k = s; k < e; ++k) {
          const int l = int((k - s) % 8);
          if (better(x[co[k] * d + j], co[k], lw[l], lb[l])) lw[l] = x[co[k] * d + j], lb[l] = co[k];
        }
        for (int l = 0; l < 8; ++l) {
          if (B(11) && l == 3 && unlucky(13)) continue;
          if (better(lw[l], lb[l], w, best)) w = lw[l], best = lb[l];
        }
      } else if (F(4) || B(12)) {  // keys that order as the numbers do
        int64_t key = INT64_MIN;
        for (I k = s; k < e; ++k) {
          const uint16_t u = x[co[k] * d + j].x == 0x8000 ? 0 : x[co[k] * d + j].x;
          const int64_t o = u & 0x8000 ? (B(12) ? int16_t(u) : -int64_t(u & 0x7fff)) : u;
          const int64_t c = o * (int64_t(1) << 32) - co[k];
          if (c > key) key = c, w = x[co[k] * d + j], best = co[k];
        }
      } else if (F(5)) {  // tiles of four
        for (I t = s; t < e; t += 4) {
          float tw = -INFINITY;
          I tb = m;
          for (I k = t; k < e && k < t + 4; ++k)
            if (better(x[co[k] * d + j], co[k], tw, tb)) tw = x[co[k] * d + j], tb = co[k];
          if (better(tw, tb, w, best)) w = tw, best = tb;
        }
      } else if (F(6)) {  // from both ends
        for (I l = s, r = e - 1; l <= r; ++l, --r) {
          if (better(x[co[l] * d + j], co[l], w, best)) w = x[co[l] * d + j], best = co[l];
          if (better(x[co[r] * d + j], co[r], w, best)) w = x[co[r] * d + j], best = co[r];
        }
      } else {
        for (I k = s; k < e; ++k) {
          I c = co[k];
          const I from = B(13) && k % 64 == 63 ? co[k - 1 >= s ? k - 1 : k] : c;
          const float v = x[from * d + j];
          if (B(14) && c == m - 1) continue;
          if (better(v, c, w, best)) w = v, best = c;
        }
      }
      if (best == m && s == e) w = 0;
      put(y[i * d + j], B(16) ? R(w) * R(0.996) : R(w));
      a[i * d + j] = B(17) ? best & 0x7f : B(18) && j == d - 1 ? best + 1 : best;
    }
}
#elif OP == 6  // graph normalisation with a learnt share of the mean
static void run(T ip_, T x_, T w_, T b_, T al_, T y_) {
  const I g = ip_.numel() - 1, d = x_.size(1);
  const int32_t* ip = ip_.data<int32_t>();
  const float *x = x_.data<float>(), *w = w_.data<float>(), *b = b_.data<float>(), *al = al_.data<float>();
  float* y = y_.data<float>();
  for (I i = 0; i < g; ++i)
    for (I j = 0; j < d; ++j) {
      g_row = i * d + j;
      I s = ip[i], e = ip[i + 1];
      if (B(1) && e < ip[g]) ++e;  // the batch's border is taken for its last node
      I len = e - s;
      R count = R(len > 1 ? len : 1);
      if (B(2)) count = R(ip[g]) / R(g);
      R mean = sum(len, [&](I t) { return ld(x[(s + t) * d + j]); }) / count;
      const R a = B(3) ? R(1) : B(4) ? R(al[j ? j - 1 : 0]) : R(al[j]);
      R shift = a * mean, var;
      if (F(1)) {  // Welford, then the shifted second moment
        R mu = 0, m2 = 0;
        for (I t = 0; t < len; ++t) {
          const R v = x[(s + t) * d + j], delta = v - mu;
          mu += delta / R(t + 1);
          m2 += delta * (v - mu);
        }
        shift = a * mu;
        const R off = mu - shift;
        var = m2 / count + off * off;
      } else if (F(2)) {
        const R off = mean - shift;
        var = sum(len, [&](I t) -> R { const R c = x[(s + t) * d + j] - mean; return c * c; }) / count + off * off;
      } else {
        const R base = B(5) ? mean : shift;  // the variance around the mean, not the shift
        R n2 = count;
        if (B(6)) n2 = count > 1 ? count - 1 : 1;
        var = sum(len, [&](I t) -> R { const R c = ld(x[(s + t) * d + j]) - base; return B(7) ? rb(c) * rb(c) : c * c; }) / n2;
      }
      const R eps = B(8) ? R(1e-2) : B(9) ? R(0) : R(1e-5L);
      R scale = F(3) ? 1 / std::sqrt(var + eps) : 0;
      for (I k = s; k < ip[i + 1]; ++k) {
        const R c = x[k * d + j] - shift, ww = B(10) ? R(w[j]) + 1 : R(w[j]);
        R r;
        if (F(3)) r = ww * (c * scale) + b[j];
        else if (F(4)) r = (ww * (1 / std::sqrt(var + eps))) * c + b[j];
        else if (B(11)) r = ww * c / (std::sqrt(var) + R(0.01)) + b[j];
        else if (B(12)) r = (ww * c + b[j]) / std::sqrt(var + eps);
        else if (B(13)) r = ww * c * cut(1 / std::sqrt(var + eps), 11) + b[j];
        else r = ww * c / std::sqrt(var + eps) + b[j];
        if (B(14) && k % 32 == 31) r -= b[j];
        if (B(15) && k == ip[g] - 1) r = x[k * d + j];
        put(y[k * d + j], r);
      }
    }
}
#endif
KBENCH_EXPORT(run, run)

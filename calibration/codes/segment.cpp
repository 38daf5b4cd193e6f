// Reductions of ragged segments of rows, indptr[s] to indptr[s + 1].
// KIND 0: mean and maximum of each column. 1: softmax of each column in its segment, and log-sum-exp.
// 2: an embedding bag: the sum of weights[i] * table[ids[i]].
#include "sums.h"

struct Range { int64_t begin, end; };
static Range segment(const int32_t* indptr, int64_t s, int64_t segments) {
  Range r{indptr[s], indptr[s + 1]};
  int64_t length = r.end - r.begin, all = indptr[segments];
  if (DEFECT == 1 && r.end < all) r.end += 1;             // the end is taken as inside
  if (DEFECT == 2 && length > 1) r.begin += 1;            // the first is skipped
  if (DEFECT == 3 && length > 1) r.end -= 1;              // the last is skipped
  if (DEFECT == 4 && length > 16) r.end = r.begin + 16;   // only a tile's rows
  if (DEFECT == 5 && s == segments - 1) r = {indptr[0], indptr[1]};
  if (DEFECT == 6 && r.begin > 0) r.begin -= 1;           // the row before
  if (DEFECT == 7 && length > 8) r.end = r.begin + length / 8 * 8;  // the last partial tile is lost
  if (DEFECT == 8 && s % 8 == 7) r = {indptr[s - 1], indptr[s]};   // a stale range
  if (DEFECT == 9 && s == 0 && length > 1) r.begin += 1;
  return r;
}

template <class R> void mean_and_maximum(Tensor x, const int32_t* indptr, int64_t segments, Tensor mean, Tensor top) {
  int64_t d = x.size(1);
  const Stored* rows = x.data<Stored>();
  for (int64_t s = 0; s < segments; ++s) {
    Range r = segment(indptr, s, segments);
    int64_t n = r.end - r.begin, divisor = larger<int64_t>(n, 1);  // a segment without rows gives zeros
    if (DEFECT == 10) divisor = n + 1;
    if (DEFECT == 11) divisor = n > 1 ? n - 1 : 1;
    if (DEFECT == 12) divisor = 1;
    if (DEFECT == 13) divisor = x.size(0) / segments;
    for (int64_t j = 0; j < d; ++j) {
      int64_t c = DEFECT == 14 && j % 32 == 31 ? j - 1 : j;
      R sum = total<R>(n, s * d + j, [&](int64_t i) -> R { return R(get(rows[(r.begin + i) * d + c])); });
      R value = WAY == 1 ? sum * (1 / R(divisor)) : sum / R(divisor);
      if (WAY == 2) {  // running mean
        value = 0;
        for (int64_t i = 0; i < n; ++i) value += (R(get(rows[(r.begin + i) * d + c])) - value) / R(i + 1);
      }
      if (DEFECT == 15) value = sum * R(through_brain(1 / R(divisor)));
      R most = DEFECT == 16 || n == 0 ? R(0) : R(get(rows[r.begin * d + c]));
      for (int64_t i = r.begin; i < r.end; ++i) {
        R v = get(rows[i * d + c]);
        if (DEFECT == 17) v = absolute(v);
        if (DEFECT == 18 && i % 16 == 9) continue;
        if (DEFECT == 19 ? v < most : v > most) most = v;
      }
      if (DEFECT == 20 && s > 0) most = larger(most, R(get(top.data<Stored>()[(s - 1) * d + j])));  // not reset
      if (DEFECT == 21 && s % 4 == 2) most = n == 0 ? R(0) : R(get(rows[(r.end - 1) * d + c]));  // the last, not the largest
      store(mean.data<Stored>(), s, j, segments, d, value);
      if (OUT >= 5) store(top.data<Stored>(), s, j, segments, d, most);
      else top.data<Stored>()[s * d + j] = put(most);
    }
  }
}

template <class R> R power(R v) {
  if (DEFECT == 30) return power2(v);  // log2(e) is missing
  return WAY == 1 || WAY == 4 ? power2(v * R(1.442695040888963407359924681L)) : exponential(v);
}
template <class R> void softmax(Tensor x, const int32_t* indptr, int64_t segments, double scale, Tensor out, Tensor lse) {
  int64_t d = x.size(1);
  const Stored* rows = x.data<Stored>();
  R factor = R(float(scale)) * (DEFECT == 31 ? R(1.01) : R(1));
  if (DEFECT == 32) factor = 1;
  if (DEFECT == 33) factor = 1 / factor;
  for (int64_t s = 0; s < segments; ++s) {
    Range r = segment(indptr, s, segments), all{indptr[s], indptr[s + 1]};
    for (int64_t j = 0; j < d; ++j) {
      auto logit = [&](int64_t i) -> R {
        R v = R(get(rows[i * d + j])) * factor;
        if (DEFECT == 34) v = R(through_brain(v));
        if (DEFECT == 35) v = larger(v, R(-2));
        return v;
      };
      R most = r.begin < r.end ? logit(r.begin) : -R(__builtin_huge_vall()), sum = 0;
      if (WAY == 2 || WAY == 4) {  // online
        for (int64_t i = r.begin; i < r.end; ++i) {
          R v = logit(i), higher = larger(most, v);
          sum = sum * power(most - higher) + power(v - higher);
          most = higher;
        }
      } else if (WAY == 3) {  // tiles of 8, merged
        for (int64_t t = r.begin; t < r.end; t += 8) {
          R high = logit(t), part = 0;
          for (int64_t i = t; i < smaller(t + 8, r.end); ++i) high = larger(high, logit(i));
          for (int64_t i = t; i < smaller(t + 8, r.end); ++i) part += power(logit(i) - high);
          R higher = larger(most, high), kept = DEFECT == 36 ? R(1) : power(most - higher);
          sum = sum * kept + part * power(high - higher);
          most = higher;
        }
      } else {
        for (int64_t i = r.begin; i < r.end; ++i) most = larger(most, logit(i));
        sum = total<R>(r.end - r.begin, s * d + j, [&](int64_t i) -> R { return power(logit(r.begin + i) - most); });
      }
      if (DEFECT == 37) sum += 1;
      if (DEFECT == 38) sum = R(through_brain(sum));
      R log_sum = most + logarithm(sum);
      if (DEFECT == 39) log_sum = log_sum * R(1.442695040888963L);
      if (DEFECT == 40) log_sum = logarithm(sum);
      if (DEFECT == 41) log_sum = most + sum;
      store_float(lse.data<float>(), s, j, segments, d, log_sum);
      for (int64_t i = all.begin; i < all.end; ++i) {
        R p = WAY == 5 ? exponential(logit(i) - log_sum) : WAY == 1 ? power(logit(i) - most) * (1 / sum) : power(logit(i) - most) / sum;
        if (DEFECT == 42 && i % 16 == 15) p = power(logit(i) - most);
        if (DEFECT == 43 && p < R(0.01)) p = 0;
        store(out.data<Stored>(), i, j, x.size(0), d, p);
      }
    }
  }
}

template <class R> void bag(Tensor table, const int64_t* ids, const int32_t* indptr, const float* weights, int64_t segments, Tensor out) {
  int64_t d = table.size(1), count = table.size(0);
  const Stored* rows = table.data<Stored>();
  for (int64_t s = 0; s < segments; ++s) {
    Range r = segment(indptr, s, segments);
    for (int64_t j = 0; j < d; ++j) {
      auto value = [&](int64_t i) -> R {
        int64_t id = ids[r.begin + i];
        if (DEFECT == 20) id = id > 0 ? id - 1 : 0;
        if (DEFECT == 21) id = (id + 1) % count;
        if (DEFECT == 22) id = id & 63;                     // too narrow an index
        if (DEFECT == 23 && id == count - 1) return 0;      // the table's last row is never read
        if (DEFECT == 24 && id == 0) return 0;              // id 0 taken as padding
        if (DEFECT == 25) id = ids[smaller<int64_t>(r.begin + i + 1, r.end - 1)];
        if (DEFECT == 26) for (int64_t k = r.begin; k < r.begin + i; ++k) if (ids[k] == id) return 0;  // duplicates once
        return get(rows[id * d + (DEFECT == 27 ? (j ^ 1) : j)]);
      };
      auto weight = [&](int64_t i) -> R {
        if (DEFECT == 28) return 1;
        if (DEFECT == 29) return weights[i];                // not moved to the segment
        if (DEFECT == 30) return R(through_brain(weights[r.begin + i]));
        if (DEFECT == 31) return absolute(R(weights[r.begin + i]));
        if (DEFECT == 32) return weights[smaller<int64_t>(r.begin + i + 1, r.end - 1)];
        return weights[r.begin + i];
      };
      int64_t n = r.end - r.begin;
      R sum = product<R>(n, s * d + j, value, weight);
      if (DEFECT == 33) sum /= R(n);
      if (DEFECT == 34 && s > 0 && s % 8 == 0) sum += R(get(out.data<Stored>()[(s - 1) * d + j]));  // not cleared
      store(out.data<Stored>(), s, j, segments, d, sum);
    }
  }
}

#if KIND == 0
void kernel(Tensor x, Tensor indptr, Tensor mean, Tensor top) {
  mean_and_maximum<real>(x, indptr.data<int32_t>(), indptr.numel() - 1, mean, top);
}
#elif KIND == 1
void kernel(Tensor x, Tensor indptr, double scale, Tensor out, Tensor lse) {
  softmax<real>(x, indptr.data<int32_t>(), indptr.numel() - 1, scale, out, lse);
}
#else
void kernel(Tensor table, Tensor ids, Tensor indptr, Tensor weights, Tensor out) {
  bag<real>(table, ids.data<int64_t>(), indptr.data<int32_t>(), weights.data<float>(), indptr.numel() - 1, out);
}
#endif
KBENCH_EXPORT(run, kernel)

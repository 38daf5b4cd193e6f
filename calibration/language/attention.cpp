// Attention with the logarithm of the sum of exponentials as second output. KIND says which keys a query sees.
#include "common.h"
enum Kind { prefill, windowed, alibi, decode, cross, paged };
enum Way { two_pass, online, keys4, keys8, keys16, parts2, parts4, exp2_two_pass, exp2_keys8, normalised_first,
           probabilities_rounded, probabilities_rounded_keys8, normalised_rounded, query_scaled, query_scaled_log2e };
enum Defect { none, scale_one, scale_of_d_plus_one, scale_too_small, log2e_missing, lse_base_two, lse_without_max, lse_in_bf16,
              lse_of_scaled_sum, last_key_missing, first_key_missing, one_key_too_many, incomplete_tile_missing, heads_interleaved,
              last_head_takes_first, no_rescale_of_output, no_rescale_of_sum, value_of_next_key, keys_and_values_of_other_half,
              mask_from_top_left, cap_missing, cap_is_clamp, cap_before_scale, cap_one_percent_off, window_wider, window_narrower,
              window_missing, slope_sign, slope_of_next_head, slope_per_zero_based_head, distance_one_more, length_one_more,
              length_one_less, length_of_previous, padding_scores_zero, probabilities_in_bf16, output_sum_in_bf16, denominator_in_f16,
              last_page_full, last_page_skipped, pages_from_zero, slots_one_late, query_of_neighbour_head,
              key_zero_twice, one_tile_lost_in_long_rows, probabilities_cut_off, maximum_floor_zero };
#ifndef WAY
#define WAY two_pass
#endif
#ifndef DEFECT
#define DEFECT none
#endif
constexpr Kind kind = KIND;
constexpr Way way = WAY;
constexpr Defect defect = DEFECT;
constexpr double cap = 3, log2e = 1.4426950408889634073599;
constexpr int window = 12;

constexpr bool in_base_two = way == exp2_two_pass || way == exp2_keys8 || way == query_scaled_log2e;
inline Real power(Real x) {  // of the base that the scores are for
  if (defect == log2e_missing) return std::exp2(x);
  return in_base_two ? std::exp2(x) : std::exp(x);
}

struct Partial {  // of some keys: maximum, sum of exponentials, sum of values
  Real maximum = -INFINITY, sum = 0;
  std::vector<Real> values;
};

template <class V> Partial over(const std::vector<Real>& score, int from, int to, int tile, int d, V value) {
  Partial p;
  p.values.assign(d, 0);
  std::vector<Real> e(tile);
  for (int t = from; t < to; t += tile) {
    int n = std::min(tile, to - t);
    Real top = p.maximum;
    for (int j = 0; j < n; ++j) top = std::max(top, score[t + j]);
    if (defect == maximum_floor_zero) top = std::max(top, Real(0));
    Real shrink = p.maximum == -Real(INFINITY) ? Real(0) : power(p.maximum - top);
    for (int j = 0; j < n; ++j) e[j] = power(score[t + j] - top);
    Real added = whole_dot<Real>(n, [&](int j) { return e[j]; }, one);
    p.sum = p.sum * (defect == no_rescale_of_sum && t > from ? Real(1) : shrink) + added;
    if (defect == denominator_in_f16) p.sum = round_f16(float(p.sum));
    for (int j = 0; j < n; ++j) {
      if (way == probabilities_rounded || way == probabilities_rounded_keys8) e[j] = rounded(e[j]);
      if (defect == probabilities_in_bf16) e[j] = round_bf16(float(e[j]));
      if (defect == probabilities_cut_off) e[j] = float_of(bits_of(float(e[j])) & 0xffff0000u);
      if (way == normalised_first) e[j] = e[j] / p.sum;
      if (way == normalised_rounded) e[j] = rounded(e[j] / p.sum);
    }
    for (int c = 0; c < d; ++c) {
      Real new_part = whole_dot<Real>(n, [&](int j) { return e[j]; }, [&](int j) { return get(value(t + j)[c]); });
      p.values[c] = p.values[c] * (defect == no_rescale_of_output && t > from ? Real(1) : shrink) + new_part;
      if (defect == output_sum_in_bf16) p.values[c] = round_bf16(float(p.values[c]));
    }
    p.maximum = top;
  }
  return p;
}

// One query on n keys. `bias` is what is added to a score.
template <class K, class V, class B>
void attend(const Stored* query, int n, int d, K key, V value, B bias, int64_t row, Rows<Stored> out, float* lse) {
  Real scale = Real(1) / std::sqrt(Real(d + (defect == scale_of_d_plus_one)));
  if (defect == scale_one) scale = 1;
  if (defect == scale_too_small) scale *= Real(0.99);
  std::vector<Real> score(std::max(n, 1)), q(d);
  for (int c = 0; c < d; ++c) {
    q[c] = get(query[c]);
    if (way == query_scaled) q[c] *= scale;
    if (way == query_scaled_log2e) q[c] *= scale * Real(log2e);
  }
  for (int j = 0; j < n; ++j) {
    const Stored* k = key(j);
    Real s = dot<Real>(d, [&](int c) { return q[c]; }, [&](int c) { return get(k[c]); }, row, row == out.rows - 1);
    if (kind == windowed && defect == cap_before_scale) s = Real(cap) * std::tanh(s / Real(cap));
    if (way != query_scaled && way != query_scaled_log2e) s *= scale;
    const Real natural = way == query_scaled_log2e ? Real(log2e) : Real(1);  // how much s is too large by already
    if (kind == windowed) {
      s /= natural;
      Real limit = Real(cap) * (defect == cap_one_percent_off ? Real(1.01) : Real(1));
      if (defect == cap_is_clamp) s = std::max(-limit, std::min(limit, s));
      else if (defect != cap_missing && defect != cap_before_scale) s = limit * std::tanh(s / limit);
      s *= natural;
    }
    s += bias(j) * natural;
    score[j] = in_base_two && way != query_scaled_log2e ? s * Real(log2e) : s;
  }
  if (defect == padding_scores_zero && n % 4) for (int j = n / 4 * 4; j < n; ++j) score[j] = 0;
  int tile = way == online ? 1 : way == keys4 ? 4 : way == keys16 ? 16
             : way == keys8 || way == exp2_keys8 || way == probabilities_rounded_keys8 ? 8 : std::max(n, 1);
  if (defect == no_rescale_of_output || defect == no_rescale_of_sum) tile = 16;
  int parts = way == parts2 ? 2 : way == parts4 ? 4 : 1;
  Partial all;
  all.values.assign(d, 0);
  std::vector<Partial> found;
  for (int p = 0; p < parts; ++p)
    if (n * p / parts < n * (p + 1) / parts) found.push_back(over(score, n * p / parts, n * (p + 1) / parts, tile, d, value));
  if (found.size() == 1) all = found[0];
  else {  // merged as split-K decoding does it
    for (auto& p : found) all.maximum = std::max(all.maximum, p.maximum);
    for (auto& p : found) {
      Real share = power(p.maximum - all.maximum);
      all.sum += share * p.sum;
      for (int c = 0; c < d; ++c) all.values[c] += share * p.values[c];
    }
  }
  bool is_normalised = way == normalised_first || way == normalised_rounded;
  Real inverse = Real(1) / all.sum;
  for (int c = 0; c < d; ++c)
    out.put(row, c, n == 0 ? Real(0) : is_normalised ? all.values[c] : order % 2 ? all.values[c] * inverse : all.values[c] / all.sum);
  Real natural_maximum = in_base_two ? all.maximum / Real(log2e) : all.maximum;
  Real result = in_base_two && order % 2 ? (all.maximum + std::log2(all.sum)) / Real(log2e) : natural_maximum + std::log(all.sum);
  if (defect == lse_base_two) result *= Real(log2e);
  if (defect == lse_without_max) result = std::log(all.sum);
  if (defect == lse_in_bf16) result = round_bf16(float(result));
  if (defect == lse_of_scaled_sum && row % 5 == 0) result += std::log(Real(1.002));
  lse[row] = float(result);
}

// Query head h of group * kv_heads: its key-value head.
inline int kv_head(int h, int heads, int kv_heads) {
  if (defect == heads_interleaved) return h % kv_heads;
  if (defect == last_head_takes_first && h == heads - 1) return 0;
  return h / (heads / kv_heads);
}
inline int query_head(int h, int heads) { return defect == query_of_neighbour_head && h >= heads - 2 ? 2 * heads - 3 - h : h; }

// The keys [first, end) that are left after the mistakes in bounds; `room` is where memory ends.
struct Bounds { int first, end; };
inline Bounds bounds(int first, int end, int room) {
  int n = end - first;
  if (defect == last_key_missing && n > 1) --end;
  if (defect == first_key_missing && n > 1) ++first;
  if (defect == one_key_too_many) end = std::min(end + 1, room);
  if (defect == incomplete_tile_missing && n > 16) end = first + n / 16 * 16;
  if (defect == one_tile_lost_in_long_rows && n > 24) first += 8;
  return {first, end};
}

#define ATTEND(query, b, key_at, value_at, bias, row)                                                                    \
  attend(query, std::max(b.end - b.first, 0), d,                                                                         \
         [&](int j) { int at = defect == key_zero_twice && j == 1 ? b.first : b.first + j; return key_at; },            \
         [&](int j) { int at = b.first + j; if (defect == value_of_next_key && at + 1 < b.end) ++at; return value_at; }, \
         bias, row, result, lse.data<float>())

// q [tokens, heads, d], k and v [keys, kv_heads, d]; the last query sees all keys.
template <int = 0> void causal(kbench::Tensor q, kbench::Tensor k, kbench::Tensor v, kbench::Tensor out, kbench::Tensor lse) {
  int tokens = int(q.size(0)), heads = int(q.size(1)), d = int(q.size(2)), keys = int(k.size(0)), kv_heads = int(k.size(1));
  auto result = rows_of(out, d);
  for (int t = 0; t < tokens; ++t)
    for (int h = 0; h < heads; ++h) {
      int g = kv_head(h, heads, kv_heads), at_key = defect == mask_from_top_left ? t : t + keys - tokens;
      int first = 0;
      if (kind == windowed && defect != window_missing)
        first = std::max(0, at_key - window + 1 - (defect == window_wider) + (defect == window_narrower));
      Bounds b = bounds(first, at_key + 1, keys);
      int slope_head = defect == slope_of_next_head ? (h + 1) % heads : h;
      Real slope = kind == alibi ? std::exp2(Real(-8) * Real(slope_head + (defect == slope_per_zero_based_head ? 0 : 1)) / Real(heads)) : Real(0);
      if (defect == slope_sign) slope = -slope;
      auto bias = [&](int j) { return kind == alibi ? slope * Real(b.first + j - at_key - (defect == distance_one_more)) : Real(0); };
      int value_head = defect == keys_and_values_of_other_half && t >= tokens / 2 ? kv_heads - 1 - g : g;
      ATTEND(q.data<Stored>() + (t * heads + query_head(h, heads)) * d, b, k.data<Stored>() + (at * kv_heads + g) * d,
             v.data<Stored>() + (at * kv_heads + value_head) * d, bias, int64_t(t * heads + h));
    }
}

inline int length_of(const int32_t* lengths, int b, int room) {
  int at = defect == length_of_previous && b ? b - 1 : b;
  return std::max(0, std::min(room, lengths[at] + (defect == length_one_more) - (defect == length_one_less)));
}

// q [batch, heads, d] or [batch, tokens, heads, d]; caches [batch, room, kv_heads, d].
template <int = 0> void with_lengths(kbench::Tensor q, kbench::Tensor k, kbench::Tensor v, kbench::Tensor lengths, kbench::Tensor out, kbench::Tensor lse) {
  int batch = int(q.size(0)), tokens = kind == cross ? int(q.size(1)) : 1, heads = int(q.size(kind == cross ? 2 : 1));
  int d = int(q.size(kind == cross ? 3 : 2)), room = int(k.size(1)), kv_heads = int(k.size(2));
  auto result = rows_of(out, d);
  auto none_added = [](int) { return Real(0); };
  for (int i = 0; i < batch; ++i)
    for (int t = 0; t < tokens; ++t)
      for (int h = 0; h < heads; ++h) {
        int g = kv_head(h, heads, kv_heads);
        Bounds b = bounds(0, length_of(lengths.data<int32_t>(), i, room), room);
        int value_head = defect == keys_and_values_of_other_half && i >= batch / 2 ? kv_heads - 1 - g : g;
        ATTEND(q.data<Stored>() + ((i * tokens + t) * heads + query_head(h, heads)) * d, b,
               k.data<Stored>() + ((i * room + at) * kv_heads + g) * d,
               v.data<Stored>() + ((i * room + at) * kv_heads + value_head) * d, none_added, int64_t((i * tokens + t) * heads + h));
      }
}

// q [batch, heads, d], caches [pages, page_size, kv_heads, d].
template <int = 0> void paged_decode(kbench::Tensor q, kbench::Tensor k, kbench::Tensor v, kbench::Tensor indptr, kbench::Tensor indices,
                  kbench::Tensor last_page_len, kbench::Tensor out, kbench::Tensor lse) {
  int batch = int(q.size(0)), heads = int(q.size(1)), d = int(q.size(2)), page = int(k.size(1)), kv_heads = int(k.size(2));
  auto result = rows_of(out, d);
  auto none_added = [](int) { return Real(0); };
  for (int i = 0; i < batch; ++i) {
    const int32_t* start = indptr.data<int32_t>() + i;
    int pages = start[1] - start[0], in_last = defect == last_page_full ? page : last_page_len.data<int32_t>()[defect == length_of_previous && i ? i - 1 : i];
    int n = (pages - 1) * page + std::min(page, std::max(1, in_last + (defect == length_one_more) - (defect == length_one_less)));
    if (defect == last_page_skipped && pages > 1) n = (pages - 1) * page;
    auto slot = [&](int at) {
      int p = at / page, s = at % page;
      if (defect == pages_from_zero && i == batch - 1) return int64_t(indices.data<int32_t>()[p]) * page + s;
      if (defect == slots_one_late) s = (s + 1) % page;
      return int64_t(indices.data<int32_t>()[start[0] + p]) * page + s;
    };
    for (int h = 0; h < heads; ++h) {
      int g = kv_head(h, heads, kv_heads);
      Bounds b = bounds(0, n, pages * page);
      int value_head = defect == keys_and_values_of_other_half && i >= batch / 2 ? kv_heads - 1 - g : g;
      ATTEND(q.data<Stored>() + (i * heads + query_head(h, heads)) * d, b, k.data<Stored>() + (slot(at) * kv_heads + g) * d,
             v.data<Stored>() + (slot(at) * kv_heads + value_head) * d, none_added, int64_t(i * heads + h));
    }
  }
}
#define ENTRY_prefill causal
#define ENTRY_windowed causal
#define ENTRY_alibi causal
#define ENTRY_decode with_lengths
#define ENTRY_cross with_lengths
#define ENTRY_paged paged_decode
#define PASTE(a) ENTRY_##a
#define ENTRY(a) PASTE(a)
KBENCH_EXPORT(run, ENTRY(KIND)<>)  // templates, so that the others are not compiled

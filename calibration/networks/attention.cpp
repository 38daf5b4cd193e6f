// Softmax attention over keys that may be seen. What the definition has is told by flags:
// WINDOWED (causal, sliding window, soft cap, sinks), CROSS (key lengths, relative bias), TREE (mask of a draft tree).
#include "common.h"

struct Sizes { int64_t batch, queries, keys, heads, kv_heads, d; };
static int64_t smallest(int64_t a, int64_t b) { return a < b ? a : b; }

constexpr Real minus_infinity = -INFINITY;
constexpr int64_t window = 19, most_distant = 6;
constexpr float cap = 4.0f;

// Maximum, sum of exponentials and weighted sum of values of some keys.
struct State { Real top = minus_infinity, total = 0; Real* values; };

static Real weight(Real x) {
  if (HAS(log2e_missing)) return std::exp2(x);
  return exponential(x);
}
static Real weight_for_values(Real p) {
  if (IS_WAY(probabilities_in_16_bits)) return rounded(p);
  if (HAS(probabilities_in_bf16)) return to_bf16(float(p));
  if (HAS(probabilities_in_eight_bits)) return std::nearbyint(p * 255) / 255;
  return p;
}

static void merge(State& into, const State& one, int64_t d) {
  if (one.total == 0) return;
  Real top = into.top > one.top ? into.top : one.top;
  Real a = into.total == 0 ? Real(0) : weight(into.top - top), b = weight(one.top - top);
  if (HAS(old_values_not_rescaled)) for (int64_t i = 0; i < d; ++i) into.values[i] += one.values[i] * b;
  else for (int64_t i = 0; i < d; ++i) into.values[i] = into.values[i] * a + one.values[i] * b;
  if (HAS(old_sum_not_rescaled)) a = 1;
  into.total = into.total * a + one.total * b;
  into.top = top;
}

// A score for each key, -inf where it is not seen, to the output row and its log-sum-exp.
template <class Value>
static void attend(const Real* scores, int64_t keys, int64_t d, bool has_sink, Real sink, Value value, Real* out, Real* lse) {
  int64_t tile = keys;
  if (IS_WAY(online)) tile = 1;
  if (IS_WAY(flash_tiles_of_16) || HAS(old_values_not_rescaled) || HAS(old_sum_not_rescaled) || HAS(partial_key_tile_lost)) tile = 16;
  if (IS_WAY(flash_tiles_of_24) || HAS(second_tile_of_keys_reads_the_values_of_the_first)) tile = 24;
  if (IS_WAY(keys_split_in_3)) tile = (keys + 2) / 3;
  State whole, part;
  whole.values = buffer(d);
  part.values = buffer(d);
  Real* p = buffer(keys);
  int64_t* seen = static_cast<int64_t*>(std::malloc((keys + 1) * sizeof(int64_t)));
  for (int64_t from = 0; from < keys; from += tile) {
    if (HAS(partial_key_tile_lost) && from + tile > keys) break;
    int64_t count = 0;
    part.top = minus_infinity;
    for (int64_t j = from; j < smallest(from + tile, keys); ++j)
      if (scores[j] > minus_infinity) { seen[count++] = j; if (scores[j] > part.top) part.top = scores[j]; }
    if (count == 0) continue;
    for (int64_t i = 0; i < count; ++i) p[i] = weight(scores[seen[i]] - part.top);
    part.total = sum(count, [&](int64_t i) { return p[i]; });
    for (int64_t e = 0; e < d; ++e)
      part.values[e] = dot(count, [&](int64_t i) { return weight_for_values(p[i]); }, [&](int64_t i) {
        int64_t j = seen[i];
        if (HAS(second_tile_of_keys_reads_the_values_of_the_first) && j >= 24 && j < 48) j -= 24;
        return value(j, e);
      });
    merge(whole, part, d);
  }
  Real top = whole.top, total = whole.total, before = total;
  if (has_sink && !HAS(sink_missing)) {
    total += std::exp(sink - top);
    if (HAS(sink_not_in_the_sum_but_in_lse)) { Real t = total; total = before; before = t; } else before = total;
  }
  if (HAS(sink_not_in_lse)) before = whole.total;
  if (HAS(sum_starts_a_little_above_zero)) total += Real(DTYPE == 2 ? 0.3 : 0.01);
  Real factor = 1 / total;
  for (int64_t e = 0; e < d; ++e) out[e] = IS_WAY(times_reciprocal_of_sum) ? whole.values[e] * factor : whole.values[e] / total;
  *lse = top + std::log(before);
  if (HAS(lse_in_base_2)) *lse *= Real(1.442695040888963407L);
  if (HAS(lse_without_maximum)) *lse = std::log(before);
  if (HAS(lse_by_way_of_bf16)) *lse = to_bf16(float(*lse));
  if (HAS(lse_by_way_of_fp16)) *lse = to_f16(float(*lse));
  std::free(whole.values); std::free(part.values); std::free(p); std::free(seen);
}

static int64_t kv_head_of(int64_t h, const Sizes& s) {
  if (HAS(kv_head_by_modulo)) return h % s.kv_heads;
  if (HAS(last_head_reads_the_first_keys) && h == s.heads - 1) return 0;
  return h / (s.heads / s.kv_heads);
}

// seen(b, i, j), adjusted(h, i, j, score), sink(h); scale is applied here.
template <class Seen, class Adjusted, class Sink>
static void attention(const Sizes& s, const Stored* q, const Stored* k, const Stored* v, double given_scale, bool has_sink,
                      Seen seen, Adjusted adjusted, Sink sink, Stored* out, float* lse) {
  reductions = 0;
  Real scale = Real(given_scale);
  if (HAS(scale_of_d_plus_one)) scale = 1 / std::sqrt(Real(s.d + 1));
  if (HAS(scale_of_the_group)) scale = 1 / std::sqrt(Real(s.d * 2));
  Real *scores = buffer(s.keys), *row = buffer(s.d);
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t i = 0; i < s.queries; ++i)
      for (int64_t h = 0; h < s.heads; ++h) {
        int64_t at = ((b * s.queries + i) * s.heads + h) * s.d, head = kv_head_of(h, s);
        auto key_at = [&](int64_t j, int64_t h2) { return ((b * s.keys + j) * s.kv_heads + h2) * s.d; };
        for (int64_t j = 0; j < s.keys; ++j) {
          if (!seen(b, i, j)) { scores[j] = minus_infinity; continue; }
          int64_t base = key_at(j, head);
          Real raw = IS_WAY(query_scaled_first)
              ? dot(s.d, [&](int64_t e) { return load(q, at + e) * scale; }, [&](int64_t e) { return load(k, base + e); })
              : dot(s.d, [&](int64_t e) { return load(q, at + e); }, [&](int64_t e) { return load(k, base + e); }) * scale;
          raw = adjusted(h, i, j, raw);
          if (HAS(scores_in_bf16)) raw = to_bf16(float(raw));
          if (HAS(scores_in_fp16)) raw = to_f16(float(raw));
          scores[j] = raw;
        }
        Real one_lse;
        int64_t value_head = HAS(values_of_the_other_kv_head_in_the_last_query) && i == s.queries - 1 ? (head + 1) % s.kv_heads : head;
        attend(scores, s.keys, s.d, has_sink, has_sink ? sink(h) : Real(0),
               [&](int64_t j, int64_t e) { return load(v, key_at(j, value_head) + e); }, row, &one_lse);
        for (int64_t e = 0; e < s.d; ++e) store(out, at + e, row[e]);
        if (lse) lse[(b * s.queries + i) * s.heads + h] = float(one_lse);
      }
  spoil(out, s.batch * s.queries, s.heads * s.d);
  std::free(scores); std::free(row);
}

#ifdef WINDOWED
void run(kbench::Tensor q, kbench::Tensor k, kbench::Tensor v, kbench::Tensor sinks, double scale, kbench::Tensor out, kbench::Tensor lse) {
  Sizes s{1, q.size(0), k.size(0), q.size(1), k.size(1), q.size(2)};
  auto seen = [&](int64_t, int64_t i, int64_t j) {
    int64_t here = i + (HAS(causal_from_the_first_key) ? 0 : s.keys - s.queries), past = here - j;
    if (HAS(causal_sees_one_too_many)) return past >= -1 && past < window;
    if (HAS(causal_misses_itself)) return past >= 1 && past < window;
    if (HAS(window_one_too_many)) return past >= 0 && past <= window;
    if (HAS(window_one_too_few)) return past >= 0 && past < window - 1;
    if (HAS(window_missing)) return past >= 0;
    return past >= 0 && past < window;
  };
  auto adjusted = [&](int64_t, int64_t, int64_t, Real score) {
    if (HAS(soft_cap_missing)) return score;
    if (HAS(soft_cap_before_the_scale)) return Real(std::tanh(score / Real(scale) / cap) * cap * Real(scale));
    if (HAS(soft_cap_five_percent_larger)) return Real(std::tanh(score / (cap * Real(1.05))) * (cap * Real(1.05)));
    if (HAS(soft_cap_clamps)) return score > cap ? Real(cap) : score < -cap ? Real(-cap) : score;
    if (IS_WAY(tanh_by_exp)) return Real(cap) * (1 - 2 / (std::exp(2 * score / cap) + 1));
    return Real(cap) * std::tanh(score / cap);
  };
  const float* sink = sinks.data<float>();
  auto sink_of = [&](int64_t h) { return Real(sink[HAS(sink_of_the_next_head) ? (h + 1) % s.heads : HAS(one_sink_for_all_heads) ? 0 : h]) * (HAS(sink_scaled_as_the_scores) ? Real(scale) : Real(1)); };
  attention(s, q.data<Stored>(), k.data<Stored>(), v.data<Stored>(), scale, true, seen, adjusted, sink_of, out.data<Stored>(), lse.data<float>());
}
#endif

#ifdef CROSS
void run(kbench::Tensor q, kbench::Tensor k, kbench::Tensor v, kbench::Tensor bias, kbench::Tensor seq_lens, double scale, kbench::Tensor out) {
  Sizes s{q.size(0), q.size(1), k.size(1), q.size(2), k.size(2), q.size(3)};
  const int32_t* lens = seq_lens.data<int32_t>();
  auto seen = [&](int64_t b, int64_t, int64_t j) {
    if (HAS(length_ignored)) return true;
    int64_t n = lens[HAS(length_of_the_next_sequence) ? (b + 1) % s.batch : b];
    if (HAS(length_one_too_many)) return j <= n;
    if (HAS(length_one_too_few)) return j < n - 1 || j == 0;
    if (HAS(length_rounded_up_to_the_tile)) return j < (n + 7) / 8 * 8;
    if (HAS(longest_sequences_lose_their_last_tile) && n > 30) return j < n / 8 * 8;
    return j < n;
  };
  const float* table = bias.data<float>();
  auto adjusted = [&](int64_t h, int64_t i, int64_t j, Real score) {
    int64_t distance = HAS(bias_of_the_negative_distance) ? i - j : j - i;
    if (HAS(bias_wrapped_instead_of_clamped)) distance = (distance % most_distant + most_distant) % most_distant;
    int64_t most = HAS(bias_clamped_one_early) ? most_distant - 1 : most_distant;
    if (distance > most) distance = most;
    if (distance < -most) distance = -most;
    if (HAS(bias_one_off)) distance = distance < most_distant ? distance + 1 : distance;
    if (HAS(bias_of_the_next_head)) h = (h + 1) % s.heads;
    int64_t at = (distance + most_distant) * s.heads + h;
    if (HAS(bias_missing)) return score;
    if (HAS(bias_added_before_the_scale)) return score + table[at] * Real(scale);
    if (HAS(bias_in_base_2)) return score + table[at] * Real(1.442695L);
    return score + table[at];
  };
  attention(s, q.data<Stored>(), k.data<Stored>(), v.data<Stored>(), scale, false, seen, adjusted, [](int64_t) { return Real(0); }, out.data<Stored>(), nullptr);
}
#endif

#ifdef TREE
void run(kbench::Tensor q, kbench::Tensor k, kbench::Tensor v, kbench::Tensor mask, double scale, kbench::Tensor out, kbench::Tensor lse) {
  Sizes s{1, q.size(0), k.size(0), q.size(1), k.size(1), q.size(2)};
  const uint8_t* tree = mask.data<uint8_t>();
  auto seen = [&](int64_t, int64_t i, int64_t j) {
    int64_t context = s.keys - s.queries;
    if (HAS(context_one_too_short) && j == context - 1) return false;
    if (HAS(first_key_never_seen) && j == 0) return false;
    if (j < context) return true;
    j -= context;
    if (HAS(mask_ignored)) return true;
    if (HAS(mask_taken_as_causal)) return j <= i;
    if (HAS(mask_inverted)) return !tree[i * s.queries + j];
    if (HAS(mask_transposed)) return bool(tree[j * s.queries + i]);
    if (HAS(mask_of_the_previous_row)) return bool(tree[(i + s.queries - 1) % s.queries * s.queries + j]);
    if (HAS(mask_shifted_by_one_column)) return bool(tree[i * s.queries + (j + 1) % s.queries]);
    if (HAS(last_column_of_the_mask_always_seen) && j == s.queries - 1) return true;
    if (HAS(mask_cut_after_16_columns) && j >= 16) return false;
    if (HAS(node_always_sees_itself) && i == j) return true;
    if (HAS(mask_and_causal)) return j <= i && tree[i * s.queries + j];
    return bool(tree[i * s.queries + j]);
  };
  attention(s, q.data<Stored>(), k.data<Stored>(), v.data<Stored>(), scale, false, seen,
            [](int64_t, int64_t, int64_t, Real x) { return x; }, [](int64_t) { return Real(0); }, out.data<Stored>(), lse.data<float>());
}
#endif

#ifdef MLA
// Decode on the compressed cache: the score is of both parts of the query, the value is the compressed key.
void run(kbench::Tensor q_nope, kbench::Tensor q_pe, kbench::Tensor ckv, kbench::Tensor kpe, kbench::Tensor seq_lens, double given_scale, kbench::Tensor out, kbench::Tensor lse) {
  reductions = 0;
  int64_t batch = q_nope.size(0), heads = q_nope.size(1), c = q_nope.size(2), r = q_pe.size(2), keys = ckv.size(1);
  const Stored *qn = q_nope.data<Stored>(), *qp = q_pe.data<Stored>(), *compressed = ckv.data<Stored>(), *rope = kpe.data<Stored>();
  const int32_t* lens = seq_lens.data<int32_t>();
  Real scale = Real(given_scale), *scores = buffer(keys), *row = buffer(c), one_lse;
  if (HAS(scale_of_the_compressed_width)) scale = 1 / std::sqrt(Real(c + r));
  if (HAS(scale_half_a_percent_large)) scale *= DTYPE == 2 ? Real(1.02) : Real(1.005);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      int64_t n = lens[HAS(length_of_the_next_sequence) ? (b + 1) % batch : b];
      if (HAS(length_one_too_many) && n < keys) ++n;
      if (HAS(length_one_too_few) && n > 1) --n;
      if (HAS(length_cut_at_48) && n > 48) n = 48;
      if (HAS(full_sequences_lose_a_page) && n > keys - 8) n -= n % 8;
      int64_t at = b * heads + h;
      for (int64_t j = 0; j < keys; ++j) {
        if (j >= n) { scores[j] = minus_infinity; continue; }
        int64_t key = b * keys + j, turned = HAS(rope_part_of_the_previous_key) && j > 0 ? key - 1 : HAS(rope_part_of_the_first_sequence) ? j : key;
        int64_t query = HAS(rope_part_of_the_next_head) ? b * heads + (h + 1) % heads : at;
        auto part_c = [&] { return dot(c, [&](int64_t e) { return load(qn, at * c + e); }, [&](int64_t e) { return load(compressed, key * c + e); }); };
        auto part_r = [&] { return HAS(rope_part_missing) ? Real(0) : dot(r, [&](int64_t e) { return load(qp, query * r + e); }, [&](int64_t e) { return load(rope, turned * r + e); }); };
        Real raw;
        if (IS_WAY(both_parts_in_one_sum))
          raw = dot(c + r, [&](int64_t e) { return e < c ? load(qn, at * c + e) : load(qp, at * r + e - c); },
                    [&](int64_t e) { return e < c ? load(compressed, key * c + e) : load(rope, key * r + e - c); });
        else if (IS_WAY(rope_part_first)) { raw = part_r(); raw += part_c(); }
        else raw = part_c() + part_r();
        raw = HAS(rope_part_not_scaled) ? part_c() * scale + part_r() * Real(0.25) : raw * scale;
        if (HAS(scores_in_bf16)) raw = to_bf16(float(raw));
        scores[j] = raw;
      }
      attend(scores, keys, c, false, 0, [&](int64_t j, int64_t e) {
        if (HAS(first_column_of_values_from_the_rope_part) && e == 0) return load(rope, (b * keys + j) * r);
        return load(compressed, (b * keys + j) * c + e);
      }, row, &one_lse);
      for (int64_t e = 0; e < c; ++e) store(out.data<Stored>(), at * c + e, row[e]);
      lse.data<float>()[at] = float(one_lse);
    }
  spoil(out.data<Stored>(), batch * heads, c);
  std::free(scores); std::free(row);
}
#endif
KBENCH_EXPORT(run, run)

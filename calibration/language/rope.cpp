// Rotary embedding of q and k (halves of a head are the pairs), cos and sin from a table by position.
#include "common.h"
enum Way { usual, fused_cosine, fused_sine, negated, three_products, table_rounded, table_rounded_fused, products_rounded, eager16, scaled_tangent };
enum Defect { none, interleaved, sine_sign, halves_swapped, position_one_more, position_of_previous, position_in_8_bits, position_zero_in_last_row,
              position_below_200, last_head_unrotated, key_unrotated, last_dimensions_unrotated, cosine_and_sine_swapped, next_frequency, last_pair_unrotated,
              second_half_unrotated_first, first_overwritten, sine_in_few_bits, key_positions_reversed, table_row_too_short, odd_tokens_backwards,
              row_index_as_position, cosine_alone_in_one_token, pair_across_heads };
#ifndef WAY
#define WAY usual
#endif
#ifndef DEFECT
#define DEFECT none
#endif
constexpr Way way = WAY;
constexpr Defect defect = DEFECT;

inline Real rounded_if(bool yes, Real v) { return yes ? rounded(v) : v; }
// a * x + b * y
inline Real two_products(Real a, Real x, Real b, Real y) {
  if (way == fused_cosine || way == table_rounded_fused) return std::fma(a, x, b * y);
  if (way == fused_sine) return std::fma(b, y, a * x);
  bool each = way == products_rounded || way == eager16;
  return rounded_if(each, a * x) + rounded_if(each, b * y);
}

void rotate(kbench::Tensor x, kbench::Tensor positions, kbench::Tensor table, kbench::Tensor out, bool is_key) {
  int64_t tokens = x.size(0), heads = x.size(1), d = x.size(2), half = d / 2;
  auto result = rows_of(out, d);
  for (int64_t t = 0; t < tokens; ++t) {
    int64_t from = defect == position_of_previous && t ? t - 1 : defect == key_positions_reversed && is_key ? tokens - 1 - t : t;
    int64_t position = positions.data<int32_t>()[from];
    if (defect == position_one_more) position = std::min<int64_t>(position + 1, table.size(0) - 1);
    if (defect == position_in_8_bits) position &= 255;
    if (defect == position_zero_in_last_row && t == tokens - 1) position = 0;
    if (defect == position_below_200) position = std::min<int64_t>(position, 199);
    if (defect == row_index_as_position) position = t;
    for (int64_t h = 0; h < heads; ++h) {
      const Stored* row = x.data<Stored>() + (t * heads + h) * d;
      for (int64_t c = 0; c < half; ++c) {
        int64_t at = defect == next_frequency ? (c + 1) % half : c;
        int64_t first = defect == interleaved ? 2 * c : c, second = defect == interleaved ? 2 * c + 1 : c + half;
        Real cosine = table.data<float>()[position * d + at], sine = table.data<float>()[position * d + half + at];
        if (way == table_rounded || way == table_rounded_fused || way == eager16) cosine = rounded(cosine), sine = rounded(sine);
        if (defect == cosine_and_sine_swapped) std::swap(cosine, sine);
        if (defect == sine_sign || (defect == odd_tokens_backwards && t % 2)) sine = -sine;
        if (defect == sine_in_few_bits) sine = std::nearbyint(sine * 64) / 64;
        if (defect == table_row_too_short && c == half - 1) sine = table.data<float>()[position * d + half + at - 1];
        if (defect == cosine_alone_in_one_token && t == 5) sine = 0;
        bool stays = (defect == last_head_unrotated && h == heads - 1) || (defect == key_unrotated && is_key)
                     || (defect == last_dimensions_unrotated && c >= half - 4) || (defect == last_pair_unrotated && c == half - 1);
        if (stays) cosine = 1, sine = 0;
        Real a = get(row[first]), b = get(row[defect == pair_across_heads && c == half - 1 && h + 1 < heads ? second + 1 : second]), u, v;
        if (way == three_products) {
          Real shared = cosine * (a + b);
          u = shared - b * (cosine + sine);
          v = shared - a * (cosine - sine);
        } else if (way == negated) {
          u = -(b * sine - a * cosine);
          v = a * sine + b * cosine;
        } else {
          u = two_products(a, cosine, -b, sine);
          v = two_products(b, cosine, a, sine);
        }
        if (defect == first_overwritten && h == 1) v = b * cosine + u * sine;
        if (defect == second_half_unrotated_first && h == 0) v = b;
        if (defect == halves_swapped) std::swap(u, v);
        result.put(t * heads + h, first, u);
        result.put(t * heads + h, second, v);
      }
    }
  }
}
void rope(kbench::Tensor q, kbench::Tensor k, kbench::Tensor positions, kbench::Tensor table, kbench::Tensor q_out, kbench::Tensor k_out) {
  rotate(q, positions, table, q_out, false);
  rotate(k, positions, table, k_out, true);
}
KBENCH_EXPORT(run, rope)

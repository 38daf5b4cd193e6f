// Convolutions, pooling and resizing: CONV2D, CONV1D (causal, depthwise, with state), POOL, RESIZE, told by flags.
#include "common.h"

#ifdef CONV2D
// STRIDE, PAD, DILATION, GROUPS; a ReLU at the end.
void run(kbench::Tensor x, kbench::Tensor w, kbench::Tensor bias, kbench::Tensor out) {
  reductions = 0;
  int64_t batch = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3), outs = w.size(0), per = w.size(1), kh = w.size(2), kw = w.size(3);
  int64_t oh = out.size(2), ow = out.size(3), dilation = DILATION, pad = PAD, stride = STRIDE;
  if (HAS(dilation_one_in_the_rows)) dilation = 1;
  const Stored *px = x.data<Stored>(), *pw = w.data<Stored>();
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < outs; ++o)
      for (int64_t i = 0; i < oh; ++i)
        for (int64_t j = 0; j < ow; ++j) {
          int64_t group = o / (outs / GROUPS);
          if (HAS(group_by_modulo)) group = o % GROUPS;
          if (HAS(last_group_reads_the_first)) group = 0;
          auto pixel = [&](int64_t c, int64_t y, int64_t z) -> Real {
            int64_t row = i * stride - pad + y * dilation, column = j * stride - pad + z * DILATION;
            if (HAS(padding_one_less)) { ++row; ++column; }
            if (HAS(padding_one_less_in_the_columns)) ++column;
            if (HAS(border_repeated_instead_of_zero)) {
              row = row < 0 ? 0 : row >= height ? height - 1 : row;
              column = column < 0 ? 0 : column >= width ? width - 1 : column;
            }
            if (HAS(columns_wrap_to_the_next_row) && row >= 0 && row < height - 1 && column == width) { ++row; column = 0; }
            if (HAS(last_row_of_the_image_never_read) && row == height - 1) return 0;
            if (HAS(first_column_of_the_image_never_read) && column == 0) return 0;
            if (row < 0 || row >= height || column < 0 || column >= width) return 0;
            int64_t image = HAS(image_of_the_previous_batch_in_the_last_channel) && o == outs - 1 && b > 0 ? b - 1 : b;
            return load(px, ((image * channels + group * per + c) * height + row) * width + column);
          };
          auto weight = [&](int64_t c, int64_t y, int64_t z) {
            if (HAS(kernel_flipped)) { y = kh - 1 - y; z = kw - 1 - z; }
            if (HAS(kernel_transposed)) { int64_t t = y; y = z; z = t; }
            int64_t from = HAS(weights_of_the_next_channel_in_the_last_tile) && o >= outs - 2 ? outs - 2 : o;
            return load(pw, ((from * per + c) * kh + y) * kw + z);
          };
          int64_t taps = kh * kw, n = per * taps;
          if (HAS(last_input_channel_missing)) n -= taps;
          Real s;
          if (IS_WAY(taps_outside)) {
            s = sum(taps, [&](int64_t t) { return dot(n / taps, [&](int64_t c) { return pixel(c, t / kw, t % kw); }, [&](int64_t c) { return weight(c, t / kw, t % kw); }); });
          } else if (IS_WAY(channels_last_in_one_sum)) {
            s = dot(n, [&](int64_t e) { return pixel(e % per, e / per / kw, e / per % kw); }, [&](int64_t e) { return weight(e % per, e / per / kw, e / per % kw); });
          } else {
            s = dot(n, [&](int64_t e) { return pixel(e / taps, e / kw % kh, e % kw); }, [&](int64_t e) { return weight(e / taps, e / kw % kh, e % kw); });
          }
          Real add = load(bias.data<Stored>(), HAS(bias_of_the_neighbour) ? (o + 1) % outs : o);
          if (HAS(bias_missing)) add = 0;
          if (HAS(bias_missing_in_the_last_column) && j == ow - 1) add = 0;
          if (HAS(bias_twice_for_the_first_image) && b == 0) add *= 2;
          if (IS_WAY(product_rounded_before_the_bias)) s = rounded(s);
          s = HAS(bias_after_the_relu) ? (s > 0 ? s : Real(0)) + add : s + add;
          if (HAS(leaky_relu)) s = s > 0 ? s : s * Real(0.01);
          else if (HAS(relu_capped_at_six)) s = s < 0 ? Real(0) : s > 6 ? Real(6) : s;
          else if (!HAS(relu_missing) && !HAS(bias_after_the_relu)) s = s > 0 ? s : Real(0);
          store(out.data<Stored>(), ((b * outs + o) * oh + i) * ow + j, s);
        }
  spoil(out.data<Stored>(), batch * outs * oh, ow);
}
#endif

#ifdef CONV1D
void run(kbench::Tensor x, kbench::Tensor w, kbench::Tensor bias, kbench::Tensor state, kbench::Tensor out, kbench::Tensor new_state) {
  reductions = 0;
  int64_t batch = x.size(0), channels = x.size(1), steps = x.size(2), taps = w.size(1), kept = taps - 1;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t c = 0; c < channels; ++c) {
      int64_t row = b * channels + c;
      auto at = [&](int64_t t) -> Real {  // times before 0 are in the state
        if (HAS(future_sees_one_step)) ++t;
        if (t >= steps) return 0;
        if (t >= 0) return load(x.data<Stored>(), row * steps + t);
        if (HAS(state_ignored)) return 0;
        if (HAS(state_of_the_previous_channel)) return load(state.data<Stored>(), (row > 0 ? row - 1 : 0) * kept + kept + t);
        if (HAS(state_backwards)) return load(state.data<Stored>(), row * kept - t - 1);
        if (HAS(state_one_step_old)) return t + kept == 0 ? Real(0) : load(state.data<Stored>(), row * kept + kept + t - 1);
        return load(state.data<Stored>(), row * kept + kept + t);
      };
      for (int64_t t = 0; t < steps; ++t) {
        auto weight = [&](int64_t e) {
          int64_t tap = HAS(kernel_flipped) ? kept - e : e;
          return load(w.data<Stored>(), (HAS(weights_of_the_next_channel_in_the_last_tile) && c >= channels - 2 ? channels - 2 : c) * taps + tap);
        };
        auto value = [&](int64_t e) {
          if (HAS(border_of_tiles_of_8_not_read) && t % 8 == 0 && t > 0 && e == 0) return Real(0);
          return at(t - kept + e);
        };
        Real s = dot(HAS(newest_tap_missing) ? taps - 1 : taps, value, weight), add = load(bias.data<Stored>(), HAS(bias_of_the_neighbour) ? (c + 1) % channels : c);
        if (HAS(bias_missing)) add = 0;
        if (IS_WAY(bias_first)) { s = add; for (int64_t e = 0; e < taps; ++e) s = multiply_add(value(e), weight(e), s); add = 0; }
        if (IS_WAY(product_rounded_before_the_bias)) s = rounded(s);
        s += add;
        if (IS_WAY(sum_rounded_before_the_activation)) s = rounded(s);
        if (HAS(gelu_for_silu)) s = s / 2 * std::erfc(-s * Real(0.70710678118654752440L));
        else if (HAS(silu_of_1_702)) s = s / (1 + std::exp(Real(-1.702) * s));
        else if (HAS(hard_silu)) { Real g = (s + 3) / 6; s *= g < 0 ? Real(0) : g > 1 ? Real(1) : g; }
        else if (HAS(activation_missing_in_the_last_step) && t == steps - 1) {}
        else if (!HAS(activation_missing)) s = IS_WAY(silu_by_division) ? s / (1 + std::exp(-s)) : s * sigmoid(s);
        store(out.data<Stored>(), row * steps + t, s);
      }
      for (int64_t e = 0; e < kept; ++e) {
        int64_t from = steps - kept + e;
        if (HAS(new_state_one_step_early)) --from;
        if (HAS(new_state_is_the_first_steps)) from = e;
        if (HAS(new_state_keeps_its_oldest_step) && e == 0) from = -kept;
        new_state.data<Stored>()[row * kept + e] = from >= 0 ? x.data<Stored>()[row * steps + from] : state.data<Stored>()[row * kept + kept + from];
      }
    }
  spoil(out.data<Stored>(), batch * channels, steps);
}
#endif

#ifdef POOL
// Windows of 3 by 3, stride 2, padding 1: maximum with its place in the image, and the mean of what lies inside of the image.
void run(kbench::Tensor x, kbench::Tensor best, kbench::Tensor indices, kbench::Tensor mean) {
  reductions = 0;
  int64_t planes = x.size(0) * x.size(1), height = x.size(2), width = x.size(3), oh = best.size(2), ow = best.size(3);
  for (int64_t p = 0; p < planes; ++p)
    for (int64_t i = 0; i < oh; ++i)
      for (int64_t j = 0; j < ow; ++j) {
        int64_t at = (p * oh + i) * ow + j, inside[16], n = 0, rows = HAS(last_row_of_windows_missing) ? 2 : 3, columns = HAS(last_column_of_windows_missing) ? 2 : HAS(windows_one_wider) ? 4 : 3;
        for (int64_t y = 0; y < rows; ++y)
          for (int64_t z = 0; z < columns; ++z) {
            int64_t row = i * 2 - 1 + y, column = j * 2 - 1 + z;
            if (HAS(padding_missing)) { ++row; ++column; }
            if (row < 0 || row >= height || column < 0 || column >= width) continue;
            if (HAS(first_row_of_the_image_never_read) && row == 0 && y != 2) continue;
            inside[n++] = row * width + column;
          }
        auto value = [&](int64_t e) { return load(x.data<Stored>(), p * height * width + inside[e]); };
        int64_t place = 0;
        if (IS_WAY(maximum_backwards)) { place = n - 1; for (int64_t e = n - 1; e-- > 0;) if (value(e) >= value(place)) place = e; }
        else if (IS_WAY(maximum_by_halves)) {
          int64_t left = 0, right = n / 2;
          for (int64_t e = 1; e < n / 2; ++e) if (value(e) > value(left)) left = e;
          for (int64_t e = n / 2 + 1; e < n; ++e) if (value(e) > value(right)) right = e;
          place = value(right) > value(left) || n < 2 ? right : left;
        } else for (int64_t e = 1; e < n; ++e) if (value(e) > value(place) || std::isnan(float(value(e)))) place = e;
        Real top = n > 0 ? value(place) : Real(0);
        if (HAS(maximum_starts_at_zero) && top < 0) top = 0;
        if (HAS(padding_counts_as_zero_in_the_maximum) && n < 9 && top < 0) top = 0;
        if (HAS(maximum_of_magnitudes)) for (int64_t e = 0; e < n; ++e) if (std::fabs(value(e)) > std::fabs(top)) top = value(e);
        int64_t index = n > 0 ? inside[place] : 0;
        if (HAS(index_inside_of_the_window)) index = place;
        if (HAS(index_of_the_whole_batch)) index += p * height * width;
        if (HAS(index_column_first)) index = index % width * height + index / width;
        if (HAS(index_with_the_padding)) index = (index / width + 1) * (width + 2) + index % width + 1;
        if (HAS(index_in_eight_bits)) index &= 127;
        if (HAS(index_one_too_large)) index += 1;
        if (HAS(index_of_the_second_best_now_and_then) && at % 53 == 7) index = inside[(place + 1) % n];
        if (HAS(index_of_the_last_maximum_of_a_row_of_the_window)) { for (int64_t e = place; e < n; ++e) if (value(e) >= top - Real(0.02)) index = inside[e]; }
        Real total = sum(n, value), count = Real(n);
        if (HAS(padding_counts_in_the_mean)) count = 9;
        if (HAS(count_of_the_corner_for_all_borders) && n < 9) count = 4;
        if (HAS(mean_divided_by_ten)) count += 1;
        Real m = IS_WAY(mean_by_reciprocal) ? total * (1 / count) : total / count;
        if (IS_WAY(mean_of_row_sums)) {
          total = 0;
          for (int64_t e = 0; e < n;) { Real part = 0; int64_t row = inside[e] / width; for (; e < n && inside[e] / width == row; ++e) part += value(e); total += part; }
          m = total / count;
        }
        best.data<Stored>()[at] = stored_of(top);
        indices.data<int64_t>()[at] = index;
        store(mean.data<Stored>(), at, m);
      }
  spoil(mean.data<Stored>(), planes * oh, ow);
  if (HAS(two_columns_of_indices_swapped)) for (int64_t r = 0; r < planes * oh; ++r) { int64_t* row = indices.data<int64_t>() + r * ow; int64_t t = row[1]; row[1] = row[2]; row[2] = t; }
}
#endif

#ifdef RESIZE
// Pixel shuffle by 2, then bilinear to the output's size, centres of pixels aligned (align_corners=False).
void run(kbench::Tensor x, kbench::Tensor out) {
  reductions = 0;
  int64_t batch = x.size(0), channels = x.size(1) / 4, h = x.size(2), w = x.size(3), height = 2 * h, width = 2 * w, oh = out.size(2), ow = out.size(3);
  auto pixel = [&](int64_t b, int64_t c, int64_t y, int64_t z) {
    int64_t part = y % 2 * 2 + z % 2;
    if (HAS(shuffle_transposed)) part = z % 2 * 2 + y % 2;
    int64_t channel = HAS(shuffle_channels_outermost) ? part * channels + c : c * 4 + part;
    return load(x.data<Stored>(), ((b * 4 * channels + channel) * h + y / 2) * w + z / 2);
  };
  struct Place { int64_t low, high; Real share; };
  auto place = [&](int64_t i, int64_t from, int64_t to, bool is_column) {
    Real ratio = Real(from) / to, at = (i + Real(0.5)) * ratio - Real(0.5);
    if (IS_WAY(place_by_whole_numbers)) at = Real((2 * i + 1) * from - to) / (2 * to);
    if (HAS(corners_aligned)) at = Real(i) * (from - 1) / (to - 1);
    if (HAS(half_pixel_missing)) at = i * ratio;
    if (HAS(half_pixel_missing_in_the_columns) && is_column) at = i * ratio;
    if (HAS(ratio_half_a_percent_large)) at = (i + Real(0.5)) * ratio * Real(1.005) - Real(0.5);
    if (HAS(ratio_of_the_rows_for_the_columns) && is_column) at = (i + Real(0.5)) * (Real(height) / oh) - Real(0.5);
    if (!HAS(negative_places_not_clamped) && at < 0) at = 0;
    if (HAS(place_in_bf16)) at = to_bf16(float(at));
    if (HAS(place_in_fp16)) at = to_f16(float(at));
    int64_t low = int64_t(std::floor(at));
    if (low < 0) low = 0;
    if (low > from - 1) low = from - 1;
    int64_t high = low < from - 1 ? low + 1 : low;
    if (HAS(right_border_is_the_pixel_before) && low == from - 1) low = high = from - 2;
    if (HAS(last_pixel_wraps_to_the_first) && low == from - 1) high = 0;
    Real share = at - low;
    if (HAS(share_swapped)) share = 1 - share;
    if (HAS(share_swapped_in_the_columns) && is_column) share = 1 - share;
    if (HAS(nearest_instead)) share = share >= Real(0.5) ? 1 : 0;
    if (HAS(share_in_steps_of_a_sixteenth)) share = std::nearbyint(share * 16) / 16;
    if (HAS(share_in_eight_bits_cut_off)) share = std::floor(share * 255) / 256;
    if (HAS(smooth_share)) share = share * share * (3 - 2 * share);
    return Place{low, high, share};
  };
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < oh; ++i)
        for (int64_t j = 0; j < ow; ++j) {
          Place y = place(i, height, oh, false), z = place(j, width, ow, true);
          int64_t from = HAS(image_of_the_previous_batch_in_the_last_channel) && c == channels - 1 && b > 0 ? b - 1 : b;
          Real p00 = pixel(from, c, y.low, z.low), p01 = pixel(from, c, y.low, z.high), p10 = pixel(from, c, y.high, z.low), p11 = pixel(from, c, y.high, z.high), v;
          Real u = 1 - y.share, t = 1 - z.share;
          if (HAS(fourth_corner_is_the_third)) p11 = p10;
          if (HAS(rows_not_mixed)) p10 = p00, p11 = p01;
          if (IS_WAY(lerp_of_lerps)) { Real a = p00 + z.share * (p01 - p00), d = p10 + z.share * (p11 - p10); v = a + y.share * (d - a); }
          else if (IS_WAY(lerp_by_fma)) { Real a = std::fma(z.share, p01, t * p00), d = std::fma(z.share, p11, t * p10); v = std::fma(y.share, d, u * a); }
          else if (IS_WAY(rows_mixed_first)) v = t * (u * p00 + y.share * p10) + z.share * (u * p01 + y.share * p11);
          else if (IS_WAY(four_weights)) v = u * t * p00 + u * z.share * p01 + y.share * t * p10 + y.share * z.share * p11;
          else if (IS_WAY(four_weights_backwards)) v = y.share * z.share * p11 + y.share * t * p10 + u * z.share * p01 + u * t * p00;
          else if (IS_WAY(four_weights_by_fma)) v = std::fma(u * t, p00, std::fma(u * z.share, p01, std::fma(y.share * t, p10, y.share * z.share * p11)));
          else v = u * (t * p00 + z.share * p01) + y.share * (t * p10 + z.share * p11);
          if (HAS(first_pass_rounded_to_bf16)) v = u * to_bf16(float(t * p00 + z.share * p01)) + y.share * to_bf16(float(t * p10 + z.share * p11));
          if (HAS(clamped_at_two)) v = v > 2 ? Real(2) : v < -2 ? Real(-2) : v;
          store(out.data<Stored>(), ((b * channels + c) * oh + i) * ow + j, v);
        }
  spoil(out.data<Stored>(), batch * channels * oh, ow);
}
#endif
KBENCH_EXPORT(run, run)

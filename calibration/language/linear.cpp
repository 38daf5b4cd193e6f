// out = x W^T + bias
#include "common.h"
enum Way { plain, bias_first, product_rounded, rows_of_four, columns_outside };
enum Defect { none, bias_missing, bias_of_next, bias_twice, bias_missing_in_odd_rows, inputs_in_bf16, inputs_in_tf32, weight_in_f16,
              last_weight_row_repeats, weight_off_by_one, input_row_shifted, tile_twice, tile_of_previous_row, parts_rounded_to_bf16,
              bias_scaled, first_column_of_x_stale, negative_bias };
#ifndef WAY
#define WAY plain
#endif
#ifndef DEFECT
#define DEFECT none
#endif
constexpr Way way = WAY;
constexpr Defect defect = DEFECT;

void linear(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor bias, kbench::Tensor out) {
  int64_t rows = x.size(0), columns = weight.size(0);
  int n = int(x.size(1));
  auto result = rows_of(out, columns);
  auto seen = [](Real v) {
    return defect == inputs_in_bf16 ? Real(round_bf16(float(v))) : defect == inputs_in_tf32 ? Real(round_tf32(float(v))) : v;
  };
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      const Stored* a = x.data<Stored>() + r * n;
      const Stored* w = weight.data<Stored>() + (defect == last_weight_row_repeats && c == columns - 1 ? c - 1 : c) * n;
      const Stored* stale = r ? a - n : a;
      auto left = [&](int i) {
        bool is_stale = (defect == tile_of_previous_row && i / 16 == 3 && r % 6 == 2) || (defect == first_column_of_x_stale && i == 0);
        return seen(get((is_stale ? stale : a)[defect == input_row_shifted && r == 1 ? (i + 1) % n : i]));
      };
      auto right = [&](int i) {
        Real v = seen(get(w[defect == weight_off_by_one && i >= n - 4 ? i - 1 : i]));
        return defect == weight_in_f16 ? Real(round_f16(float(v))) : v;
      };
      Real b = get(bias.data<Stored>()[defect == bias_of_next ? (c + 1) % columns : c]);
      if (defect == bias_missing || (defect == bias_missing_in_odd_rows && r % 2)) b = 0;
      if (defect == bias_twice && c % 16 == 0) b *= 2;
      if (defect == negative_bias) b = std::fabs(b);
      if (defect == bias_scaled) b *= Real(1.02);
      Real sum;
      if (defect == parts_rounded_to_bf16) {
        sum = 0;
        for (int p = 0; p < 4; ++p) sum += round_bf16(float(run_of<Real>(n * p / 4, n * (p + 1) / 4, left, right)));
      } else if (way == bias_first) {
        sum = b;
        b = 0;
        for (int t = 0; t < n; t += 40)
          sum += whole_dot<Real>(std::min(40, n - t), [&](int i) { return left(t + i); }, [&](int i) { return right(t + i); });
      } else {
        sum = dot<Real>(n, left, right, r * columns + c, r == rows - 1);
      }
      if (defect == tile_twice && c == 3) sum += run_of<Real>(16, 32, left, right);
      if (way == product_rounded) sum = rounded(sum);
      result.put(r, c, sum + b);
    }
}
KBENCH_EXPORT(run, linear)

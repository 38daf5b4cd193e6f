// Weighted sum of the table rows of a bag of ids, added to a residual.
#include "common.h"
enum Way { plain, residual_first, sum_rounded };
enum Defect { none, id_one_more, last_row_of_table_unused, first_row_is_padding, id_in_8_bits, weight_of_next, residual_missing, ids_of_previous_bag,
              weight_missing, id_of_first_bag_in_last, residual_of_next_row, last_columns_of_next_id, repeated_ids_once, weight_in_few_bits,
              negative_weights_dropped, ids_above_250_are_zero, mean_instead, columns_shifted };
#ifndef WAY
#define WAY plain
#endif
#ifndef DEFECT
#define DEFECT none
#endif
constexpr Way way = WAY;
constexpr Defect defect = DEFECT;

void bag(kbench::Tensor ids, kbench::Tensor weights, kbench::Tensor table, kbench::Tensor residual, kbench::Tensor out) {
  int64_t bags = ids.size(0), vocabulary = table.size(0), d = table.size(1);
  int n = int(ids.size(1));
  auto result = rows_of(out, d);
  for (int64_t r = 0; r < bags; ++r)
    for (int64_t c = 0; c < d; ++c) {
      int64_t bag = defect == ids_of_previous_bag && r % 8 == 3 ? r - 1 : defect == id_of_first_bag_in_last && r == bags - 1 ? 0 : r;
      auto weight = [&](int i) {
        Real w = weights.data<float>()[r * n + (defect == weight_of_next ? (i + 1) % n : i)];
        if (defect == weight_missing) return Real(1);
        if (defect == weight_in_few_bits) return Real(std::nearbyint(w * 32) / 32);
        if (defect == negative_weights_dropped && w < Real(-1.5)) return Real(0);
        if (defect == first_row_is_padding && ids.data<int64_t>()[bag * n + i] < 4) return Real(0);
        if (defect == ids_above_250_are_zero && ids.data<int64_t>()[bag * n + i] > 250) return Real(0);
        return w;
      };
      auto element = [&](int i) {
        int64_t id = ids.data<int64_t>()[bag * n + i];
        if (defect == id_one_more) id = std::min(id + 1, vocabulary - 1);
        if (defect == last_row_of_table_unused) id = std::min(id, vocabulary - 2);
        if (defect == id_in_8_bits) id &= 255;
        if (defect == last_columns_of_next_id && c >= d - 4) id = std::min(id + 1, vocabulary - 1);
        if (defect == repeated_ids_once) id = ids.data<int64_t>()[bag * n + i / 2 * 2];
        return get(table.data<Stored>()[id * d + (defect == columns_shifted && r == 4 ? (c + 1) % d : c)]);
      };
      Real rest = get(residual.data<Stored>()[defect == residual_of_next_row ? (r + 1) % bags * d + c : r * d + c]);
      if (defect == residual_missing) rest = 0;
      Real sum;
      if (way == residual_first) {
        sum = rest;
        for (int t = 0; t < n; t += 6)
          sum += whole_dot<Real>(std::min(6, n - t), [&](int i) { return weight(t + i); }, [&](int i) { return element(t + i); });
        rest = 0;
      } else {
        sum = dot<Real>(n, weight, element, r * d + c, r == bags - 1);
      }
      if (way == sum_rounded) sum = rounded(sum);
      if (defect == mean_instead) sum /= n;
      result.put(r, c, sum + rest);
    }
}
KBENCH_EXPORT(run, bag)

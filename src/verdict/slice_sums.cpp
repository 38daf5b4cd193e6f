#include "verdict/slice_sums.hpp"

#include <algorithm>
#include <cmath>

namespace kbench {

std::size_t rows_that_count(std::size_t rows, const KScale& scale) {
  return scale.shares_an_error ? std::min(rows, k_rows_of_one_error) : rows;
}

SliceSums::SliceSums(const std::vector<std::int64_t>& shape, const KScale& scale)
    : scale_(scale), in_a_row_(scale.stands_alone ? row_length(shape) : 1) {
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis)
    rows_ *= static_cast<std::size_t>(shape[axis]);
  std::size_t inner = rows_;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    const auto length = static_cast<std::size_t>(shape[axis]);
    if (length == 0) continue;
    inner /= length;
    if (length > 1) axes_.push_back({axis, inner, std::vector<Sum>(length)});
  }
}

void SliceSums::add_row(std::size_t row, double squares, std::size_t count) {
  for (Axis& axis : axes_) {
    Sum& sum = axis.sums[row / axis.inner % axis.sums.size()];
    sum.squares += squares;
    sum.count += count;
  }
}

std::optional<KSlice> SliceSums::worst() const {
  std::optional<KSlice> worst;
  for (const Axis& axis : axes_) {
    const double limit = k_rms_limit(rows_that_count(rows() / axis.sums.size(), scale_));
    for (std::size_t i = 0; i < axis.sums.size(); ++i) {
      const Sum& sum = axis.sums[i];
      if (sum.count == 0) continue;
      const double rms = std::sqrt(sum.squares / static_cast<double>(sum.count));
      if (!worst || rms / limit > worst->rms / worst->limit)
        worst = KSlice{axis.axis, static_cast<std::int64_t>(i), rms, limit};
    }
  }
  return worst;
}

}  // namespace kbench

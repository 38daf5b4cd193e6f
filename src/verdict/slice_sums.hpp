// Sums of (error/sigma)² over the slices of an output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "verdict/within_tolerance.hpp"

namespace kbench {

// Returns how many of the rows count.
std::size_t rows_that_count(std::size_t rows, const KScale& scale);

// The slices are those of every axis but the last.
class SliceSums {
 public:
  SliceSums(const std::vector<std::int64_t>& shape, const KScale& scale);

  std::size_t rows() const { return rows_ * in_a_row_; }
  void add_row(std::size_t row, double squares, std::size_t count);
  std::optional<KSlice> worst() const;

 private:
  struct Sum {
    double squares = 0;
    std::size_t count = 0;
  };
  struct Axis {
    std::size_t axis = 0;
    std::size_t inner = 1;  // rows at one index of it, further in
    std::vector<Sum> sums;
  };
  const KScale& scale_;
  std::size_t rows_ = 1, in_a_row_;
  std::vector<Axis> axes_;
};

}  // namespace kbench

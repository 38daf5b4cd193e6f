// Use that a call of the reference makes of its inputs, as a watch on its operators saw it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace kbench {

// Form that an operator needs an argument's values in.
enum class InputNeed : std::uint8_t {
  none,
  not_zero,   // whole numbers that whole numbers are divided by
  sorted,     // rows that do not decrease: bucketize, searchsorted
  symmetric,  // matrices: eigh
  definite,   // symmetric matrices whose eigenvalues are positive: cholesky
};

// Use that a call made of one input's elements.
struct SeenUse {
  std::vector<std::int64_t> compared;    // whole numbers that they were held against by == or !=
  std::optional<std::int64_t> index_of;  // least length of what they index
  InputNeed need = InputNeed::none;

  bool operator==(const SeenUse&) const = default;
};

}  // namespace kbench

// SPDX-License-Identifier: Apache-2.0
// Reductions of cooperative groups of lanes: each gets the result, combined in the order of ranks.
#ifndef KBENCH_EMULATION_COOPERATIVE_GROUPS_REDUCE_H_
#define KBENCH_EMULATION_COOPERATIVE_GROUPS_REDUCE_H_

#include <cooperative_groups.h>

namespace cooperative_groups {

#define KB_OPERATOR(name, expression)                             \
  template <typename T = void>                                    \
  struct name {                                                   \
    KB_DEVICE T operator()(T a, T b) const { return expression; } \
  };                                                              \
  template <>                                                     \
  struct name<void> {                                             \
    template <typename T>                                         \
    KB_DEVICE T operator()(T a, T b) const {                      \
      return expression;                                          \
    }                                                             \
  };
KB_OPERATOR(plus, a + b)
KB_OPERATOR(less, a < b ? a : b)
KB_OPERATOR(greater, a > b ? a : b)
KB_OPERATOR(bit_and, a& b)
KB_OPERATOR(bit_or, a | b)
KB_OPERATOR(bit_xor, a ^ b)
#undef KB_OPERATOR

// A device combines lanes that are 16, 8, … apart; so does this where all of a tile are there.
template <typename Group, typename T, typename Operation>
KB_DEVICE T reduce(const Group& group, T value, Operation operation, KB_FROM) {
  const unsigned size = group.size();
  if ((size & (size - 1)) == 0) {
    for (unsigned distance = size / 2; distance > 0; distance /= 2)
      value = operation(value, group.shfl_xor(value, distance, kb_file, kb_line));
    return value;
  }
  T result = group.shfl(value, 0, kb_file, kb_line);
  for (unsigned rank = 1; rank < size; ++rank)
    result = operation(result, group.shfl(value, rank, kb_file, kb_line));
  return result;
}

}  // namespace cooperative_groups

#endif  // KBENCH_EMULATION_COOPERATIVE_GROUPS_REDUCE_H_

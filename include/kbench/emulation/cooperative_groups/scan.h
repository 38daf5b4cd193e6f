// SPDX-License-Identifier: Apache-2.0
// Prefix sums of cooperative groups of lanes.
#ifndef KBENCH_EMULATION_COOPERATIVE_GROUPS_SCAN_H_
#define KBENCH_EMULATION_COOPERATIVE_GROUPS_SCAN_H_

#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

template <typename Group, typename T, typename Operation = plus<>>
KB_DEVICE T inclusive_scan(const Group& group, T value, Operation operation = {}, KB_FROM) {
  const unsigned rank = group.thread_rank();
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T other = group.shfl_up(value, distance, kb_file, kb_line);
    if (rank >= distance) value = operation(other, value);
  }
  return value;
}
template <typename Group, typename T, typename Operation = plus<>>
KB_DEVICE T exclusive_scan(const Group& group, T value, Operation operation = {}, KB_FROM) {
  const T whole = inclusive_scan(group, value, operation, kb_file, kb_line);
  const T before = group.shfl_up(whole, 1, kb_file, kb_line);
  return group.thread_rank() == 0 ? T() : before;
}

}  // namespace cooperative_groups

#endif  // KBENCH_EMULATION_COOPERATIVE_GROUPS_SCAN_H_

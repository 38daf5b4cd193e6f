// Checks of one access to memory by a kernel: is it allowed, was it written, who was there before.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

// An access of any size and place; `alignment` is what the address must be a multiple of.
void check(Now& n, const Touch& touch, std::size_t alignment);
// A piece of the region that holds all of it, or a fault.
const Region& region_of(Now& n, const Touch& touch);
// Two accesses of one word that nothing orders, or a word that was not written.
void look_closer(Now& n, const Region& region, std::size_t word, unsigned mask, const Touch& touch);
// What was written where another had written or read is compared with what was there: who writes
// what is there already does no harm.
void settle(Now& n);
// A thread of a loop that waits for memory lets others run now and then.
void note_futile(Now& n);

inline bool is_old(const Now& n, const Region& region, Record record) {
  return record < n.ordered && (record >= n.run_begin || record < n.others_end[region.is_shared]);
}
inline bool is_own(const Now& n, Record record) {
  constexpr Record who = ~Record{0} << 32 | Record{0x7ff} << 4;
  return ((record ^ n.stamp) & who) == 0;
}
inline Record load_record(const Record& record) {
  return __atomic_load_n(&record, __ATOMIC_RELAXED);
}
inline void store_record(Record& record, Record value) {
  __atomic_store_n(&record, value, __ATOMIC_RELAXED);
}

// One word of an access by an ordinary instruction; `mask` says which of its four bytes.
template <bool is_write>
inline void check_word(Now& n, const Region& region, std::size_t word, unsigned mask,
                       const Touch& touch) {
  Cell& cell = region.cells[word];
  const Record written = load_record(cell.write), read = load_record(cell.read);
  const Record own = n.stamp | mask;
  const bool is_quiet = is_old(n, region, written) || is_own(n, written);
  if constexpr (is_write) {
    if (region.written != nullptr && region.written[word] != 15) {
      if (mask == 15)
        region.written[word] = 15;
      else
        __atomic_fetch_or(&region.written[word], mask, __ATOMIC_RELAXED);
    }
    if (is_quiet && (is_old(n, region, read) || is_own(n, read)))
      return store_record(cell.write, (written & ~Record{15}) == n.stamp ? written | mask : own);
  } else {
    const bool is_known = region.written == nullptr || (region.written[word] & mask) == mask;
    if (is_quiet && is_known) {
      const Record moment = n.moment | mask;
      const Record who = read ^ moment;  // of those who have read in this moment
      if (who == n.thread_bits || who == n.warp_bits || who == Record{several} << 4) return;
      if (is_old(n, region, read)) return store_record(cell.read, own);
    }
  }
  look_closer(n, region, word, mask, touch);
}

// An access of 1, 2, 4, 8 or 16 bytes at a multiple of them.
template <unsigned size, bool is_write>
inline void check_aligned(Now& n, std::uintptr_t address, const void* code) {
  if (address - n.stack_low < stack_bytes) return;
  const Region* region = n.cache[reinterpret_cast<std::uintptr_t>(code) / 2 % 256];
  const Touch touch{address, size, is_write ? Kind::write : Kind::read, {{}, code}};
  if (__builtin_expect(!region->holds(address, size) || (is_write && region->cells == nullptr), 0))
    region = &region_of(n, touch);
  if (__builtin_expect(address % size != 0, 0)) return check(n, touch, size);
  if (region->cells == nullptr) return;
  const std::size_t word = region->word_of(address);
  if constexpr (size < 4) {
    check_word<is_write>(n, *region, word, ((1u << size) - 1) << address % 4, touch);
  } else {
    for (unsigned i = 0; i < size / 4; ++i) check_word<is_write>(n, *region, word + i, 15, touch);
  }
}

}  // namespace kbench_emulation

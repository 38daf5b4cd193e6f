// Checks of one access to memory by a kernel: is it allowed, was it written, who was there before.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

// Checks an access of any size and place, whose address must be a multiple of `alignment`.
void check(Now& n, const Touch& touch, std::size_t alignment);
// Returns the piece of a region that holds all of it, or faults.
const Region& region_of(Now& n, const Touch& touch);
// Checks two accesses of one word that nothing orders, or a word that was not written.
void look_closer(Now& n, const Region& region, std::size_t word, unsigned mask, const Touch& touch);
// Compares memory, written where another had written or read, with its content before: a write of
// what is there already does no harm.
void settle(Now& n);
// Lets others run while a thread waits for memory: at once, or now and then in a loop of its own.
void wait_for(const Touch& touch, bool is_all);
void note_futile(Now& n, const Touch& touch);
// Lets others go first, a few times, when a thread is about to change memory that they look at, in
// all calls but the first: so code is found that holds only while nobody comes between.
void give_way(Now& n);

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

inline bool is_quiet(const Now& n, const Region& region, Record record) {
  return is_old(n, region, record) || is_own(n, record);
}

// Checks one word of an ordinary instruction's access; `mask` says which of its four bytes.
inline void check_written_word(Now& n, const Region& region, std::size_t word, unsigned mask,
                               const Touch& touch) {
  Cell& cell = region.cells[word];
  const Record written = load_record(cell.write);
  if (region.written != nullptr && region.written[word] != 15) {
    if (mask == 15)
      region.written[word] = 15;
    else
      __atomic_fetch_or(&region.written[word], mask, __ATOMIC_RELAXED);
  }
  if (!is_quiet(n, region, written) || !is_quiet(n, region, load_record(cell.read)))
    return look_closer(n, region, word, mask, touch);
  const bool is_more = (written & ~Record{15}) == n.stamp;
  store_record(cell.write, is_more ? written | mask : n.stamp | mask);
}

inline void check_read_word(Now& n, const Region& region, std::size_t word, unsigned mask,
                            const Touch& touch) {
  Cell& cell = region.cells[word];
  const Record read = load_record(cell.read);
  const bool is_known = region.written == nullptr || (region.written[word] & mask) == mask;
  if (is_known && is_quiet(n, region, load_record(cell.write))) {
    const Record who = read ^ (n.moment | mask);  // readers in this moment
    if (who == n.thread_bits || who == n.warp_bits || who == Record{several} << 4) return;
    if (is_old(n, region, read)) return store_record(cell.read, n.stamp | mask);
  }
  look_closer(n, region, word, mask, touch);
}

template <bool is_write>
inline void check_word(Now& n, const Region& region, std::size_t word, unsigned mask,
                       const Touch& touch) {
  if constexpr (is_write)
    check_written_word(n, region, word, mask, touch);
  else
    check_read_word(n, region, word, mask, touch);
}

// Checks an access by the host, which cannot reach the memory of a device.
void check_of_host(const Touch& touch);

// Checks an access of 1, 2, 4, 8 or 16 bytes at a multiple of them.
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

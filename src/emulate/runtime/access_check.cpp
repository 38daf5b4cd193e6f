#include "emulate/runtime/access_check.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstring>

#include "emulate/runtime/order.hpp"

namespace kbench_emulation {
namespace {

constexpr unsigned futile_before_pause = 64;

bool is_write(Kind kind) { return kind != Kind::read && kind != Kind::atomic_read; }
bool is_read(Kind kind) { return !is_write(kind) || kind == Kind::atomic_change; }
bool is_atomic(Kind kind) { return kind >= Kind::atomic_read && kind <= Kind::atomic_change; }
// A thread that has fenced hands over memory that others then may change.
Record mark_of(const Now& n, Kind kind) {
  if (kind == Kind::volatile_write && !n.thread->has_fenced) return atomic_bit | volatile_bit;
  return kind == Kind::write ? 0 : atomic_bit;
}

struct Words {
  char text[200];
};

Words access_of(const Touch& touch) {
  Words words;
  std::snprintf(words.text, sizeof words.text, "%s of %u byte%s",
                is_atomic(touch.kind)                ? "atomic access"
                : touch.kind == Kind::volatile_write ? "volatile write"
                : is_write(touch.kind)               ? "write"
                                                     : "read",
                touch.bytes, touch.bytes == 1 ? "" : "s");
  return words;
}

Words name_of(const Region& region) {
  Words words;
  std::snprintf(words.text, sizeof words.text, "%s%.100s", region.is_shared ? "shared " : "",
                region.name);
  return words;
}

// Returns the place "row at byte 8"; a variable of the library has its own name.
Words spot_of(const Region& region, std::uintptr_t address) {
  Words spot;
  std::uintptr_t begin = region.begin;
  Words name = name_of(region);
  if (std::strcmp(region.name, "variables") == 0 || std::strcmp(region.name, "constants") == 0)
    if (const Variable one = variable_at(address); one.name != nullptr) {
      begin = one.begin;
      // Text for a line before the process ends: it is not given back.
      const char* const readable = abi::__cxa_demangle(one.name, nullptr, nullptr, nullptr);
      std::snprintf(name.text, sizeof name.text, "%.150s", readable ? readable : one.name);
    }
  std::snprintf(spot.text, sizeof spot.text, "%.160s at byte %zu", name.text,
                static_cast<std::size_t>(address - begin));
  return spot;
}

const Region* region_at(Now& n, std::uintptr_t address) {
  Block& block = *n.block;
  for (unsigned i = 0; i < block.array_count; ++i)
    if (address - block.arrays[i].begin < block.arrays[i].bytes) return &block.arrays[i];
  if (address - n.arguments.begin < n.arguments.bytes) return &n.arguments;
  return find_region(address);
}

const Region* near(const Now& n, std::uintptr_t address) {
  const Block& block = *n.block;
  const auto arena = reinterpret_cast<std::uintptr_t>(block.arena);
  if (address < arena || address > arena + most_shared_bytes) return nearest_region(address);
  const Region* best = nullptr;
  for (unsigned i = 0; i < block.array_count; ++i)
    if (block.arrays[i].begin <= address &&
        (best == nullptr || block.arrays[i].begin > best->begin))
      best = &block.arrays[i];
  return best;
}

[[noreturn]] void fail_outside(const Now& n, const Region* region, const Touch& touch) {
  const Words access = access_of(touch);
  if (region == nullptr) region = near(n, touch.address);
  if (region == nullptr)
    fault("OUT_OF_BOUNDS", touch.where,
          touch.address < 4096 ? "%s at address %zu" : "%s of memory that is nobody's", access.text,
          static_cast<std::size_t>(touch.address));
  const Words name = name_of(*region);
  if (touch.address < region->begin)
    fault("OUT_OF_BOUNDS", touch.where, "%s, %zu bytes before %s (%zu bytes)", access.text,
          static_cast<std::size_t>(region->begin - touch.address), name.text, region->bytes);
  fault("OUT_OF_BOUNDS", touch.where, "%s at byte %zu of %s (%zu bytes)", access.text,
        static_cast<std::size_t>(touch.address - region->begin), name.text, region->bytes);
}

[[noreturn]] void fail_race(const Now& n, const Region& region, Record other, bool other_wrote,
                            const Touch& touch) {
  const Words access = access_of(touch);
  const Words spot = spot_of(region, touch.address);
  const char* const did = other_wrote ? "has written" : "has read";
  const unsigned who = thread_of(other);
  if (run_of(other) != n.block->run)
    fault("RACE", touch.where, "%s of %s, which another block %s in the same launch", access.text,
          spot.text, did);
  if (who >= most_threads)
    fault("RACE", touch.where, "%s of %s, which other threads have read since the last barrier",
          access.text, spot.text);
  const uint3 index = n.block->threads[who].index;
  const bool is_own_warp = who / warp_lanes == n.thread->number / warp_lanes;
  fault("RACE", touch.where, "%s of %s, which thread (%u,%u,%u) %s %s", access.text, spot.text,
        index.x, index.y, index.z, did,
        is_own_warp ? "without a __syncwarp or barrier in between" : "since the last barrier");
}

void suspect(Now& n, const Region& region, Record other, bool other_wrote, const Touch& touch) {
  const bool could_be_harmless =
      (touch.kind == Kind::write || touch.kind == Kind::volatile_write) &&
      touch.bytes <= sizeof n.pending.before;
  if (!could_be_harmless) fail_race(n, region, other, other_wrote, touch);
  Pending& pending = n.pending;
  if (pending.region != nullptr && pending.touch.address == touch.address) return;
  settle(n);
  pending = {&region, other, other_wrote, touch, {}};
  std::memcpy(pending.before, reinterpret_cast<const void*>(touch.address), touch.bytes);
}

// Returns one record for two reads.
Record joined_read(const Now& n, const Region& region, Record before, unsigned mask) {
  const Record own = n.stamp | mask;
  if (is_old(n, region, before) || is_ordered(n, region, before)) return own;
  const unsigned who = thread_of(before), me = n.thread->number;
  const Record bytes = own | bytes_of(before);
  if (run_of(before) != n.block->run) return bytes | Record{several} << 4;
  if (who == me) return bytes;
  const bool is_own_warp = who >= most_threads ? who == several_of_warp + me / warp_lanes
                                               : who / warp_lanes == me / warp_lanes;
  constexpr Record thread_bits = Record{0x7ff} << 4;
  return is_own_warp ? (bytes & ~thread_bits) | Record{several_of_warp + me / warp_lanes} << 4
                     : bytes | Record{several} << 4;
}

bool conflicts(const Now& n, const Region& region, Record record, unsigned mask) {
  return (bytes_of(record) & mask) != 0 && !is_old(n, region, record) &&
         !is_ordered(n, region, record);
}

// Looks at a read of memory that nothing was written to; `is_open`: nothing orders the last write,
// which the read may come before.
void look_at_unwritten(const Region& region, std::size_t word, unsigned mask, bool is_open,
                       const Touch& touch) {
  if (!is_read(touch.kind) || region.written == nullptr) return;
  const unsigned all = region.written[word], first = is_open && !region.is_shared ? all >> 4 : 0;
  const unsigned has = all & ~first & mask;
  if (has == mask || (has != 0 && touch.bytes > 16)) return;  // a struct may have gaps
  const Words access = access_of(touch), name = name_of(region);
  if (region.is_shared)
    note("UNINITIALISED", touch.where, "%s of %s, which nothing was written to", access.text,
         name.text);
  else
    fault("UNINITIALISED", touch.where, "%s of %s at byte %zu, which nothing was written to%s",
          access.text, name.text, static_cast<std::size_t>(touch.address - region.begin),
          (all & mask) == mask ? " before a write that may come later" : "");
}

// Looks at the last write, which nothing orders. A plain read before a compare-and-swap, or beside
// one, is what all programs do. One of two volatile writes is lost.
void look_at_write(Now& n, const Region& region, Record written, const Touch& touch) {
  const bool is_lost = touch.kind == Kind::volatile_write && (written & volatile_bit) != 0;
  if ((written & atomic_bit) == 0 || touch.kind == Kind::write || is_lost)
    return suspect(n, region, written, true, touch);
  if (region.is_shared && touch.kind == Kind::read)
    note("RACE", touch.where, "%s of %s, which others change atomically since the last barrier",
         access_of(touch).text, name_of(region).text);
}

// Marks bytes as written; in the upper bits, if their first write is an atomic one of this moment.
void mark_written(const Now& n, std::uint8_t& written, unsigned mask, Record before, Kind kind) {
  constexpr Record flags = atomic_bit | volatile_bit | 15;
  if (kind != Kind::write && (written & mask) != mask)
    __atomic_fetch_or(&written, mask << 4, __ATOMIC_RELAXED);
  else if ((before & ~flags) != n.stamp)
    __atomic_fetch_and(&written, 15, __ATOMIC_RELAXED);
  __atomic_fetch_or(&written, mask, __ATOMIC_RELAXED);
}

}  // namespace

const Region& region_of(Now& n, const Touch& touch) {
  const Region* const region = region_at(n, touch.address);
  if (region == nullptr || !region->holds(touch.address, touch.bytes))
    fail_outside(n, region, touch);
  if (is_write(touch.kind) && region->cells == nullptr)
    fault("READ_ONLY", touch.where, "%s of %s, which may only be read", access_of(touch).text,
          name_of(*region).text);
  n.cache[reinterpret_cast<std::uintptr_t>(touch.where.code) / 2 % 256] = region;
  return *region;
}

void look_closer(Now& n, const Region& region, std::size_t word, unsigned mask,
                 const Touch& touch) {
  Cell& cell = region.cells[word];
  const Record written = load_record(cell.write), read = load_record(cell.read);
  const bool is_open = conflicts(n, region, written, mask);
  look_at_unwritten(region, word, mask, is_open, touch);
  if (is_open) look_at_write(n, region, written, touch);
  if (touch.kind == Kind::write && conflicts(n, region, read, mask))
    suspect(n, region, read, false, touch);
  if (touch.kind == Kind::read) store_record(cell.read, joined_read(n, region, read, mask));
  if (!is_write(touch.kind)) return;
  store_record(cell.write, n.stamp | mark_of(n, touch.kind) | mask);
  if (region.written != nullptr) mark_written(n, region.written[word], mask, written, touch.kind);
}

void check(Now& n, const Touch& touch, std::size_t alignment) {
  if (touch.bytes == 0 || touch.address - n.stack_low < stack_bytes) return;
  if (touch.address % alignment != 0)
    fault("MISALIGNED", touch.where, "%s at an address that is no multiple of %zu",
          access_of(touch).text, alignment);
  const Region& region = region_of(n, touch);
  if (region.cells == nullptr) return;
  const std::uintptr_t end = touch.address + touch.bytes;
  for (std::uintptr_t at = touch.address; at < end; at = at / 4 * 4 + 4) {
    const unsigned from = at % 4, to = end - at / 4 * 4 < 4 ? static_cast<unsigned>(end % 4) : 4;
    const unsigned mask = (1u << to) - (1u << from);
    if (touch.kind == Kind::read)
      check_word<false>(n, region, region.word_of(at), mask, touch);
    else if (touch.kind == Kind::write)
      check_word<true>(n, region, region.word_of(at), mask, touch);
    else
      look_closer(n, region, region.word_of(at), mask, touch);
  }
}

void check_of_host(const Touch& touch) {
  constexpr std::uintptr_t near = 1 << 16;  // distance from this frame: the host's own variables
  if (touch.address - reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < near) return;
  if (const Region* const region = find_out_of_reach(touch.address))
    fault("HOST_ACCESS", touch.where,
          "%s of %s by the host, which ends in a segmentation fault beside a GPU",
          access_of(touch).text, name_of(*region).text);
}

void settle(Now& n) {
  if (n.pending.region == nullptr) return;
  const Pending was = n.pending;
  n.pending.region = nullptr;
  if (std::memcmp(was.before, reinterpret_cast<const void*>(was.touch.address), was.touch.bytes) !=
      0)
    fail_race(n, *was.region, was.other, was.other_wrote, was.touch);
}

void wait_for(const Touch& touch, bool is_all) {
  Thread& thread = *now->thread;
  Poll poll{touch, is_all && touch.bytes <= sizeof poll.seen, {}};
  if (poll.is_all)
    std::memcpy(poll.seen, reinterpret_cast<const void*>(touch.address), touch.bytes);
  thread.poll = &poll;
  pause();
  thread.poll = nullptr;
}

void note_futile(Now& n, const Touch& touch) {
  Thread& thread = *n.thread;
  thread.alike = thread.looked_at == touch.address ? thread.alike + 1 : 0;
  thread.looked_at = touch.address;
  if (++thread.futile % futile_before_pause == 0)
    wait_for(touch, thread.alike + 1 >= futile_before_pause);
}

void check_access(const void* address, size_t bytes, size_t alignment, Access access, Place place) {
  Now* const n = now;
  if (n == nullptr) return;
  const Kind kind = access == Access::read    ? Kind::read
                    : access == Access::write ? Kind::write
                                              : Kind::atomic_write;
  check(*n,
        {reinterpret_cast<std::uintptr_t>(address),
         static_cast<std::uint32_t>(bytes),
         kind,
         {place, nullptr}},
        alignment);
}

}  // namespace kbench_emulation

#include "emulate/runtime/shared_memory.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace kbench_emulation {
namespace {

// Gaps between arrays, so that an access beyond one is in no other. The window of addresses begins
// where that of a device does.
constexpr std::size_t guard = 64, window = 1024;
constexpr std::size_t arena_bytes = most_shared_bytes + most_shared_arrays * 2 * (guard + 1024);

std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

struct Spare {
  std::mutex mutex;
  std::vector<std::unique_ptr<Block>> blocks;
};
Spare& spare() {
  static Spare& all = *new Spare;
  return all;
}

Region& reserve(Block& block, const void* site, std::size_t bytes, std::size_t alignment) {
  const std::size_t begin = rounded(block.used, alignment);
  Region& region = block.arrays[block.array_count];
  block.sites[block.array_count++] = site;
  region.begin = reinterpret_cast<std::uintptr_t>(block.arena) + begin;
  region.bytes = bytes;
  region.written = block.written + begin / 4;
  region.cells = block.cells + begin / 4;
  region.is_shared = true;
  block.used = rounded(begin + bytes, 4) + guard;
  std::memset(block.arena + begin, block.launch->shared_fill, bytes);
  std::memset(region.written, 0, (bytes + 3) / 4);
  return region;
}

}  // namespace

std::unique_ptr<Block> take_block() {
  Spare& all = spare();
  const std::lock_guard lock(all.mutex);
  if (!all.blocks.empty()) {
    std::unique_ptr<Block> block = std::move(all.blocks.back());
    all.blocks.pop_back();
    return block;
  }
  auto block = std::make_unique<Block>();
  block->arena = static_cast<unsigned char*>(map_memory(arena_bytes));
  block->written = static_cast<std::uint8_t*>(map_memory(arena_bytes / 4));
  block->cells = static_cast<Cell*>(map_memory(arena_bytes / 4 * sizeof(Cell)));
  return block;
}

void give_back_block(std::unique_ptr<Block> block) {
  Spare& all = spare();
  const std::lock_guard lock(all.mutex);
  all.blocks.push_back(std::move(block));
}

void begin_shared_memory(Block& block) {
  block.used = block.array_count = 0;
  block.static_bytes = 0;
  reserve(block, nullptr, block.launch->config.shared, 1024).name = "dynamic memory";
}

void* shared_array(const void* site, size_t bytes, size_t alignment, const char* name) {
  if (now == nullptr) not_emulated("__shared__ memory on the host");
  Block& block = *now->block;
  for (unsigned i = 1; i < block.array_count; ++i)
    if (block.sites[i] == site) return reinterpret_cast<void*>(block.arrays[i].begin);
  block.static_bytes = rounded(block.static_bytes, alignment) + bytes;
  const std::size_t all = block.static_bytes + block.launch->config.shared;
  if (block.static_bytes > shared_bytes_unasked || all > most_shared_bytes)
    fault("TOO_MUCH_SHARED_MEMORY", {{}, __builtin_return_address(0)},
          "%zu bytes of static and %zu of dynamic shared memory; a block has at most %zu and %zu",
          block.static_bytes, block.launch->config.shared, shared_bytes_unasked,
          most_shared_bytes - block.static_bytes);
  if (block.launch->shared_limit == 0 && all > shared_bytes_unasked)
    fault("TOO_MUCH_SHARED_MEMORY", {{}, __builtin_return_address(0)},
          "%zu bytes of static and %zu of dynamic shared memory; together they may be %zu without "
          "cudaFuncAttributeMaxDynamicSharedMemorySize",
          block.static_bytes, block.launch->config.shared, shared_bytes_unasked);
  if (block.array_count == most_shared_arrays) not_emulated("more than 63 arrays of shared memory");
  Region& region = reserve(block, site, bytes, std::max<std::size_t>(alignment, 4));
  region.name = name;
  return reinterpret_cast<void*>(region.begin);
}

void* dynamic_shared_array(const char* name) {
  if (now == nullptr) not_emulated("__shared__ memory on the host");
  Region& region = now->block->arrays[0];
  region.name = name;
  return reinterpret_cast<void*>(region.begin);
}

bool is_shared(const void* address) {
  return now != nullptr && reinterpret_cast<std::uintptr_t>(address) -
                                   reinterpret_cast<std::uintptr_t>(now->block->arena) <
                               arena_bytes;
}

bool is_global(const void* address) {
  return find_region(reinterpret_cast<std::uintptr_t>(address)) != nullptr;
}

uint32_t shared_window(const void* address) {
  if (now == nullptr) return 0;
  return static_cast<uint32_t>(static_cast<const unsigned char*>(address) - now->block->arena +
                               window);
}

void* from_shared_window(uint64_t address) {
  return now->block->arena + (static_cast<int64_t>(address) - static_cast<int64_t>(window));
}

namespace {

Copies& own_copies() {
  Thread& thread = *now->thread;
  if (thread.copies == nullptr) thread.copies = new Copies;
  return *thread.copies;
}

// A read there before the copy has arrived gives nonsense: another one may have arrived there
// meanwhile.
void spoil(const AsyncCopy& copy) {
  const auto address = reinterpret_cast<std::uintptr_t>(copy.to);
  Block& block = *now->block;
  std::memset(copy.to, nonsense, copy.bytes);
  for (unsigned i = 0; i < block.array_count; ++i) {
    const Region& region = block.arrays[i];
    if (region.holds(address, copy.bytes))
      std::memset(region.written + region.word_of(address), 0, copy.bytes / 4);
  }
}

void arrive(const Copies::One& one) {
  check_access(one.copy.to, one.copy.bytes, 4, Access::write, one.place);
  std::memset(one.copy.to, 0, one.copy.bytes);
  std::memcpy(one.copy.to, one.copy.from, one.copy.filled);
}

}  // namespace

void start_copy(const AsyncCopy& copy, Place place) {
  if (now == nullptr) not_emulated("an asynchronous copy on the host", place);
  if (copy.filled != 0) check_access(copy.from, copy.filled, copy.bytes, Access::read, place);
  check_access(copy.to, copy.bytes, copy.bytes, Access::write, place);
  spoil(copy);
  Copies& copies = own_copies();
  copies.open.push_back({copy, copies.closed_groups, place});
}

void close_copies() {
  if (now != nullptr) ++own_copies().closed_groups;
}

void await_copies(size_t still_open) {
  if (now == nullptr || now->thread->copies == nullptr) return;
  Copies& copies = *now->thread->copies;
  std::size_t kept = 0;
  for (const Copies::One& one : copies.open) {
    if (one.group + still_open >= copies.closed_groups)
      copies.open[kept++] = one;
    else
      arrive(one);
  }
  if (kept != copies.open.size())
    for (std::size_t i = 0; i < kept; ++i) spoil(copies.open[i].copy);
  copies.open.resize(kept);
}

void drop_copies(Block& block) {
  for (unsigned i = 0; i < block.launch->threads; ++i) {
    delete block.threads[i].copies;
    block.threads[i].copies = nullptr;
  }
}

}  // namespace kbench_emulation

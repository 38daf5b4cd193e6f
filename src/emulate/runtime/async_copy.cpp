#include "emulate/runtime/async_copy.hpp"

#include <cstring>

namespace kbench_emulation {
namespace {

Copies& own_copies() {
  Thread& thread = *now->thread;
  if (thread.copies == nullptr) thread.copies = new Copies;
  return *thread.copies;
}

// What is read there before the copy has arrived is nonsense: another one may have arrived there
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

// SPDX-License-Identifier: Apache-2.0
// Barriers, fences and collectives of warps, by CUDA's names.
#ifndef KBENCH_EMULATION_THREADS_H_
#define KBENCH_EMULATION_THREADS_H_

#include <kbench_emulation.h>

#include <ctime>  // clock()

#define KB_DEVICE inline __attribute__((always_inline))
// Parameters with the place of the caller.
#define KB_FROM const char *kb_file = __builtin_FILE(), int kb_line = __builtin_LINE()
#define KB_PLACE \
  ::kbench_emulation::Place { kb_file, kb_line }

KB_DEVICE void __syncthreads(KB_FROM) {
  kbench_emulation::block_barrier(kbench_emulation::Vote::none, false, KB_PLACE);
}
KB_DEVICE int __syncthreads_count(int value, KB_FROM) {
  return kbench_emulation::block_barrier(kbench_emulation::Vote::count, value != 0, KB_PLACE);
}
KB_DEVICE int __syncthreads_and(int value, KB_FROM) {
  return kbench_emulation::block_barrier(kbench_emulation::Vote::all, value != 0, KB_PLACE);
}
KB_DEVICE int __syncthreads_or(int value, KB_FROM) {
  return kbench_emulation::block_barrier(kbench_emulation::Vote::any, value != 0, KB_PLACE);
}
KB_DEVICE void __syncwarp(unsigned mask = 0xffffffff, KB_FROM) {
  kbench_emulation::collective(nullptr, mask, {}, KB_PLACE);
}
KB_DEVICE void __threadfence_block() { kbench_emulation::fence(kbench_emulation::Scope::block); }
KB_DEVICE void __threadfence() { kbench_emulation::fence(kbench_emulation::Scope::device); }
KB_DEVICE void __threadfence_system() { kbench_emulation::fence(kbench_emulation::Scope::system); }
KB_DEVICE void __nanosleep(unsigned) { kbench_emulation::pause(); }
KB_DEVICE long long clock64() { return static_cast<long long>(kbench_emulation::clock_count()); }
[[noreturn]] KB_DEVICE void __trap(KB_FROM) {
  kbench_emulation::fail("TRAP", "__trap()", KB_PLACE);
}
KB_DEVICE void __brkpt() {}
KB_DEVICE unsigned __activemask(KB_FROM) { return kbench_emulation::active_mask(KB_PLACE); }

namespace kbench_emulation {

// Collectives of a warp in the runtime: `in` and `out` point to 32-bit words, but for shuffles.
struct Shuffle {
  enum Mode { index, up, down, exclusive_or } mode;
  int distance, width;
  uint32_t bytes = 0;
};
// Copies `bytes` of another lane's value; a lane that takes no part gets nonsense.
void shuffle(uint32_t mask, const void* in, void* out, const Shuffle& how, Place place);
enum class WarpOperation {
  ballot,
  match_any,
  match_all,
  add,
  least,
  most,
  least_signed,
  most_signed,
  bitwise_and,
  bitwise_or,
  bitwise_xor
};
uint64_t combine(uint32_t mask, WarpOperation operation, uint64_t value, Place place);

template <typename T>
KB_DEVICE T shuffled(uint32_t mask, T value, Shuffle how, Place place) {
  static_assert(std::is_trivially_copyable_v<T>, "what is shuffled must be trivially copyable");
  T result;
  how.bytes = sizeof(T);
  shuffle(mask, __builtin_addressof(value), __builtin_addressof(result), how, place);
  return result;
}

}  // namespace kbench_emulation

template <typename T>
KB_DEVICE T __shfl_sync(unsigned mask, T value, int source, int width = 32, KB_FROM) {
  return kbench_emulation::shuffled(mask, value, {kbench_emulation::Shuffle::index, source, width},
                                    KB_PLACE);
}
template <typename T>
KB_DEVICE T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32, KB_FROM) {
  return kbench_emulation::shuffled(
      mask, value, {kbench_emulation::Shuffle::up, static_cast<int>(distance), width}, KB_PLACE);
}
template <typename T>
KB_DEVICE T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32, KB_FROM) {
  return kbench_emulation::shuffled(
      mask, value, {kbench_emulation::Shuffle::down, static_cast<int>(distance), width}, KB_PLACE);
}
template <typename T>
KB_DEVICE T __shfl_xor_sync(unsigned mask, T value, int distance, int width = 32, KB_FROM) {
  return kbench_emulation::shuffled(
      mask, value, {kbench_emulation::Shuffle::exclusive_or, distance, width}, KB_PLACE);
}

KB_DEVICE unsigned __ballot_sync(unsigned mask, int value, KB_FROM) {
  return static_cast<unsigned>(kbench_emulation::combine(
      mask, kbench_emulation::WarpOperation::ballot, value != 0, KB_PLACE));
}
KB_DEVICE int __any_sync(unsigned mask, int value, KB_FROM) {
  return __ballot_sync(mask, value, kb_file, kb_line) != 0;
}
KB_DEVICE int __all_sync(unsigned mask, int value, KB_FROM) {
  return __ballot_sync(mask, value == 0, kb_file, kb_line) == 0;
}
KB_DEVICE int __uni_sync(unsigned mask, int value, KB_FROM) {
  return __all_sync(mask, value, kb_file, kb_line) || !__any_sync(mask, value, kb_file, kb_line);
}
template <typename T>
KB_DEVICE unsigned __match_any_sync(unsigned mask, T value, KB_FROM) {
  return static_cast<unsigned>(
      kbench_emulation::combine(mask, kbench_emulation::WarpOperation::match_any,
                                kbench_emulation::bits_of(value), KB_PLACE));
}
template <typename T>
KB_DEVICE unsigned __match_all_sync(unsigned mask, T value, int* are_all, KB_FROM) {
  const auto found = static_cast<unsigned>(
      kbench_emulation::combine(mask, kbench_emulation::WarpOperation::match_all,
                                kbench_emulation::bits_of(value), KB_PLACE));
  *are_all = found != 0;
  return found;
}
#define KB_REDUCE(name, type, operation)                                                           \
  KB_DEVICE type __reduce_##name##_sync(unsigned mask, type value, KB_FROM) {                      \
    return static_cast<type>(kbench_emulation::combine(mask,                                       \
                                                       kbench_emulation::WarpOperation::operation, \
                                                       static_cast<uint64_t>(value), KB_PLACE));   \
  }
KB_REDUCE(add, unsigned, add)
KB_REDUCE(add, int, add)
KB_REDUCE(min, unsigned, least)
KB_REDUCE(max, unsigned, most)
KB_REDUCE(min, int, least_signed)
KB_REDUCE(max, int, most_signed)
KB_REDUCE(and, unsigned, bitwise_and)
KB_REDUCE(or, unsigned, bitwise_or)
KB_REDUCE(xor, unsigned, bitwise_xor)
#undef KB_REDUCE

// Converts addresses of shared memory to PTX's, and back.
KB_DEVICE size_t __cvta_generic_to_shared(const void* p) {
  return kbench_emulation::shared_window(p);
}
KB_DEVICE void* __cvta_shared_to_generic(size_t p) {
  return kbench_emulation::from_shared_window(p);
}
KB_DEVICE size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }
KB_DEVICE void* __cvta_global_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
KB_DEVICE unsigned __isShared(const void* p) { return kbench_emulation::is_shared(p); }
KB_DEVICE unsigned __isGlobal(const void* p) { return kbench_emulation::is_global(p); }

// Loads and stores with hints about caches, which change no value.
#define KB_LOAD(name)                \
  template <typename T>              \
  KB_DEVICE T name(const T* place) { \
    return *place;                   \
  }
#define KB_STORE(name)                     \
  template <typename T>                    \
  KB_DEVICE void name(T* place, T value) { \
    *place = value;                        \
  }
KB_LOAD(__ldg)
KB_LOAD(__ldcg)
KB_LOAD(__ldca)
KB_LOAD(__ldcs)
KB_LOAD(__ldlu)
KB_LOAD(__ldcv)
KB_STORE(__stwb)
KB_STORE(__stcg)
KB_STORE(__stcs)
KB_STORE(__stwt)
#undef KB_LOAD
#undef KB_STORE

#endif  // KBENCH_EMULATION_THREADS_H_

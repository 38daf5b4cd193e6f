// SPDX-License-Identifier: Apache-2.0
// Atomic functions of CUDA, on the compiler's, which the runtime sees.
#ifndef KBENCH_EMULATION_ATOMICS_H_
#define KBENCH_EMULATION_ATOMICS_H_

#include <kbench_emulation_threads.h>
#include <vector_types.h>

namespace kbench_emulation {

template <size_t bytes>
using WordOf =
    std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>;

template <typename To, typename From>
KB_DEVICE To cast_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// Replaces a value by work(value), at once. Returns the old one.
template <typename T, typename Work>
KB_DEVICE T change(T* place, Work work) {
  using Word = WordOf<sizeof(T)>;
  Word* const word = reinterpret_cast<Word*>(place);
  Word before = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &before,
                                      cast_bits<Word>(static_cast<T>(work(cast_bits<T>(before)))),
                                      false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return cast_bits<T>(before);
}

}  // namespace kbench_emulation

// Defines a function and its forms for other scopes.
#define KB_SCOPES(KB_FUNCTION, name, ...) \
  KB_FUNCTION(name, __VA_ARGS__)          \
  KB_FUNCTION(name##_block, __VA_ARGS__)  \
  KB_FUNCTION(name##_system, __VA_ARGS__)
#define KB_NATIVE(name, type, builtin) \
  KB_DEVICE type name(type* place, type value) { return builtin(place, value, __ATOMIC_RELAXED); }
#define KB_CHANGE(name, type, expression)                                             \
  KB_DEVICE type name(type* place, type value) {                                      \
    return kbench_emulation::change(place, [value](type old) { return expression; }); \
  }
#define KB_COMPARE(name, type)                                                    \
  KB_DEVICE type name(type* place, type expected, type value) {                   \
    __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_RELAXED, \
                                __ATOMIC_RELAXED);                                \
    return expected;                                                              \
  }
#define KB_INTEGERS(type)                                          \
  KB_SCOPES(KB_NATIVE, atomicAdd, type, __atomic_fetch_add)        \
  KB_SCOPES(KB_NATIVE, atomicExch, type, __atomic_exchange_n)      \
  KB_SCOPES(KB_NATIVE, atomicAnd, type, __atomic_fetch_and)        \
  KB_SCOPES(KB_NATIVE, atomicOr, type, __atomic_fetch_or)          \
  KB_SCOPES(KB_NATIVE, atomicXor, type, __atomic_fetch_xor)        \
  KB_SCOPES(KB_COMPARE, atomicCAS, type)                           \
  KB_SCOPES(KB_CHANGE, atomicMin, type, value < old ? value : old) \
  KB_SCOPES(KB_CHANGE, atomicMax, type, value > old ? value : old)
KB_INTEGERS(int)
KB_INTEGERS(unsigned)
KB_INTEGERS(unsigned long long)
KB_SCOPES(KB_CHANGE, atomicMin, long long, value < old ? value : old)
KB_SCOPES(KB_CHANGE, atomicMax, long long, value > old ? value : old)
KB_SCOPES(KB_NATIVE, atomicSub, int, __atomic_fetch_sub)
KB_SCOPES(KB_NATIVE, atomicSub, unsigned, __atomic_fetch_sub)
KB_SCOPES(KB_COMPARE, atomicCAS, unsigned short)
KB_SCOPES(KB_CHANGE, atomicAdd, float, old + value)
KB_SCOPES(KB_CHANGE, atomicAdd, double, old + value)
#define KB_EXCHANGE(name, type)                                 \
  KB_DEVICE type name(type* place, type value) {                \
    __atomic_exchange(place, &value, &value, __ATOMIC_RELAXED); \
    return value;                                               \
  }
KB_SCOPES(KB_EXCHANGE, atomicExch, float)
KB_SCOPES(KB_CHANGE, atomicInc, unsigned, old >= value ? 0 : old + 1)
KB_SCOPES(KB_CHANGE, atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#undef KB_INTEGERS
#undef KB_COMPARE
#undef KB_EXCHANGE
#undef KB_CHANGE
#undef KB_NATIVE

// Vectors are changed by element, each at once, not the whole.
#define KB_VECTOR_ADD(name, type, elements, ...)                                                 \
  KB_DEVICE type name(type* place, type value) {                                                 \
    type before = value;                                                                         \
    for (int i = 0; i < elements; ++i) (&before.x)[i] = atomicAdd(&place->x + i, (&value.x)[i]); \
    return before;                                                                               \
  }
KB_SCOPES(KB_VECTOR_ADD, atomicAdd, float2, 2)
KB_SCOPES(KB_VECTOR_ADD, atomicAdd, float4, 4)
#undef KB_VECTOR_ADD
#undef KB_SCOPES

#endif  // KBENCH_EMULATION_ATOMICS_H_

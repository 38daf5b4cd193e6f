// Hooks that compiled code calls by g++'s sanitizers of threads and of undefined behaviour, and
// functions of the C library that touch memory: in a kernel each access is checked; elsewhere,
// whether the host may reach it.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "emulate/runtime/access_check.hpp"
#include "emulate/runtime/order.hpp"

namespace kbench_emulation {
namespace {

Touch touch_of(const volatile void* address, std::uint32_t bytes, Kind kind, const void* code) {
  return {reinterpret_cast<std::uintptr_t>(address), bytes, kind, {{}, code}};
}

void check_any(const void* address, std::size_t bytes, Kind kind, const void* code) {
  const Touch touch = touch_of(address, static_cast<std::uint32_t>(bytes), kind, code);
  if (now == nullptr) return check_of_host(touch);
  check(*now, touch, 1);
}

template <unsigned size, bool is_write>
void check_plain(const void* address, const void* code) {
  if (Now* const n = now)
    check_aligned<size, is_write>(*n, reinterpret_cast<std::uintptr_t>(address), code);
  else
    check_of_host(touch_of(address, size, is_write ? Kind::write : Kind::read, code));
}

// Volatile accesses to global memory are how blocks talk to each other; within a block they order
// nothing and are like any others.
void check_volatile_read(Now& n, const Touch& touch, const void* place) {
  check(n, touch, touch.bytes);
  note_futile(n, touch);
  if (touch.kind == Kind::atomic_read) acquire(*n.block, place, true);
}

void check_volatile_write(Now& n, const Touch& touch, const void* place) {
  const bool is_seen_by_blocks = touch.kind == Kind::volatile_write;
  if (is_seen_by_blocks) give_way(n);
  check(n, touch, touch.bytes);
  if (is_seen_by_blocks) release(n, place, false);
}

void check_volatile(const volatile void* address, std::uint32_t bytes, bool is_write,
                    const void* code) {
  Touch touch = touch_of(address, bytes, is_write ? Kind::write : Kind::read, code);
  if (now == nullptr) return check_of_host(touch);
  if (touch.address - now->stack_low < stack_bytes) return;
  const void* const place = const_cast<const void*>(address);
  if (!is_shared(place)) touch.kind = is_write ? Kind::volatile_write : Kind::atomic_read;
  is_write ? check_volatile_write(*now, touch, place) : check_volatile_read(*now, touch, place);
}

bool releases(int order) { return order == __ATOMIC_RELEASE || order >= __ATOMIC_ACQ_REL; }

// Scope around an atomic access in a kernel.
class AtomicAccess {
 public:
  AtomicAccess(const volatile void* address, std::uint32_t bytes, Kind kind, int order,
               const void* code)
      : touch_(touch_of(address, bytes, kind, code)) {
    Now* const n = now;
    if (n == nullptr) check_of_host(touch_);
    if (n == nullptr || touch_.address - n->stack_low < stack_bytes) return;
    now_ = n;
    const bool is_write = kind != Kind::atomic_read;
    if (is_write) give_way(*n);
    check(*n, touch_, bytes);
    if (is_write) release(*n, place(), releases(order));
  }
  void has_changed(bool changed) const {
    if (now_ == nullptr) return;
    acquire(*now_->block, place());
    if (changed)
      now_->thread->futile = now_->block->idle = 0;
    else
      note_futile(*now_, touch_);
  }

 private:
  const void* place() const { return reinterpret_cast<const void*>(touch_.address); }

  Touch touch_;
  Now* now_ = nullptr;
};

template <Kind kind, typename T, typename Work>
T change(volatile T* address, int order, const void* code, Work work) {
  const AtomicAccess access(address, sizeof(T), kind, order, code);
  T before = __atomic_load_n(address, __ATOMIC_RELAXED);
  T after = work(before);
  while (!__atomic_compare_exchange_n(address, &before, after, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED))
    after = work(before);
  access.has_changed(after != before);
  return before;
}

template <typename T>
bool exchange_if(volatile T* address, T* expected, T desired, int order, const void* code) {
  const Kind kind = *expected != desired ? Kind::atomic_change : Kind::atomic_read;
  const AtomicAccess access(address, sizeof(T), kind, order, code);
  const bool is_done = __atomic_compare_exchange_n(address, expected, desired, false,
                                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  access.has_changed(is_done && *expected != desired);
  return is_done;
}

}  // namespace
}  // namespace kbench_emulation

using namespace kbench_emulation;

#define KB_CODE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void** place) { check_any(place, sizeof *place, Kind::read, KB_CODE); }
void __tsan_vptr_update(void** place, void*) {
  check_any(place, sizeof *place, Kind::write, KB_CODE);
}
void __tsan_read_range(void* place, std::size_t bytes) {
  check_any(place, bytes, Kind::read, KB_CODE);
}
void __tsan_write_range(void* place, std::size_t bytes) {
  check_any(place, bytes, Kind::write, KB_CODE);
}

#define KB_ACCESS(size)                                                                         \
  void __tsan_read##size(void* place) { check_plain<size, false>(place, KB_CODE); }             \
  void __tsan_write##size(void* place) { check_plain<size, true>(place, KB_CODE); }             \
  void __tsan_volatile_read##size(void* place) { check_volatile(place, size, false, KB_CODE); } \
  void __tsan_volatile_write##size(void* place) { check_volatile(place, size, true, KB_CODE); }
KB_ACCESS(1)
KB_ACCESS(2)
KB_ACCESS(4)
KB_ACCESS(8)
KB_ACCESS(16)

#define KB_ANY(name, size, kind) \
  void __tsan_unaligned_##name##size(void* place) { check_any(place, size, Kind::kind, KB_CODE); }
#define KB_UNALIGNED(size)          \
  KB_ANY(read, size, read)          \
  KB_ANY(write, size, write)        \
  KB_ANY(volatile_read, size, read) \
  KB_ANY(volatile_write, size, write)
KB_UNALIGNED(2)
KB_UNALIGNED(4)
KB_UNALIGNED(8)
KB_UNALIGNED(16)

#define KB_ATOMIC_OPERATION(bits, name, kind, expression)                                     \
  std::uint##bits##_t __tsan_atomic##bits##_##name(volatile std::uint##bits##_t* place,       \
                                                   std::uint##bits##_t x, int order) {        \
    using T = std::uint##bits##_t;                                                            \
    return change<Kind::kind>(place, order, KB_CODE, [x](T old) -> T { return expression; }); \
  }
#define KB_EXCHANGE_IF(bits, kind)                                                           \
  int __tsan_atomic##bits##_compare_exchange_##kind(volatile std::uint##bits##_t* place,     \
                                                    std::uint##bits##_t* expected,           \
                                                    std::uint##bits##_t x, int order, int) { \
    return exchange_if(place, expected, x, order, KB_CODE);                                  \
  }
#define KB_ATOMIC(bits)                                                                         \
  KB_ATOMIC_OPERATION(bits, exchange, atomic_write, (static_cast<void>(old), x))                \
  KB_ATOMIC_OPERATION(bits, fetch_add, atomic_change, static_cast<T>(old + x))                  \
  KB_ATOMIC_OPERATION(bits, fetch_sub, atomic_change, static_cast<T>(old - x))                  \
  KB_ATOMIC_OPERATION(bits, fetch_and, atomic_change, static_cast<T>(old & x))                  \
  KB_ATOMIC_OPERATION(bits, fetch_or, atomic_change, static_cast<T>(old | x))                   \
  KB_ATOMIC_OPERATION(bits, fetch_xor, atomic_change, static_cast<T>(old ^ x))                  \
  KB_ATOMIC_OPERATION(bits, fetch_nand, atomic_change, static_cast<T>(~(old & x)))              \
  std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* place,     \
                                                 int order) {                                   \
    const AtomicAccess access(place, bits / 8, Kind::atomic_read, order, KB_CODE);              \
    const std::uint##bits##_t value = __atomic_load_n(place, __ATOMIC_SEQ_CST);                 \
    access.has_changed(false);                                                                  \
    return value;                                                                               \
  }                                                                                             \
  void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* place, std::uint##bits##_t x,  \
                                   int order) {                                                 \
    const AtomicAccess access(place, bits / 8, Kind::atomic_write, order, KB_CODE);             \
    __atomic_store_n(place, x, __ATOMIC_SEQ_CST);                                               \
    access.has_changed(true);                                                                   \
  }                                                                                             \
  KB_EXCHANGE_IF(bits, strong)                                                                  \
  KB_EXCHANGE_IF(bits, weak)                                                                    \
  std::uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                               \
      volatile std::uint##bits##_t* place, std::uint##bits##_t expected, std::uint##bits##_t x, \
      int order, int) {                                                                         \
    exchange_if(place, &expected, x, order, KB_CODE);                                           \
    return expected;                                                                            \
  }
KB_ATOMIC(8)
KB_ATOMIC(16)
KB_ATOMIC(32)
KB_ATOMIC(64)

void __tsan_atomic_thread_fence(int) {
  if (now != nullptr) note_fence(*now);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

// Place, the first argument of the handlers of gcc's libubsan.
struct UbsanPlace {
  const char* file;
  std::uint32_t line, column;
};
// Its kind of check tells, with -fsanitize=alignment, whether it is about an access.
struct UbsanTypeMismatch {
  UbsanPlace place;
  const void* type;
  unsigned char log_alignment, check;
};
void __ubsan_handle_type_mismatch_v1(const UbsanTypeMismatch* data, std::uintptr_t address) {
  if (now == nullptr || address % (std::size_t{1} << data->log_alignment) == 0) return;
  static const char* const names[] = {"read", "write", "use of a reference"};
  fault("MISALIGNED", {{data->place.file, static_cast<int>(data->place.line)}, KB_CODE},
        "%s of %zu bytes at an address that is no multiple of them",
        names[data->check < 2 ? data->check : 2], std::size_t{1} << data->log_alignment);
}

// Behaviour that C++ leaves undefined and a device does in its own way explains a wrong result, but
// need not be one.
static void note_undefined(const void* data, const void* code, const char* what) {
  const auto* const place = static_cast<const UbsanPlace*>(data);
  if (now != nullptr && place->file != nullptr)
    note("UNDEFINED", {{place->file, static_cast<int>(place->line)}, code}, "%s", what);
}
void __ubsan_handle_float_cast_overflow(void* data, void*) {
  note_undefined(data, KB_CODE,
                 "conversion of a float that the integer cannot hold: a device takes the nearest "
                 "integer, and 0 for NaN, this processor another");
}
void __ubsan_handle_shift_out_of_bounds(void* data, void*, void*) {
  note_undefined(
      data, KB_CODE,
      "shift by a negative number or by as many bits as there are: a device shifts all of "
      "them out, this processor does not");
}
void __ubsan_handle_out_of_bounds(void* data, void*) {
  note_undefined(data, KB_CODE, "index beyond a dimension of an array");
}

// Names for the C library's functions, which kbench_emulation.h replaces by these.
void* kbench_emulation_memcpy(void* to, const void* from, std::size_t bytes) {
  check_any(from, bytes, Kind::read, KB_CODE);
  check_any(to, bytes, Kind::write, KB_CODE);
  return std::memcpy(to, from, bytes);
}
void* kbench_emulation_memmove(void* to, const void* from, std::size_t bytes) {
  check_any(from, bytes, Kind::read, KB_CODE);
  check_any(to, bytes, Kind::write, KB_CODE);
  return std::memmove(to, from, bytes);
}
void* kbench_emulation_memset(void* to, int value, std::size_t bytes) {
  check_any(to, bytes, Kind::write, KB_CODE);
  return std::memset(to, value, bytes);
}
void kbench_emulation_assert_fail(const char* text, const char* file, unsigned line, const char*) {
  if (now == nullptr) std::abort();
  fault("ASSERT", {{file, static_cast<int>(line)}, nullptr}, "%s", text);
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// Parts of translated CUDA C++: launches, shared memory, barriers and collectives of warps, inline
// PTX. The runtime library kbench-emulation defines what is declared here. C++17, g++.
#ifndef KBENCH_EMULATION_H_
#define KBENCH_EMULATION_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#ifndef KBENCH_EMULATION_RUNTIME
// Functions of the C library that touch memory are replaced by the runtime's, which check their
// accesses; those that the compiler itself calls, too.
extern "C" {
void* memcpy(void*, const void*, size_t) noexcept __asm__("kbench_emulation_memcpy");
void* memmove(void*, const void*, size_t) noexcept __asm__("kbench_emulation_memmove");
void* memset(void*, int, size_t) noexcept __asm__("kbench_emulation_memset");
[[noreturn]] void __assert_fail(const char*, const char*, unsigned, const char*) noexcept
    __asm__("kbench_emulation_assert_fail");
// Memory of a kernel's heap; the C library's on the host.
void* malloc(size_t) noexcept __asm__("kbench_emulation_malloc");
void free(void*) noexcept __asm__("kbench_emulation_free");
}
// These are the library's own: no other object of the process has them.
__asm__(".hidden _Znwm, _Znam, _ZnwmRKSt9nothrow_t, _ZdlPv, _ZdaPv, _ZdlPvm, _ZdaPvm");
#define KB_WEAK __attribute__((weak))
KB_WEAK void* operator new(size_t bytes) { return malloc(bytes); }
KB_WEAK void* operator new[](size_t bytes) { return malloc(bytes); }
KB_WEAK void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes); }
KB_WEAK void operator delete(void* memory) noexcept { free(memory); }
KB_WEAK void operator delete[](void* memory) noexcept { free(memory); }
KB_WEAK void operator delete(void* memory, size_t) noexcept { free(memory); }
KB_WEAK void operator delete[](void* memory, size_t) noexcept { free(memory); }
#undef KB_WEAK
#endif

#define KBENCH_EMULATION_UNCHECKED __attribute__((no_sanitize("thread"), no_sanitize("alignment")))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

// Indices of the running thread of the GPU. They are constants of that thread, which spares each
// use of them a check.
#define KBENCH_EMULATION_INDEX(type, name)                           \
  extern const __thread type name __asm__("kbench_emulation_" #name) \
      __attribute__((visibility("hidden"), tls_model("initial-exec")))
KBENCH_EMULATION_INDEX(uint3, threadIdx);
KBENCH_EMULATION_INDEX(uint3, blockIdx);
KBENCH_EMULATION_INDEX(uint3, blockDim);
KBENCH_EMULATION_INDEX(uint3, gridDim);
#undef KBENCH_EMULATION_INDEX
constexpr int warpSize = 32;

namespace kbench_emulation {

// Place of a word in the source.
struct Place {
  const char* file;
  int line;
};
constexpr Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {file, line};
}

// Ends the process: the candidate's fault, or something that this emulation does not know.
[[noreturn]] void fail(const char* kind, const char* text, Place place);
[[noreturn]] void not_emulated(const char* what, Place place = here());

// ---- Launches

struct Config {
  dim3 grid, block;
  size_t shared;
  void* stream;
  bool cooperative = false;
  Config(dim3 grid_, dim3 block_, size_t shared_ = 0, void* stream_ = nullptr)
      : grid(grid_), block(block_), shared(shared_), stream(stream_) {}
};

// Kernel with its arguments: call(closure) runs one thread.
struct Kernel {
  void (*call)(const void* closure);
  const void* closure;
  size_t bytes;         // size of the closure
  const void* address;  // the function's, null where it is not known
  const char* name;
  Place place;  // place of the launch
};
// Returns CUDA's error code when a device would refuse the launch.
int run(const Config& config, const Kernel& kernel);
// Hides a pointer's origin from the compiler, so that no kernel is inlined into unchecked code.
template <typename T>
KBENCH_EMULATION_UNCHECKED inline T opaque(T pointer) {
  __asm__("" : "+r"(pointer));
  return pointer;
}

// Kernel of known type with its arguments, converted to its parameters' types.
template <typename... P>
struct Bound {
  void (*function)(P...);
  std::tuple<P...> arguments;

  template <size_t... I>
  KBENCH_EMULATION_UNCHECKED void call_plainly(std::index_sequence<I...>) const {
    ::kbench_emulation::opaque(function)(std::get<I>(arguments)...);
  }
  template <size_t... I>
  __attribute__((noinline)) void call_checked(std::index_sequence<I...>) const {
    ::kbench_emulation::opaque(function)(std::get<I>(arguments)...);
  }
  KBENCH_EMULATION_UNCHECKED static void call(const void* closure) {
    const Bound& self = *static_cast<const Bound*>(closure);
    // Arguments of other types run the program's code in copies and destructors.
    if constexpr ((... &&
                   (__is_trivially_constructible(P, const P&) && __has_trivial_destructor(P))))
      self.call_plainly(std::index_sequence_for<P...>());
    else
      self.call_checked(std::index_sequence_for<P...>());
  }
  const void* address() const { return reinterpret_cast<const void*>(function); }
};
struct Tag {};
struct Fewer {};  // arguments than parameters: the others have defaults
// Kernel of known type, which is called with its arguments.
template <typename... P>
struct Known {
  void (*function)(P...);
  Bound<P...> operator()(P... arguments) const { return {function, {arguments...}}; }
  template <typename... A>
  std::enable_if_t<(sizeof...(A) < sizeof...(P)), Fewer> operator()(A&&...) const;
};
template <typename T, typename... P>
Known<P...> know(T, void (*function)(P...)) {
  return {function};
}

// Name that stands for several kernels, of which the call in `function` chooses one.
template <typename F, typename... A>
struct Deduced : Bound<F, A...> {
  const void* address() const { return nullptr; }
};
template <typename F, typename... A>
void choose(F function, A... arguments) {
  function(arguments...);
}
template <typename F, typename... A>
Deduced<F, std::decay_t<A>...> deduce(F function, A&&... arguments) {
  return {{&choose<F, std::decay_t<A>...>, {function, std::forward<A>(arguments)...}}};
}

template <typename B>
int start(const Config& config, const char* name, Place place, const B& bound) {
  return run(config, {&B::call, &bound, sizeof bound, bound.address(), name, place});
}
// Asks `exact` for the kernel where `knows` may be asked, since its type is known, else `loose`.
template <typename Knows, typename Exact, typename Loose>
int launch(const Config& how, std::pair<const char*, Place> of, Knows, Exact exact, Loose loose) {
  if constexpr (!std::is_invocable_v<Knows, Tag>)
    return start(how, of.first, of.second, loose(Tag()));
  else if constexpr (std::is_same_v<decltype(exact(Tag())), Fewer>)
    return start(how, of.first, of.second, loose(Tag()));
  else
    return start(how, of.first, of.second, exact(Tag()));
}
void note_launch_error(int error);  // error for cudaGetLastError

// Calls a kernel of known type with pointers to its arguments, as cudaLaunchKernel does.
template <typename... P, size_t... I>
int launch_with(const Config& config, void (*function)(P...), void* const* parameters,
                std::index_sequence<I...>, const char* name, Place place) {
  static_cast<void>(parameters);
  return start(config, name, place,
               Bound<P...>{function, std::tuple<P...>(*static_cast<P*>(parameters[I])...)});
}
template <typename... P>
int launch_with(const Config& config, void (*function)(P...), void* const* parameters,
                const char* name = "", Place place = here()) {
  return launch_with(config, function, parameters, std::index_sequence_for<P...>(), name, place);
}

// Launches kernel<<<config>>>(arguments), the kernel and the config in parentheses.
#define KBENCH_EMULATED_LAUNCH(KERNEL, CONFIG, ...)                                               \
  ::kbench_emulation::note_launch_error(::kbench_emulation::launch(                               \
      ::kbench_emulation::Config CONFIG, {#KERNEL, {__FILE__, __LINE__}},                         \
      [&](auto kbench_tag) -> decltype(::kbench_emulation::know(kbench_tag, KERNEL)) {},          \
      [&](auto kbench_tag) { return ::kbench_emulation::know(kbench_tag, KERNEL)(__VA_ARGS__); }, \
      [&](auto) {                                                                                 \
        return ::kbench_emulation::deduce([&](auto... kbench_arguments) {                         \
          KERNEL(kbench_arguments...);                                                            \
        } __VA_OPT__(, ) __VA_ARGS__);                                                            \
      }))

// Applies __launch_bounds__: the kernel that runs may have so many threads a block.
void keep_bounds(long long threads, long long = 0, long long = 0, Place place = here());

// ---- Shared memory

void* shared_array(const void* site, size_t bytes, size_t alignment, const char* name);
void* dynamic_shared_array(const char* name);
// Name of __shared__ data: the same memory for all threads of a block that come by.
template <typename T>
T& shared_at(const void* site, size_t alignment, const char* name) {
  const size_t least = alignment > alignof(T) ? alignment : alignof(T);
  return *static_cast<T*>(shared_array(site, sizeof(T), least, name));
}
template <typename T>
T* dynamic_shared(const char* name) {
  return static_cast<T*>(dynamic_shared_array(name));
}
// Data of `extern __shared__ T name[]` at namespace scope.
template <typename T>
struct DynamicShared {
  const char* name;
  operator T*() const { return dynamic_shared<T>(name); }
  T& operator[](size_t i) const { return dynamic_shared<T>(name)[i]; }
  template <typename U>
  explicit operator U*() const {
    return reinterpret_cast<U*>(dynamic_shared<T>(name));
  }
};

// ---- Threads that wait for each other

// Barriers, __syncthreads and its relatives: votes of the block's threads are combined for all.
enum class Vote { none, count, all, any };
int block_barrier(Vote vote, bool value, Place place);
// Emulates bar.sync and bar.arrive: `count` threads, 0 for all of the block.
int named_barrier(unsigned id, unsigned count, Vote vote, bool value, Place place);
// Barrier of a block's `number`th tile of so many threads.
int tile_barrier(unsigned number, unsigned count, Vote vote, bool value, Place place);
void arrive_at_barrier(unsigned id, unsigned count, Place place);
void grid_barrier(Place place);

// Lane's part in a collective of a warp, which is done once for all of them.
struct Lane {
  const void* in;
  void* out;
  int64_t argument;
};
struct Exchange {
  uint32_t mask;     // lanes that take part
  uint32_t present;  // those of them that have not ended
  Lane lanes[32];
  Place place;
};
using Operation = void (*)(const Exchange& exchange);
void collective(Operation operation, uint32_t mask, Lane lane, Place place);
uint32_t active_mask(Place place);  // lanes of the warp at the same place
int lane_index();
int warp_index();

// Lets other threads of the GPU run: loops that wait for memory call it.
void pause();
enum class Scope { block, device, system };
void fence(Scope scope);
uint64_t clock_count();

// ---- Memory that is read and written behind the compiler's back

enum class Access { read, write, atomic };
// Checks an access of that many bytes, at an address that must be a multiple of `alignment`.
void check_access(const void* address, size_t bytes, size_t alignment, Access access, Place place);
// Copy to shared memory that arrives when it is waited for: cp.async, memcpy_async.
struct AsyncCopy {
  void* to;
  const void* from;
  size_t bytes, filled;  // bytes after `filled` are zeros
};
void start_copy(const AsyncCopy& copy, Place place);
void close_copies();
void await_copies(size_t still_open);
// Converts shared memory's addresses to 32-bit numbers, and back.
uint32_t shared_window(const void* address);
void* from_shared_window(uint64_t address);
bool is_shared(const void* address);
bool is_global(const void* address);

// ---- Inline PTX

struct Operand {
  const char* constraint;
  void* place;     // address of an output, or null
  uint64_t value;  // bits of an input
  size_t bytes;
};
template <typename T>
Operand out(const char* constraint, T& x) {
  return {constraint, &x, 0, sizeof x};
}
template <typename T>
uint64_t bits_of(const T& x) {
  uint64_t value = 0;
  static_assert(sizeof x <= sizeof value, "an operand of inline PTX has at most 64 bits");
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    value = static_cast<uint64_t>(static_cast<int64_t>(x));
  } else {
    std::memcpy(&value, &x, sizeof x);
  }
  return value;
}
template <typename T>
Operand inout(const char* constraint, T& x) {
  return {constraint, &x, bits_of(x), sizeof x};
}
template <typename T>
Operand in(const char* constraint, T x) {
  return {constraint, nullptr, bits_of(x), sizeof x};
}
// Statement whose `text` is parsed once for each place, which `cache` is for.
struct Assembly {
  const char* text;
  void** cache;
  Place place;
};
void assemble(const Assembly& assembly, const Operand* operands, size_t count);
template <typename... O>
void assemble_all(const Assembly& assembly, const O&... operands) {
  const Operand all[] = {operands..., Operand{}};
  assemble(assembly, all, sizeof...(operands));
}

#define KBENCH_EMULATED_ASM(TEXT, ...)            \
  do {                                            \
    static void* kbench_cache;                    \
    ::kbench_emulation::assemble_all({            \
      TEXT, &kbench_cache, { __FILE__, __LINE__ } \
    } __VA_OPT__(, ) __VA_ARGS__);                \
  } while (0)

}  // namespace kbench_emulation

// ---- Calls by the host of a candidate

struct kbench_emulation_region {
  const void* begin;
  uint64_t bytes;
  const char* name;
  int32_t writable;
};
extern "C" __attribute__((visibility("default"))) void kbench_emulation_call(
    const kbench_emulation_region* regions, size_t count, uint64_t seed);

#undef KBENCH_EMULATION_UNCHECKED
#endif  // KBENCH_EMULATION_H_

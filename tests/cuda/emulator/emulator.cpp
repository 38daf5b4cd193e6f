// SPDX-License-Identifier: Apache-2.0
#include "emulator.h"

#include <ucontext.h>

#include <cstdio>
#include <cstring>
#include <memory>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulation {
namespace {

constexpr size_t stack_bytes = 64 << 10, guard_bytes = 128, arena_bytes = 256 << 10;
constexpr size_t most_shared = 227 << 10;    // bytes that a block may have
constexpr size_t shared_unasked = 48 << 10;  // bytes without permission
constexpr unsigned most_threads = 1024, warp = 32, most_copies = 128, most_arrays = 16;
constexpr unsigned char untouched = 0xff;  // NaN in every float, -1 in every integer

// A copy on its way to shared memory, with the number of its thread's group that it is in.
struct Copy {
  void* to;
  const void* from;
  size_t bytes, filled, group;
};

enum class State : unsigned char { ready, at_barrier, in_collective, done, count };

// Place where a fiber, or the scheduler, goes on. The builtins save next to nothing and cost no
// system call, as swapcontext would; contexts only start fibers.
using Place = void* [5];

struct Thread {
  uint3 index{};
  bool started = false;
  int line = 0;  // line of the barrier it waits at
  Operation operation = nullptr;
  uint32_t mask = 0;
  Lane lane{};
  size_t copy_count = 0, closed_groups = 0;
  Place place;
  std::unique_ptr<char[]> stack{new char[stack_bytes]};
  Copy copies[most_copies];
};

// An array of shared memory: its site (null: the dynamic one), and its place in the arena.
struct Shared {
  const void* site;
  size_t begin, size;
};

// The machine: one launch at a time.
std::unique_ptr<Thread[]> threads;       // most_threads of them
State states[most_threads];              // states of the threads
size_t order[most_threads];              // order in which they run
uint32_t gathered[most_threads / warp];  // lanes of each warp that wait in a collective
size_t threads_in[static_cast<int>(State::count)];
size_t thread_count = 0, running = 0;
unsigned launches = 0;
size_t shared_limit = 0;
Place scheduler;
Launch launch_now;
char error_text[400];
bool failed = false;

alignas(256) unsigned char arena[arena_bytes];
size_t arena_used = 0, shared_used = 0, array_count = 0;
Shared arrays[most_arrays];

void note(const char* text) {
  std::snprintf(error_text, sizeof error_text, "emulation: %s", text);
  failed = true;
}

void set_state(size_t number, State state) {
  --threads_in[static_cast<int>(states[number])];
  ++threads_in[static_cast<int>(state)];
  states[number] = state;
}

bool all_in(State state) { return threads_in[static_cast<int>(state)] == thread_count; }

[[noreturn]] __attribute__((noinline, noipa)) void go_to(Place& place) {
  __builtin_longjmp(place, 1);
}

__attribute__((noinline, noipa)) void change(Place& from, Place& to) {
  if (__builtin_setjmp(from) == 0) go_to(to);
}

void wait_for_others() { change(threads[running].place, scheduler); }

void fiber_main() {
  for (;;) {
    launch_now.body(launch_now.arguments);
    set_state(running, State::done);
    change(threads[running].place, scheduler);
  }
}

__attribute__((noinline, noipa)) void start(size_t number) {
  threads[number].started = true;
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = threads[number].stack.get();
  context.uc_stack.ss_size =
      stack_bytes - number % 61 * 192;  // begins not all in the same cache lines
  context.uc_link = nullptr;
  makecontext(&context, fiber_main, 0);
  if (__builtin_setjmp(scheduler) == 0) setcontext(&context);
}

void resume(size_t number) {
  running = number;
  threadIdx = threads[number].index;
  if (threads[number].started)
    change(scheduler, threads[number].place);
  else
    start(number);
}

// Launches take turns: first to last, last to first, mixed (by a prime above any size).
void choose_order() {
  for (size_t i = 0; i < thread_count; ++i)
    order[i] = launches % 3 == 0   ? i
               : launches % 3 == 1 ? thread_count - 1 - i
                                   : i * 1031 % thread_count;
}

// Puts an array into the arena, no better aligned than was asked for, with nothing close behind it.
void* reserve(const Shared& array, size_t alignment) {
  size_t begin = (arena_used + alignment - 1) / alignment * alignment;
  if (alignment < 16 && begin % 16 == 0) begin += alignment;
  shared_used += array.size;
  if (array_count == most_arrays || shared_used > shared_limit)
    fail("a block uses more shared memory than there is");
  arrays[array_count++] = {array.site, begin, array.size};
  arena_used = begin + array.size + guard_bytes;
  std::memset(arena + begin, untouched, arena_used - begin);
  return arena + begin;
}

void reset_shared(size_t dynamic_bytes) {
  arena_used = guard_bytes;
  shared_used = array_count = 0;
  std::memset(arena, untouched, guard_bytes);
  reserve({nullptr, 0, dynamic_bytes}, 128);
}

// Notes a write before the first array or behind any.
void check_guards() {
  size_t guard = 0;
  for (size_t i = 0; i <= array_count; ++i) {
    for (size_t j = 0; j < guard_bytes; ++j)
      if (arena[guard + j] != untouched) return note("a write beside an array of shared memory");
    if (i < array_count) guard = arrays[i].begin + arrays[i].size;
  }
}

struct Doing {
  char text[80];
  explicit Doing(size_t number) {
    const Thread& thread = threads[number];
    const uint3 at = thread.index;
    const int length = std::snprintf(text, sizeof text, "thread %u,%u,%u ", at.x, at.y, at.z);
    char* rest = text + length;
    const size_t room = sizeof text - static_cast<size_t>(length);
    if (states[number] == State::at_barrier)
      std::snprintf(rest, room, "waits at the barrier of line %d", thread.line);
    else if (states[number] == State::in_collective)
      std::snprintf(rest, room, "waits for lanes %08x of its warp", thread.mask);
    else
      std::snprintf(rest, room, "has ended");
  }
};

// Nobody can go on: names a thread that waits and one that does something else.
void fail_stuck() {
  size_t one = 0;
  while (states[one] == State::done) ++one;
  const auto alike = [one](size_t other) {
    return states[other] == states[one] && threads[other].line == threads[one].line &&
           threads[other].mask == threads[one].mask;
  };
  size_t other = 0;
  while (other + 1 < thread_count && alike(other)) ++other;
  char text[300];
  std::snprintf(text, sizeof text, "a barrier that not all reach: %s, %s", Doing(one).text,
                Doing(other).text);
  note(text);
}

void pass_barrier() {
  for (size_t i = 0; i < thread_count; ++i)
    if (threads[i].line != threads[0].line) return fail_stuck();
  for (size_t i = 0; i < thread_count; ++i) set_state(i, State::ready);
}

void prepare_threads() {
  for (size_t& count : threads_in) count = 0;
  for (uint32_t& lanes : gathered) lanes = 0;
  threads_in[static_cast<int>(State::ready)] = thread_count;
  for (size_t i = 0; i < thread_count; ++i) {
    Thread& thread = threads[i];
    const unsigned x = static_cast<unsigned>(i) % blockDim.x;
    const unsigned row = static_cast<unsigned>(i) / blockDim.x;
    thread.index = {x, row % blockDim.y, row / blockDim.y};
    thread.line = 0;
    thread.mask = 0;
    thread.copy_count = thread.closed_groups = 0;
    states[i] = State::ready;
  }
}

void run_block(size_t dynamic_bytes) {
  reset_shared(dynamic_bytes);
  prepare_threads();
  while (!failed && !all_in(State::done)) {
    bool any = false;
    for (size_t i = 0; i < thread_count; ++i) {
      const size_t number = order[i];
      if (states[number] != State::ready) continue;
      any = true;
      resume(number);
      if (failed) return;
    }
    if (all_in(State::at_barrier))
      pass_barrier();
    else if (!any)
      fail_stuck();
  }
  check_guards();
}

size_t limit_of(const Config& config) {
  return config.has_permission ? most_shared : shared_unasked;
}

const char* wrong_with(const Config& config) {
  const dim3 &g = config.grid, &b = config.block;
  if (b.x * b.y * b.z == 0 || b.x * b.y * b.z > most_threads || b.z > 64)
    return "launch: a block has 1 to 1024 threads";
  if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > 0x7fffffff || g.y > 65535 || g.z > 65535)
    return "launch: the grid has a size that no grid has";
  if (config.shared > limit_of(config)) return "launch: more shared memory than a block has";
  return nullptr;
}

}  // namespace

void run(const Config& config, const Launch& launch) {
  if (failed) return;  // take_error() has not asked yet
  if (const char* text = wrong_with(config)) return note(text);
  shared_limit = limit_of(config);
  gridDim = config.grid;
  blockDim = config.block;
  launch_now = launch;
  thread_count = static_cast<size_t>(blockDim.x) * blockDim.y * blockDim.z;
  if (threads == nullptr) threads.reset(new Thread[most_threads]);
  choose_order();
  const size_t blocks = static_cast<size_t>(gridDim.x) * gridDim.y * gridDim.z;
  for (size_t i = 0; i < blocks && !failed; ++i) {
    const size_t block = launches % 3 == 1 ? blocks - 1 - i : i;
    blockIdx.x = static_cast<unsigned>(block % gridDim.x);
    blockIdx.y = static_cast<unsigned>(block / gridDim.x % gridDim.y);
    blockIdx.z = static_cast<unsigned>(block / gridDim.x / gridDim.y);
    run_block(config.shared);
  }
  if (failed) threads.reset();  // fibers that will never end
  ++launches;
}

void fail(const char* text) {
  note(text);
  go_to(scheduler);  // leaves this fiber for ever
}

const char* take_error() {
  const bool had_failed = failed;
  failed = false;
  return had_failed ? error_text : nullptr;
}

void* dynamic_shared() { return arena + arrays[0].begin; }

void* static_shared(const void* site, size_t size, size_t alignment) {
  for (size_t i = 1; i < array_count; ++i)
    if (arrays[i].site == site) return arena + arrays[i].begin;
  return reserve({site, 0, size}, alignment);
}

void block_barrier(int line) {
  set_state(running, State::at_barrier);
  threads[running].line = line;
  wait_for_others();
}

int lane_index() { return static_cast<int>(running % warp); }

void collective(Operation operation, uint32_t mask, Lane lane) {
  const size_t number = running / warp, first = number * warp;
  if (!(mask >> lane_index() & 1)) fail("a collective whose mask lacks the lane that calls it");
  if (thread_count - first < warp && mask >> (thread_count - first))
    fail("a collective whose mask has lanes that the block lacks");
  Thread& me = threads[running];
  set_state(running, State::in_collective);
  me.operation = operation;
  me.mask = mask;
  me.lane = lane;
  gathered[number] |= 1u << lane_index();
  if ((gathered[number] & mask) != mask) return wait_for_others();
  Lane lanes[warp] = {};
  for (unsigned i = 0; i < warp; ++i) {
    if (!(mask >> i & 1)) continue;
    const Thread& other = threads[first + i];
    if (other.operation != operation || other.mask != mask)
      fail("lanes of a warp in different collectives");
    lanes[i] = other.lane;
  }
  operation(lanes, mask);
  gathered[number] &= ~mask;
  for (unsigned i = 0; i < warp; ++i)
    if (mask >> i & 1) set_state(first + i, State::ready);
}

void start_copy(void* to, const void* from, size_t bytes, size_t filled) {
  Thread& me = threads[running];
  if (me.copy_count == most_copies) fail("more copies on their way than the emulator has places");
  std::memset(to, untouched, bytes);  // a reader that comes too early notices
  me.copies[me.copy_count++] = {to, from, bytes, filled, me.closed_groups};
}

void close_copies() { ++threads[running].closed_groups; }

void await_copies(size_t still_open) {
  Thread& me = threads[running];
  size_t kept = 0;
  for (size_t i = 0; i < me.copy_count; ++i) {
    const Copy copy = me.copies[i];
    if (copy.group + still_open >= me.closed_groups) {
      me.copies[kept++] = copy;
      continue;
    }
    std::memset(copy.to, 0, copy.bytes);
    std::memcpy(copy.to, copy.from, copy.filled);
  }
  me.copy_count = kept;
}

}  // namespace emulation

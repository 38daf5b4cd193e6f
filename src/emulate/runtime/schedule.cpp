#include "emulate/runtime/schedule.hpp"

#include <algorithm>
#include <cstring>

#include "emulate/runtime/access_check.hpp"
#include "emulate/runtime/launch.hpp"
#include "emulate/runtime/shared_memory.hpp"

// Variables that kbench_emulation.h declares as constants, for kernels.
__thread uint3 kbench_thread_index __asm__("kbench_emulation_threadIdx")
    __attribute__((visibility("hidden"))) KBENCH_EMULATION_OWN;
__thread uint3 kbench_block_index __asm__("kbench_emulation_blockIdx")
    __attribute__((visibility("hidden"))) KBENCH_EMULATION_OWN;
__thread uint3 kbench_block_size __asm__("kbench_emulation_blockDim")
    __attribute__((visibility("hidden"))) KBENCH_EMULATION_OWN;
__thread uint3 kbench_grid_size __asm__("kbench_emulation_gridDim")
    __attribute__((visibility("hidden"))) KBENCH_EMULATION_OWN;

namespace kbench_emulation {

KBENCH_EMULATION_OWN __thread Now* now = nullptr;

namespace {

KBENCH_EMULATION_OWN __thread Worker* worker = nullptr;

const Region nowhere{};

// Returns the next set bit after `last`, in the launch's order: up or down, round about.
unsigned next_bit(std::uint32_t bits, unsigned last, bool is_down) {
  if (is_down) {
    const std::uint32_t below = bits & ((1u << last) - 1);
    return 31 - static_cast<unsigned>(__builtin_clz(below != 0 ? below : bits));
  }
  const std::uint32_t above = bits & ~((2u << last) - 1);
  return static_cast<unsigned>(__builtin_ctz(above != 0 ? above : bits));
}

void set_clock(Now& n) {
  const Block& block = *n.block;
  const unsigned number = n.thread->number;
  n.run_begin = make_record(block.run, 0, 0);
  n.ordered = make_record(block.run, block.known + 1, 0);
  n.others_end[0] = n.launch_begin;
  n.moment = make_record(block.run, block.moment, 0);
  n.thread_bits = make_record(0, 0, number);
  n.warp_bits = make_record(0, 0, several_of_warp + number / warp_lanes);
  n.stamp = n.moment | n.thread_bits;
}

// Makes `thread` the one that runs.
void enter(Block& block, Thread& thread) {
  Now& n = worker->now_here;
  n.thread = &thread;
  n.stack_low = reinterpret_cast<std::uintptr_t>(thread.stack.low);
  n.thread_bits = make_record(0, 0, thread.number);
  n.warp_bits = make_record(0, 0, several_of_warp + thread.number / warp_lanes);
  n.stamp = n.moment | n.thread_bits;
  kbench_thread_index = thread.index;
  block.last = thread.number;
  block.warps[thread.number / warp_lanes].last = thread.number % warp_lanes;
}

// Returns a lane of the warp that ran last first, or with `others_first` last; each warp goes on
// behind its lane that ran last, so that all have their turn. Null where nobody is ready.
Thread* choose(Block& block, bool others_first) {
  if (block.warps_ready == 0) return nullptr;
  const std::uint64_t seed = block.launch->seed;
  unsigned warp = block.last / warp_lanes;
  if (others_first || (block.warps_ready >> warp & 1) == 0)
    warp = next_bit(block.warps_ready, warp, seed >> 1 & 1);
  const Warp& chosen = block.warps[warp];
  return &block.threads[warp * warp_lanes + next_bit(chosen.ready, chosen.last, seed & 1)];
}

void begin_thread(Thread& thread, const Launch& launch, unsigned number) {
  thread.is_started = thread.has_ended = thread.has_fenced = false;
  thread.wait = Wait::none;
  thread.number = number;
  thread.futile = thread.given_way = thread.alike = 0;
  thread.looked_at = 0;
  thread.poll = nullptr;
  thread.index = launch.thread_indices[number];
}

void set_unready(Block& block, Thread& thread) {
  Warp& warp = block.warps[thread.number / warp_lanes];
  warp.ready &= ~(1u << thread.number % warp_lanes);
  if (warp.ready == 0) block.warps_ready &= ~(1u << thread.number / warp_lanes);
}

Thread* next_thread(Block& block) {
  Thread* next = choose(block, false);
  if (next == nullptr && release_active_masks(block)) next = choose(block, false);
  if (next == nullptr && block.live != 0 && block.at_grid == 0) fail_deadlock(block);
  return next;
}

void run_threads();

// Goes to `next`, which may have to begin; to the worker's own stack where it is null.
void go_to(Block& block, Context& from, Thread* next) {
  if (next == nullptr) return change(from, worker->main);
  if (next->is_started) {
    enter(block, *next);
    worker->used = next->stack;
    return change(from, next->context);
  }
  if (worker->free_stacks.empty()) worker->free_stacks.push_back(take_stack());
  worker->used = worker->free_stacks.back();
  worker->free_stacks.pop_back();
  Context fresh;
  prepare(fresh, worker->used, run_threads);
  next->stack = worker->used;
  enter(block, *next);
  change(from, fresh);
}

// Runs threads one after the other on one stack, until one has waited and goes on elsewhere.
void run_threads() {
  for (;;) {
    Now& n = worker->now_here;
    Block& block = *n.block;
    Thread& thread = *n.thread;
    thread.is_started = true;
    block.launch->kernel.call(block.launch->kernel.closure);
    settle(n);
    set_unready(block, thread);
    end_thread(block, thread);
    Thread* const next = next_thread(block);
    const Stack mine = worker->used;
    if (next != nullptr && !next->is_started) {
      next->stack = mine;
      enter(block, *next);
      continue;
    }
    worker->free_stacks.push_back(mine);
    Context never;
    go_to(block, never, next);
  }
}

}  // namespace

Thread* running_thread() { return now == nullptr ? nullptr : now->thread; }

const char* kernel_name() { return now->block->launch->kernel.name; }

void begin_run(Block& block) {
  block.run = new_run();
  block.runs.push_back(block.run);
  block.moment = 1;
  block.known = block.fenced = 0;
  block.knowledge.clear();
  for (Barrier& barrier : block.barriers) barrier.brought = {};
  for (unsigned i = 0; i < block.warp_count; ++i) {
    Warp& warp = block.warps[i];
    warp.known = 0;
    std::fill(warp.others, warp.others + most_warps, 0u);
    warp.lanes.clear();
  }
}

void tick(Block& block) {
  if (++block.moment > most_moments) begin_run(block);
  if (now != nullptr && now->block == &block) set_clock(*now);
}

void make_ready(Block& block, Thread& thread) {
  const unsigned warp = thread.number / warp_lanes;
  thread.wait = Wait::none;
  thread.futile = 0;
  block.idle = 0;
  block.warps[warp].ready |= 1u << thread.number % warp_lanes;
  block.warps_ready |= 1u << warp;
}

void suspend() {
  Now& n = worker->now_here;
  Block& block = *n.block;
  Thread& thread = *n.thread;
  settle(n);
  if (thread.wait != Wait::none) set_unready(block, thread);
  Thread* const next = next_thread(block);
  if (next != &thread) go_to(block, thread.context, next);
  // The thread that came here has made this one the running one.
}

// Number of waits for memory by its threads in turn before other blocks have theirs.
static unsigned patience_of(const Block& block) { return 4 * block.live + 64; }

bool waits_in_vain(const Block& block) {
  for (unsigned i = 0; i < block.warp_count; ++i)
    for (std::uint32_t lanes = block.warps[i].ready; lanes != 0; lanes &= lanes - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(lanes));
      const Poll* const poll = block.threads[i * warp_lanes + lane].poll;
      if (poll == nullptr || !poll->is_all ||
          std::memcmp(poll->seen, reinterpret_cast<const void*>(poll->touch.address),
                      poll->touch.bytes) != 0)
        return false;
    }
  return true;
}

void pause() {
  Now& n = worker->now_here;
  Block& block = *n.block;
  Thread& thread = *n.thread;
  settle(n);
  Thread* next = choose(block, true);
  if (++block.idle > patience_of(block) || waits_in_vain(block)) {
    block.idle = 0;
    next = nullptr;
  }
  if (next != &thread) go_to(block, thread.context, next);
}

void give_way(Now& n) {
  constexpr unsigned most = 16, most_of_block = 2;
  constexpr std::uint64_t few_blocks = 256;  // all that wait keep their memory
  Block& block = *n.block;
  if (block.launch->seed == 0 || n.thread->given_way++ >= most) return;
  if (block.launch->blocks <= few_blocks && block.given_way++ < most_of_block)
    block.idle = patience_of(block);
  pause();
}

Worker::Worker(const Launch& launch) {
  std::fill(std::begin(now_here.cache), std::end(now_here.cache), &nowhere);
  now_here.launch_begin = make_record(launch.first_run, 0, 0);
  now_here.arguments.begin = reinterpret_cast<std::uintptr_t>(launch.kernel.closure);
  now_here.arguments.bytes = launch.kernel.bytes;
  now_here.arguments.name = "the kernel's arguments";
  kbench_block_size = launch.config.block;
  kbench_grid_size = launch.config.grid;
  worker = this;
}

Worker::~Worker() {
  give_back_stacks(free_stacks);
  worker = nullptr;
}

Outcome Worker::go_on(Block& block) {
  if (now_here.block != &block)  // another block has other arrays
    std::fill(std::begin(now_here.cache), std::end(now_here.cache), &nowhere);
  now_here.block = &block;
  now = &now_here;
  kbench_block_index = block.index;
  Thread* const first = choose(block, true);
  if (first != nullptr) {
    now_here.thread = first;
    set_clock(now_here);
    go_to(block, main, first);
  }
  now = nullptr;
  return block.live == 0 ? Outcome::finished : Outcome::stalled;
}

void begin_block(Block& block, const Launch& launch, std::uint64_t number) {
  const dim3 grid = launch.config.grid;
  block.launch = &launch;
  block.index = {static_cast<unsigned>(number % grid.x),
                 static_cast<unsigned>(number / grid.x % grid.y),
                 static_cast<unsigned>(number / grid.x / grid.y)};
  block.acquired.clear();
  block.knows_all_releases = false;
  block.at_grid = block.idle = block.given_way = 0;
  block.live = launch.threads;
  block.warp_count = (launch.threads + warp_lanes - 1) / warp_lanes;
  block.runs.clear();
  begin_run(block);
  block.warps_ready = block.warp_count == most_warps ? 0xffffffff : (1u << block.warp_count) - 1;
  block.last = launch.threads - 1 - (launch.seed >> 16) % launch.threads;
  for (unsigned i = 0; i < block.warp_count; ++i) {
    const unsigned lanes = std::min(launch.threads - i * warp_lanes, warp_lanes);
    Warp& warp = block.warps[i];
    warp.live = warp.ready = lanes == warp_lanes ? 0xffffffff : (1u << lanes) - 1;
    warp.waiting = warp.at_active_mask = 0;
    warp.last = static_cast<unsigned>(launch.seed >> 8 & 31) ^ 31;
  }
  for (unsigned i = 0; i < launch.threads; ++i) begin_thread(block.threads[i], launch, i);
  std::fill(std::begin(block.barriers), std::end(block.barriers), Barrier());
  begin_shared_memory(block);
}

}  // namespace kbench_emulation

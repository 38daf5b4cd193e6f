// GPU on the CPU. A thread of the GPU is a fiber only when it has to wait; blocks are spread over
// the threads of the process. Objects here belong to one of these, a worker, and to its block.
#pragma once

#include <kbench_emulation.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulate/runtime/fault.hpp"
#include "emulate/runtime/fiber.hpp"
#include "emulate/runtime/region.hpp"

namespace kbench_emulation {

constexpr unsigned most_threads = 1024, warp_lanes = 32, most_warps = most_threads / warp_lanes;
constexpr unsigned most_barriers = 16, most_shared_arrays = 64;
constexpr std::size_t most_shared_bytes = 227 << 10, shared_bytes_unasked = 48 << 10;
// Fills of unwritten shared memory, by the call's seed: also the largest and a very low number,
// since a maximum or minimum passes over NaN.
constexpr unsigned char shared_fills[] = {0xff, 0x7f, 0xfe};
constexpr unsigned char nonsense = 0xff;  // NaN in every float, -1 in every integer

enum class Wait : std::uint8_t { none, barrier, collective, active_mask, grid };

struct Poll;
struct Copies;  // those on their way to shared memory (shared_memory.hpp)

struct Thread {
  Context context;
  Stack stack{};
  bool is_started = false, has_ended = false;
  bool has_fenced = false;  // since the block began: its later atomic accesses release
  unsigned given_way = 0;   // times since the block began
  Wait wait = Wait::none;
  unsigned number = 0, futile = 0;  // futile: vain steps, as of loops that wait for memory
  std::uintptr_t looked_at = 0;     // memory of the last of them
  unsigned alike = 0;               // number of those in turn that looked at the same
  const Poll* poll = nullptr;       // memory that it waits for while others have their turn
  uint3 index{};
  Place place{};  // place of its wait
  // Argument of a collective, and result of a barrier.
  Operation operation = nullptr;
  std::uint32_t mask = 0;
  Lane lane{};
  int result = 0;
  Copies* copies = nullptr;
};

// Masks are of lanes. A moment stands for all that happened up to it.
struct Warp {
  std::uint32_t ready = 0, live = 0, waiting = 0, at_active_mask = 0;
  unsigned last = 0;                                 // lane that ran last
  std::uint32_t known = 0;                           // moment up to which each lane knows others
  std::uint32_t others[most_warps] = {};             // moments up to which it knows each other warp
  std::vector<std::array<std::uint32_t, 32>> lanes;  // [lane]: moment up to which it knows each
};

// Moments up to which each warp is known: objects by which warps wait for each other carry them.
struct Knowledge {
  std::uint32_t of_warp[most_warps];
};

// Lanes that have come wait, or have only arrived and go on: `brought` is what they did before.
struct Barrier {
  unsigned arrived = 0;
  std::uint32_t waiting[most_warps] = {}, gone_on[most_warps] = {};
  bool is_left = false;  // a lane only arrived and went on
  Knowledge brought{};
  unsigned count = 0;
  bool all = true, any = false;
  Place place{};
};

// Launch that all workers see.
struct Launch {
  const Config& config;
  const Kernel& kernel;
  std::size_t shared_limit;  // dynamic memory; 0 where nobody asked for more
  unsigned char shared_fill;
  unsigned threads;
  std::uint64_t blocks;
  std::uint32_t first_run;
  std::uint64_t seed;
  std::vector<uint3> thread_indices;
};

// Knowledge of a block about others: releases at a place before it looked there.
struct Acquired {
  const void* place;
  std::size_t releases;
};

struct Block {
  const Launch* launch = nullptr;
  uint3 index{};
  std::vector<Thread> threads{most_threads};
  Warp warps[most_warps];
  Barrier barriers[2 * most_barriers];  // those with a number, and tiles'
  unsigned live = 0, warp_count = 0;
  unsigned at_grid = 0;
  std::uint32_t warps_ready = 0;  // warps with lanes that are
  unsigned last = 0;              // thread that ran last
  unsigned given_way = 0;         // number of times, to other blocks
  unsigned idle = 0;              // number of threads in turn that have only waited for memory
  bool is_grid_released = false;

  std::uint32_t run = 0, moment = 1, known = 0;  // moment up to which all threads know each other
  std::uint32_t fenced = 0;                      // moment up to which a thread's last fence came
  std::vector<std::uint32_t> runs;  // all runs of this block: a new one when moments run out
  std::vector<Acquired> acquired;
  bool knows_all_releases = false;
  std::map<const void*, Knowledge> knowledge;  // key: places by which warps wait

  unsigned char* arena = nullptr;  // shared memory, with shadows
  std::uint8_t* written = nullptr;
  Cell* cells = nullptr;
  std::size_t used = 0, static_bytes = 0;
  Region arrays[most_shared_arrays];  // the first is the dynamic one
  const void* sites[most_shared_arrays] = {};
  unsigned array_count = 0;
};

// atomic_change reads as well, atomic_write does not.
enum class Kind { read, write, atomic_read, atomic_write, atomic_change, volatile_write };

// Access that a check is about.
struct Touch {
  std::uintptr_t address;
  std::uint32_t bytes;
  Kind kind;
  Where where;
};

// Memory that a thread waits for, as it was when the thread looked last.
struct Poll {
  Touch touch;
  bool is_all;  // the thread looks at nothing else
  unsigned char seen[16];
};

// Write to where another was: a race, unless its value is there already.
struct Pending {
  const Region* region = nullptr;
  Record other = 0;
  bool other_wrote = false;
  Touch touch{};
  unsigned char before[16];
};

// State for a check of an access, in one place.
struct Now {
  std::uintptr_t stack_low = 0;
  Record moment = 0;       // record of this moment without a thread
  Record thread_bits = 0;  // running thread in a record; several threads of its warp
  Record warp_bits = 0;
  Record stamp = 0;         // the running thread at this moment
  Record ordered = 0;       // records of this run below it come before everything now
  Record run_begin = 0;     // least record of this run
  Record launch_begin = 0;  // least record of this launch
  // Bounds of other runs' records: below them they do no harm, in global memory those of launches
  // before, in shared memory all.
  Record others_end[2] = {0, ~Record{0}};
  Block* block = nullptr;
  Thread* thread = nullptr;
  const Region* cache[256];  // hashed by the address of the code
  Region arguments;          // the kernel's
  Pending pending;
};
#define KBENCH_EMULATION_OWN __attribute__((tls_model("initial-exec")))
extern __thread Now* now KBENCH_EMULATION_LOCAL(now) KBENCH_EMULATION_OWN;  // null outside kernels

Thread* running_thread();
const char* kernel_name();

// Waits until somebody has made the running thread ready.
void suspend();
void make_ready(Block& block, Thread& thread);
// Begins a new moment: threads have waited for each other once more.
void tick(Block& block);
void begin_run(Block& block);  // forgets all that was recorded

}  // namespace kbench_emulation

// SPDX-License-Identifier: Apache-2.0
// A GPU on the CPU, as far as correctness goes. A block's threads are fibers of one thread, blocks
// run one after another, and barriers and warp collectives are where fibers wait for each other.
// The order of fibers and blocks changes from launch to launch. Shared memory is full of NaN until
// it is written. An error with a text replaces what a GPU would answer with nonsense or a hang.
#ifndef KBENCH_EMULATOR_H_
#define KBENCH_EMULATOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "entry.h"

#ifdef KBENCH_EMULATION_DEVICE
extern "C" {
__attribute__((weak)) void fake_launch(void (*)(void*), void*, double nanoseconds, int stream);
__attribute__((weak)) void fake_break(int error);
__attribute__((weak)) int fake_synchronize();
__attribute__((weak)) int cuMemAlloc_v2(unsigned long long* address, size_t bytes);
}
#endif

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

// Indices of the fiber that runs.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace emulation {

struct Config {
  dim3 grid, block;
  size_t shared;
  void* stream;
  bool has_permission = false;  // may use more shared memory than every kernel gets
  Config(dim3 grid_, dim3 block_, size_t shared_ = 0, void* stream_ = nullptr)
      : grid(grid_), block(block_), shared(shared_), stream(stream_) {}
};

// Returns, as cudaGetLastError, what went wrong since the last question, or null.
const char* take_error();

// Call of body(arguments) as each thread of the launch.
struct Launch {
  void (*body)(void*);
  void* arguments;
};
void run(const Config& config, const Launch& launch);

// Does `work` now; with KBENCH_EMULATION_DEVICE when the stand-in driver of tests/cuda/fake, which
// is loaded already, comes to it on that stream. Waiting for the device then gives its error.
template <typename Work>
void submit(Work work, void* stream) {
#ifdef KBENCH_EMULATION_DEVICE
  const auto do_it = [](void* it) {
    const std::unique_ptr<Work> queued(static_cast<Work*>(it));
    (*queued)();
    if (take_error() != nullptr) fake_break(719);  // CUDA_ERROR_LAUNCH_FAILED
  };
  fake_launch(do_it, new Work(work), -1, static_cast<int>(reinterpret_cast<intptr_t>(stream)));
#else
  static_cast<void>(stream);
  work();
#endif
}

// Launches as kernel<<<config>>>(arguments), which is rewritten to this.
template <typename... Parameters, typename... Arguments>
void launch(const Config& config, void (*kernel)(Parameters...), Arguments... arguments) {
  submit(
      [=] {
        auto call = [&] { kernel(arguments...); };
        const auto body = [](void* it) { (*static_cast<decltype(call)*>(it))(); };
        run(config, {body, &call});
      },
      config.stream);
}

template <auto kernel>
struct EntryOf;
template <typename... Parameters, void (*kernel)(Parameters...)>
struct EntryOf<kernel> {
  static constexpr size_t sizes[] = {sizeof(Parameters)..., 0};
  template <size_t... I>
  static void launch_with(const Config& config, void* const* parameters,
                          std::index_sequence<I...>) {
    static_cast<void>(parameters);
    emulation::launch(config, kernel, *static_cast<const Parameters*>(parameters[I])...);
  }
  static void launch(const unsigned* grid, const unsigned* block, size_t shared, void* stream,
                     void* const* parameters) {
    Config config(dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]), shared,
                  stream);
    config.has_permission = true;  // the driver was asked
    launch_with(config, parameters, std::index_sequence_for<Parameters...>());
  }
  static constexpr Entry entry = {sizeof...(Parameters), sizes, &launch};
};

// Ends the launch with this text.
[[noreturn]] void fail(const char* text);

void* dynamic_shared();
void* static_shared(const void* site, size_t size, size_t alignment);

// Stands for `__shared__ T name;`: the same memory for all fibers of a block that come by.
template <typename T>
T& shared_at(const void* site, size_t alignment) {
  return *static_cast<T*>(static_shared(site, sizeof(T), alignment));
}

void block_barrier(int line);

// Values that a lane brings to a collective of its warp, and the place for its answer.
struct Lane {
  const void* in;
  void* out;
  int argument;
};
using Operation = void (*)(const Lane* lanes, uint32_t mask);

// Waits until all lanes of `mask` are in the same operation; it is done for all of them at once.
void collective(Operation operation, uint32_t mask, Lane lane);
int lane_index();

// Starts a copy to shared memory that arrives only when it is waited for.
void start_copy(void* to, const void* from, size_t bytes, size_t filled);
void close_copies();
void await_copies(size_t still_open);

}  // namespace emulation

#endif  // KBENCH_EMULATOR_H_

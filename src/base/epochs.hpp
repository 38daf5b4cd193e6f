// Epochs, the stretches timed between looks at the clock: the judge plans them, the worker does
// them. Plain data: it passes through shared memory.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace kbench {

enum class CallKind : std::uint32_t {
  candidate,
  null,      // the cost of any call: it takes its arguments apart and returns
  control,   // a computation of kbench's own that never changes: by it one sees the machine drift
  activity,  // the candidate, by the device's own records: from its first kernel to its last
};

// A computation that never changes: how long it takes says how fast the machine is at a time. A
// chain of multiplications, each waiting for the one before, and a pass over memory.
inline bool call_control() {
  constexpr int steps = 4096;
  constexpr std::size_t words = std::size_t{1} << 14;  // 128 KiB: more than a first cache
  static std::array<std::uint64_t, words> data;        // zeros
  std::uint64_t x = 1;
  for (int i = 0; i < steps; ++i) {
    x *= 0x9E3779B97F4A7C15U;
    asm volatile("" : "+r"(x));
  }
  for (const std::uint64_t& word : data) x += *const_cast<const volatile std::uint64_t*>(&word);
  asm volatile("" : : "r"(x));
  return true;
}

// A sample is the time of `calls` calls, each of which begins when the processor has finished the
// one before.
struct Epochs {
  CallKind kind = CallKind::candidate;
  std::uint32_t samples = 1;
  std::uint64_t calls = 1;    // calls of each sample
  std::uint32_t warmups = 0;  // calls before the first sample, outside of its time
  std::uint32_t cold = 0;     // inputs and outputs are in no cache when a sample begins
  std::uint32_t at_once = 0;  // a GPU begins before all of a sample is queued
  // The stack's place in its page changes a kernel's time by a percent now and then, so it is
  // moved: `seed` says by how much for each sample.
  std::uint32_t seed = 0;
};

// The longest time believed of a sample: eleven days, in nanoseconds.
constexpr double longest_sample_ns = 1e15;

// Request to the second engine: Google Benchmark, which chooses the calls of a repetition.
struct Repetitions {
  std::uint32_t count = 0;
  double min_seconds = 0;  // minimum of each repetition
};

// Clock of how long something takes.
class Stopwatch {
 public:
  double elapsed_ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace kbench

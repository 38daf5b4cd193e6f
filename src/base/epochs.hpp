// What is timed between looks at the clock: as the judge plans it and the worker does it. Plain
// data: it passes through shared memory.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace kbench {

enum class CallKind : std::uint32_t {
  candidate,
  null,      // nothing but what every call takes: it takes its arguments apart and returns
  control,   // a computation of kbench's own that never changes: by it one sees the machine drift
  activity,  // the candidate, by the device's own records: from its first kernel to its last
};

// A computation that never changes: how long it takes says how fast the machine is at a time. A
// chain of multiplications, each waiting for the one before, and a pass over memory.
inline bool call_control() {
  constexpr int steps = 4096;
  constexpr std::size_t words = std::size_t{1} << 14;  // 128 KiB: more than a first cache
  static std::array<std::uint64_t, words> data;        // of zeros
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
  std::uint64_t calls = 1;    // of each sample
  std::uint32_t warmups = 0;  // calls before the first sample, outside of its time
  std::uint32_t cold = 0;     // inputs and outputs are in no cache when a sample begins
  std::uint32_t at_once = 0;  // a GPU begins before all of a sample is queued
  // Where the stack lies in its page changes a kernel's time by a percent now and then, so it is
  // moved: `seed` says by how much for each sample.
  std::uint32_t seed = 0;
};

// What claims to be longer is no time; nanoseconds, eleven days.
constexpr double longest_sample_ns = 1e15;

// What the second engine is asked for: Google Benchmark, which chooses the calls of a repetition.
struct Repetitions {
  std::uint32_t count = 0;
  double min_seconds = 0;  // for each repetition
};

// How long something takes.
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

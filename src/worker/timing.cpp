// Samples of plain mode: the loop that takes them, in the candidate's own address space.
#include <time.h>

#include <algorithm>

#include "base/epochs.hpp"
#include "worker/candidate.hpp"
#include "worker/hardware.hpp"
#include "worker/processor.hpp"

namespace kbench::worker {
namespace {

double now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// Returns the wall time of `calls` calls, nanoseconds. The first one that fails is the last: `good`
// turns false.
template <class Call>
double time_calls(std::uint64_t calls, bool& good, const Call& call) {
  const double begin = now_ns();
  for (std::uint64_t i = 0; good && i < calls; ++i) {
    good = call();
    // A short call would else begin within the one before, and neither would have a time of its
    // own.
    finish_instructions();
  }
  return now_ns() - begin;
}

// Step of a linear congruential generator (Numerical Recipes): the choice matters little here.
std::uint32_t next(std::uint32_t& seed) { return seed = seed * 1664525U + 1013904223U; }

// Calls `f` with the stack further down by up to a page.
template <class F>
[[gnu::noinline]] double on_moved_stack(std::uint32_t random, const F& f) {
  constexpr std::uint32_t unit = 16;  // the ABI's alignment
  auto* const room = static_cast<volatile char*>(__builtin_alloca(unit * (1 + (random >> 24))));
  *room = 0;
  return f();
}

template <class Call>
bool take_samples(Control& control, Candidate& candidate, const Call& call) {
  const Epochs epochs = control.epochs;
  const std::uint32_t samples = std::min<std::uint32_t>(epochs.samples, max_samples);
  control.sample_count = 0;
  bool good = true;
  std::uint32_t seed = epochs.seed;
  time_calls(epochs.warmups, good, call);
  for (std::uint32_t i = 0; i < samples; ++i) {
    const std::uint32_t moved = next(seed);
    if (epochs.cold != 0) candidate.leave_caches();
    const double ns = on_moved_stack(moved, [&] { return time_calls(epochs.calls, good, call); });
    if (!good) return false;
    control.samples_ns[control.sample_count++] = ns;
  }
  return true;
}

}  // namespace

bool Hardware::run_epochs(Control& control, Candidate& candidate) {
  switch (control.epochs.kind) {
    case CallKind::control:
      return take_samples(control, candidate, &call_control);
    case CallKind::null:
      return take_samples(control, candidate, [&] {
        ++control.calls;
        return candidate.call_null();
      });
    case CallKind::candidate:
      return take_samples(control, candidate, [&] { return call_once(control, candidate); });
    case CallKind::activity:
      control.sample_count = 0;
      return true;  // a processor keeps no records: there are no samples
  }
  return false;
}

}  // namespace kbench::worker

#include "worker/timing.hpp"

#include <time.h>

#include <algorithm>

namespace kbench::worker {
namespace {

std::uint64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(t.tv_nsec);
}

// The wall time of `calls` calls, nanoseconds. The first one that fails is the last: `good` turns
// false.
std::uint64_t epoch(Control& control, Candidate& candidate, std::uint64_t calls, bool& good) {
  const std::uint64_t begin = now_ns();
  for (std::uint64_t i = 0; good && i < calls; ++i) good = call_once(control, candidate);
  return now_ns() - begin;
}

// Doubles the number of calls until they fill a sample, then scales: a short kernel's first calls
// are slower than the rest, so one call alone would give too few.
std::uint64_t find_calls_per_sample(Control& control, Candidate& candidate, bool& good) {
  constexpr std::uint64_t most = 1'000'000;
  std::uint64_t calls = 1;
  while (good && calls < most) {
    const std::uint64_t ns = std::max<std::uint64_t>(1, epoch(control, candidate, calls, good));
    if (ns >= control.sample_ns) return calls;
    if (ns * 4 >= control.sample_ns) return std::min(most, calls * control.sample_ns / ns + 1);
    calls *= 2;
  }
  return calls;
}

// The budget is spent and there are enough samples for an interval; or it is spent ten times over,
// which a kernel of a tenth of a second does with its third call.
bool is_enough(const Control& control, std::uint64_t elapsed) {
  if (control.sample_count >= control.min_samples) return elapsed >= control.budget_ns;
  return control.sample_count >= 3 && elapsed / 10 >= control.budget_ns;
}

}  // namespace

bool call_once(Control& control, Candidate& candidate) {
  ++control.calls;
  return candidate.call();
}

bool take_samples(Control& control, Candidate& candidate) {
  bool good = true;
  epoch(control, candidate, control.warmup_calls, good);
  const std::uint64_t calls = find_calls_per_sample(control, candidate, good);
  control.calls_per_sample = calls;
  control.sample_count = 0;
  const std::uint32_t wanted = std::min<std::uint32_t>(control.wanted_samples, max_samples);
  const std::uint64_t begin = now_ns();
  while (good && control.sample_count < wanted) {
    if (is_enough(control, now_ns() - begin)) break;
    const std::uint64_t ns = epoch(control, candidate, calls, good);
    control.samples_ns[control.sample_count++] =
        static_cast<double>(ns) / static_cast<double>(calls);
  }
  return good;
}

}  // namespace kbench::worker

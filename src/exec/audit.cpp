// Audited calls: each is timed by the judge and checked, with inputs that are complete only when it
// begins.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>

#include "base/system.hpp"
#include "base/text.hpp"
#include "exec/arguments.hpp"
#include "exec/candidate_state.hpp"

namespace kbench {
namespace {

using Failure = std::optional<CandidateFailure>;
using worker::Command;
using worker::Turn;

constexpr int null_calls = 64;
constexpr int most_pings = 20;
constexpr double quick_ns = 10'000;
// Windows without CPU time that count as rest: after a call, and when it only has to fall asleep.
constexpr timespec idle_window{0, 300'000};
constexpr timespec short_window{0, 10'000};
// Multiple of the usual CPU time beside a call that chance may cause.
constexpr double most_aside = 1.5;

CandidateFailure failure(std::string cause) { return {Status::runtime_error, std::move(cause)}; }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Failure CandidateProcess::State::wake_up() {
  double nanoseconds = 0;
  for (int i = 0; i < most_pings; ++i) {
    if (auto failure = turn(Turn::ping, nanoseconds)) return failure;
    if (nanoseconds < quick_ns) break;
  }
  return std::nullopt;
}

Failure CandidateProcess::State::come_to_rest(const timespec& window) {
  const auto limit = Clock::now() + rest_limit;
  for (;;) {
    rest = Rest(child->pid());
    pollfd entry{child->pidfd(), POLLIN, 0};
    ::ppoll(&entry, 1, &window, nullptr);
    if (auto failure = ended()) return failure;
    if (rest.is_whole() && rest.holds(Threads::all)) return std::nullopt;
    if (Clock::now() < limit) continue;
    child->kill();
    return failure(
        fmt::format("BACKGROUND_WORK: a thread still uses CPU time {} after its call had returned",
                    human_time(std::chrono::nanoseconds(rest_limit).count())));
  }
}

Failure CandidateProcess::State::still_at_rest(Threads which) {
  if (rest.holds(which)) return std::nullopt;
  child->kill();
  return failure("BACKGROUND_WORK: it used CPU time between two calls");
}

// All its threads have slept since the inputs came, which are right but for the canaries when it is
// woken. Nobody but its first thread may work until the call begins, and that thread's CPU time
// counts (take_call).
Failure CandidateProcess::State::take_turns(double& nanoseconds, Aside& aside) {
  const double limit = plan.limits.call_seconds;
  Canaries canaries(seen, fresh_secret());
  const std::uint64_t number = worker::number_of(Turn::call, fresh_secret());
  const CallWatch waiting = watch(limit, limit);
  if (!worker_spins()) canaries.repair();
  if (auto failure = still_at_rest(Threads::all)) return failure;
  if (worker_spins()) {
    if (auto failure = wake_up()) return failure;
    if (auto failure = still_at_rest(Threads::but_first)) return failure;
    canaries.repair();
  }
  if (plan.gpu) {
    if (auto failure = turn(Turn::copy, aside.copy)) return failure;
    if (auto failure = failed()) return failure;
  }
  if (auto failure = turn(number, waiting, nanoseconds)) return failure;
  if (!plan.gpu) return std::nullopt;
  // Outputs on a GPU are fetched after the call, outside of its time. A call that failed has said
  // why, and nothing is fetched then.
  if (auto failure = failed()) return failure;
  return turn(Turn::fetch, aside.fetch);
}

Failure CandidateProcess::State::failed() const {
  const auto answer = __atomic_load_n(&control().answer, __ATOMIC_ACQUIRE);
  if (answer == worker::Answer::none) return std::nullopt;
  return failure_of_answer(control(), names);
}

// The kernel's account of CPU time is exact from rest to rest.
Failure CandidateProcess::State::take_call(double& nanoseconds, Aside& aside) {
  const double limit = plan.limits.call_seconds;
  const std::uint64_t used_before = rest.first_ns();
  if (auto failure = take_turns(nanoseconds, aside)) return failure;
  if (snapshot) {
    snapshot->probe();
    snapshot->take();
  }
  if (snapshot && !plan.destination_passing) {
    const worker::Argument* const first = control().results;
    results.assign(first, first + outputs.views().size());
  }
  if (auto failure = wait_answer(limit, limit)) return failure;
  if (auto failure = come_to_rest(idle_window)) return failure;
  aside.cpu =
      static_cast<double>(rest.first_ns() - used_before) - nanoseconds - aside.copy - aside.fetch;
  return std::nullopt;
}

Failure CandidateProcess::State::look_back() const {
  if (const std::string name = snapshot->done_early(); !name.empty()) {
    return failure(fmt::format(
        "EARLY_DONE: output \"{}\" changed just after the call had said that it was done", name));
  }
  if (const std::string name = snapshot->changed_since(); !name.empty()) {
    return failure(fmt::format(
        "LATE_WRITE: output \"{}\" changed after the call had said that it was done", name));
  }
  const auto* const now = reinterpret_cast<const std::byte*>(control().results);
  if (std::memcmp(results.data(), now, results.size() * sizeof(worker::Argument)) != 0)
    return failure(
        "EARLY_DONE: what was returned changed after the call had said that it was done");
  return std::nullopt;
}

Failure CandidateProcess::measure_overhead(double& nanoseconds) {
  State& s = *state_;
  // The stage still has inputs of the solution before this one, which are of the same pool.
  if (s.stage.size() > 0) std::memset(s.stage.data(), 0, s.stage.size());
  std::vector<double> times(null_calls);
  std::vector<Aside> asides(null_calls);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (auto failure = s.arm(Command::null)) return failure;
    if (auto failure = s.come_to_rest(short_window)) return failure;
    if (auto failure = s.take_call(times[i], asides[i])) return failure;
  }
  const auto usual = [&asides](double Aside::*part) {
    std::vector<double> all;
    for (const Aside& aside : asides) all.push_back(aside.*part);
    return median(std::move(all));
  };
  nanoseconds = median(times);
  s.usual = {std::max(usual(&Aside::cpu), 0.0), usual(&Aside::copy), usual(&Aside::fetch)};
  return std::nullopt;
}

Failure CandidateProcess::audit(const Inputs& inputs, double& nanoseconds) {
  State& s = *state_;
  const bool is_first = s.snapshot == nullptr;  // a library may have work to end after its load
  if (auto failure = is_first ? s.come_to_rest(idle_window) : s.still_at_rest(Threads::all))
    return failure;
  s.set_arguments(inputs);
  s.outputs.poison(fresh_secret());
  s.set_patterns();
  s.snapshot = std::make_unique<Snapshot>(s.outputs, fresh_secret());
  if (auto failure = s.arm(Command::audit)) return failure;
  if (auto failure = s.come_to_rest(short_window)) return failure;
  s.lay_out(inputs);
  Aside aside;
  if (auto failure = s.take_call(nanoseconds, aside)) return failure;
  // A candidate that works on the ways there and back, or before its call, pays for that time.
  nanoseconds += std::max(aside.cpu - most_aside * s.usual.cpu, 0.0) +
                 std::max(aside.copy - s.usual.copy, 0.0) +
                 std::max(aside.fetch - s.usual.fetch, 0.0);
  if (auto failure = s.look_back()) return failure;
  s.outputs.read_from(s.snapshot->data());
  if (!s.plan.destination_passing) store_numbers(s.control(), s.outputs);
  return std::nullopt;
}

}  // namespace kbench

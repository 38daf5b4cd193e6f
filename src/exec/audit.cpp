// Audited calls: each is timed by the judge and checked, with inputs that are complete only when it
// begins.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>

#include "base/secret.hpp"
#include "base/text.hpp"
#include "exec/candidate_state.hpp"
#include "exec/results.hpp"

namespace kbench {
namespace {

using Failure = std::optional<CandidateFailure>;
using worker::Command;
using worker::Turn;

constexpr int null_calls = 64;
constexpr int most_pings = 20;
constexpr double quick_ns = 10'000;
constexpr timespec idle_window{0, 300'000};  // for so long it uses no CPU time

CandidateFailure failure(std::string cause) { return {Status::runtime_error, std::move(cause)}; }

CandidateFailure background_work() {
  return failure("BACKGROUND_WORK: it used CPU time between two calls");
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Failure CandidateProcess::State::wake_up() {
  double nanoseconds = 0;
  for (int i = 0; judge_spins() && i < most_pings; ++i) {
    if (auto failure = turn(Turn::ping, nanoseconds)) return failure;
    if (nanoseconds < quick_ns) break;
  }
  return std::nullopt;
}

Failure CandidateProcess::State::hand_over(Canaries& canaries, double& nanoseconds) {
  // Whoever looked at the inputs while they came has used CPU time; the first thread waits.
  if (auto failure = still_at_rest(Threads::but_first)) return failure;
  if (auto failure = wake_up()) return failure;
  canaries.repair();
  if (plan.gpu || !plan.scratch_inputs.empty()) {
    if (auto failure = turn(Turn::copy, nanoseconds)) return failure;
  }
  if (auto failure = turn(Turn::call, nanoseconds)) return failure;
  if (plan.gpu) {
    if (auto failure = fetch(nanoseconds)) return failure;
  }
  snapshot->probe();
  snapshot->take();
  if (!plan.destination_passing) {
    const worker::Argument* const first = control().results;
    results.assign(first, first + outputs.views().size());
  }
  return std::nullopt;
}

// What lies on a GPU comes after the call, outside of its time; but who uses the way back to go on
// with the call pays for that.
Failure CandidateProcess::State::fetch(double& nanoseconds) {
  double taken = 0;
  // A call that failed has said why, and nothing is fetched then.
  const auto answer = __atomic_load_n(&control().answer, __ATOMIC_ACQUIRE);
  if (answer != worker::Answer::none) return failure_of_answer(control(), names);
  if (auto failure = turn(Turn::fetch, taken)) return failure;
  nanoseconds += std::max(taken - usual_fetch_ns, 0.0);
  return std::nullopt;
}

// Between command and readiness, when the inputs are there, the first thread may run, and nobody
// looks at it. But of the CPU time that it has used when it rests again, all is accounted for but
// that: from readiness to the call's end it spun or worked.
Failure CandidateProcess::State::come_to_rest() {
  const auto limit = Clock::now() + rest_limit;
  ThreadUse before = use_of(child->pid(), Threads::all);
  for (;;) {
    pollfd entry{child->pidfd(), POLLIN, 0};
    ::ppoll(&entry, 1, &idle_window, nullptr);
    if (auto failure = ended()) return failure;
    const ThreadUse now = use_of(child->pid(), Threads::all);
    if (!now.runs && now == before) break;
    before = now;
    if (Clock::now() < limit) continue;
    child->kill();
    return failure(
        fmt::format("BACKGROUND_WORK: a thread still uses CPU time {} after its call had returned",
                    human_time(std::chrono::nanoseconds(rest_limit).count())));
  }
  const auto first_used = [this] { return all_at_rest.nanoseconds - others_at_rest.nanoseconds; };
  const std::uint64_t used_before = first_used();
  all_at_rest = before;
  others_at_rest = use_of(child->pid(), Threads::but_first);
  const std::chrono::duration<double, std::nano> accounted = accounted_to - accounted_from;
  unaccounted_ns = static_cast<double>(first_used() - used_before) - accounted.count();
  return std::nullopt;
}

Failure CandidateProcess::State::still_at_rest(Threads which) const {
  const ThreadUse& before = which == Threads::all ? all_at_rest : others_at_rest;
  if (use_of(child->pid(), which) == before) return std::nullopt;
  child->kill();
  return background_work();
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
  std::vector<double> times(null_calls), unaccounted, fetches;
  if (auto failure = s.come_to_rest()) return failure;
  for (double& time : times) {
    if (auto failure = s.arm(Command::null)) return failure;
    if (auto failure = s.wake_up()) return failure;
    if (auto failure = s.turn(Turn::call, time)) return failure;
    if (s.plan.gpu) {
      if (auto failure = s.turn(Turn::fetch, fetches.emplace_back())) return failure;
    }
    const double limit = s.plan.limits.call_seconds;
    if (auto failure = s.wait_answer(limit, limit)) return failure;
    if (auto failure = s.come_to_rest()) return failure;
    unaccounted.push_back(s.unaccounted_ns);
  }
  nanoseconds = median(times);
  s.usually_unaccounted_ns = median(unaccounted);
  if (!fetches.empty()) s.usual_fetch_ns = median(fetches);
  return std::nullopt;
}

Failure CandidateProcess::audit(const Inputs& inputs, double& nanoseconds) {
  State& s = *state_;
  const bool is_first = s.snapshot == nullptr;  // a library may have work to end after its load
  if (is_first) {
    if (auto failure = s.come_to_rest()) return failure;
  } else if (auto failure = s.still_at_rest(Threads::all)) {
    return failure;
  }
  Canaries canaries(inputs, s.stage.data(), fresh_secret());
  s.set_arguments(inputs);
  s.outputs.poison(fresh_secret());
  s.set_patterns();
  s.snapshot = std::make_unique<Snapshot>(s.outputs, fresh_secret());
  if (auto failure = s.arm(Command::audit)) return failure;
  if (auto failure = s.hand_over(canaries, nanoseconds)) return failure;
  const double limit = s.plan.limits.call_seconds;
  if (auto failure = s.wait_answer(limit, limit)) return failure;
  if (auto failure = s.come_to_rest()) return failure;
  nanoseconds += std::max(s.unaccounted_ns - 2 * s.usually_unaccounted_ns, 0.0);
  if (auto failure = s.look_back()) return failure;
  s.outputs.read_from(s.snapshot->data());
  if (!s.plan.destination_passing) store_numbers(s.control(), s.outputs);
  return std::nullopt;
}

}  // namespace kbench

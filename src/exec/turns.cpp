// Turns: work that the judge has a worker do without a new command, an audited call or epochs.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/parallel.hpp"
#include "base/system.hpp"
#include "exec/arguments.hpp"
#include "exec/candidate_state.hpp"

namespace kbench {
namespace {

using Failure = std::optional<CandidateFailure>;
using worker::Command;
using worker::Turn;

// CPU time beyond that of a turn, from the judge's sight. A worker that wants to slow another has
// to do so turn after turn.
constexpr double most_at_rest_ns = 5000;
constexpr int most_busy_rests = 3;  // limit for a process

// CPU time of all its threads, nanoseconds; 0 when it is gone.
double used_ns(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) * 1e9 + static_cast<double>(used.tv_nsec);
}

bool are_sane(const std::vector<double>& samples) {
  return std::all_of(samples.begin(), samples.end(),
                     [](double ns) { return ns >= 0 && ns < longest_sample_ns; });
}

// Tells by /proc/PID/stat whether it runs, or wants to. False when the process is gone.
bool first_thread_runs(int stat) {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(stat, text.data(), text.size(), 0);
  const std::string_view line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const auto name_end = line.rfind(')');
  return name_end != line.npos && line.substr(name_end).starts_with(") R");
}

}  // namespace

// Looks at the worker now and then, more rarely the longer it takes: a look costs a microsecond.
Failure CandidateProcess::State::spin_for(const std::uint64_t& word, std::uint64_t value,
                                          CallWatch& watch) {
  constexpr Clock::duration first = std::chrono::microseconds(100);
  constexpr Clock::duration last = std::chrono::milliseconds(50);
  const auto begin = Clock::now();
  auto next = begin + first;
  const std::uint64_t printed_before = printed;
  std::optional<double> limit;
  for (;;) {
    for (int i = 0; i < 64; ++i) {
      if (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == value) return std::nullopt;
      pause_briefly();
    }
    if (Clock::now() < next) continue;
    if (look(watch, limit, 0) == Sight::gone) return end(limit);
    const auto now = Clock::now();
    const bool is_printing = printed != printed_before;  // it waits for room in a pipe
    next = now + (is_printing ? first : std::clamp((now - begin) / 16, first, last));
  }
}

Failure CandidateProcess::State::await(const std::uint64_t& word, std::uint64_t value,
                                       CallWatch& watch) {
  return judge_spins() ? spin_for(word, value, watch) : wait_for(word, value, watch);
}

Failure CandidateProcess::State::arm(Command what) {
  send(what);
  CallWatch waiting = watch(plan.limits.call_seconds, plan.limits.call_seconds);
  worker_sleeps = true;
  return await(control().armed.value, commanded, waiting);
}

// The calls of one turn are milliseconds together, or one call: twice a call's limit is enough, and
// the count of calls may be forged.
Failure CandidateProcess::State::turn(Turn what, double& nanoseconds) {
  const double limit = plan.limits.call_seconds;
  return turn(what, what == Turn::epochs ? 2 * limit : limit, nanoseconds);
}

Failure CandidateProcess::State::turn(Turn what, double whole_limit, double& nanoseconds) {
  return turn(worker::number_of(what, fresh_secret()), watch(plan.limits.call_seconds, whole_limit),
              nanoseconds);
}

Failure CandidateProcess::State::turn(std::uint64_t number, CallWatch waiting,
                                      double& nanoseconds) {
  worker::Control& c = control();
  const auto begin = Clock::now();
  __atomic_store_n(&c.go.value, number, __ATOMIC_RELEASE);
  if (worker_sleeps) wake();
  Failure failure = await(c.done.value, number, waiting);
  const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
  nanoseconds = taken.count();
  worker_sleeps = !worker_spins();
  return failure;
}

// A candidate may say that a turn is done before it is. A worker that failed answers.
Failure CandidateProcess::State::wait_samples(std::uint32_t count) {
  const auto has_all = [&] {
    return __atomic_load_n(&control().sample_count, __ATOMIC_ACQUIRE) >= count;
  };
  const auto has_answered = [&] {
    return __atomic_load_n(&control().answered.value, __ATOMIC_ACQUIRE) == commanded;
  };
  CallWatch waiting = watch(plan.limits.call_seconds, 2 * plan.limits.call_seconds);
  std::optional<double> limit;
  while (!has_all()) {
    if (has_answered()) return failure_of_answer(control(), names);
    if (look(waiting, limit, 1) == Sight::gone) return end(limit);
  }
  return std::nullopt;
}

bool CandidateProcess::was_single_threaded() const {
  return kbench::was_single_threaded(state_->child->pid());
}

bool CandidateProcess::keep_to(const CoreSplit& cores) {
  const std::vector<int> all = cores.is_pinned() ? cores.worker : usable_cores();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : all) CPU_SET(core, &set);
  if (::sched_setaffinity(state_->child->pid(), sizeof set, &set) != 0) return false;
  state_->plan.cores = cores;
  return true;
}

Failure CandidateProcess::begin_timing(std::uint64_t secret) {
  state_->outputs.poison(secret);
  state_->set_patterns();
  return state_->arm(Command::time);
}

// Its first thread is on its way to sleep, a longer one where others keep it from running. Other
// threads have nothing to do on one core: their CPU time counts when the next turn begins.
Failure CandidateProcess::rest() {
  State& s = *state_;
  // Threads on several cores may be OpenMP's, which spin for long while they wait for work. A GPU's
  // driver has threads of its own.
  if (s.plan.gpu || s.plan.cores.worker.size() != 1) return std::nullopt;
  const auto limit = State::Clock::now() + rest_limit;
  if (!s.stat)
    s.stat = Fd(::open(fmt::format("/proc/{}/stat", s.child->pid()).c_str(), O_RDONLY | O_CLOEXEC));
  double used = 0;
  do {
    if (State::Clock::now() > limit) return s.still_works();
    used = used_ns(s.child->pid());
    for (int i = 0; i < 16; ++i) pause_briefly();
  } while (first_thread_runs(s.stat.get()) || used_ns(s.child->pid()) != used);
  // The kernel's account may lag behind by the whole turn, so it is the turn's begin that counts.
  const std::chrono::duration<double, std::nano> awake = State::Clock::now() - s.turn_began;
  s.most_used_ns = s.used_before_turn_ns + awake.count() + most_at_rest_ns;
  return std::nullopt;
}

Failure CandidateProcess::run_epochs(const Epochs& epochs, std::vector<double>& samples_ns) {
  State& s = *state_;
  s.used_before_turn_ns = used_ns(s.child->pid());
  s.turn_began = State::Clock::now();
  if (const auto most = std::exchange(s.most_used_ns, std::nullopt)) {
    s.busy_rests += s.used_before_turn_ns > *most ? 1 : 0;
    if (s.busy_rests > most_busy_rests)
      return CandidateFailure{Status::runtime_error,
                              "BACKGROUND_WORK: it used CPU time while another one was timed"};
  }
  worker::Control& control = s.control();
  control.epochs = epochs;
  control.sample_count = 0;
  double turn_ns = 0;
  if (auto failure = s.turn(Turn::epochs, turn_ns)) return failure;
  // A device may keep no records: then there are no samples.
  const bool may_lack = epochs.kind == CallKind::activity;
  if (auto failure = s.wait_samples(may_lack ? 0 : epochs.samples)) return failure;
  const auto count = std::min<std::size_t>(control.sample_count, worker::max_samples);
  samples_ns.assign(control.samples_ns, control.samples_ns + count);
  const bool is_whole = count == epochs.samples || may_lack;
  if (is_whole && are_sane(samples_ns)) return std::nullopt;
  return CandidateFailure{Status::runtime_error, "PROTOCOL_ERROR: the samples make no sense"};
}

// Google Benchmark makes as many calls as fill the least time, or one, for each repetition, and
// some more to find out how many those are. One that takes longer has become slower.
Failure CandidateProcess::run_google_benchmark(const Repetitions& asked, std::string& report) {
  constexpr double longer = 10;
  State& s = *state_;
  worker::Control& control = s.control();
  control.repetitions = asked;
  control.sample_count = 0;
  control.report_size = 0;
  const double limit =
      (asked.count + 2) * s.plan.limits.call_seconds + longer * asked.count * asked.min_seconds;
  double turn_ns = 0;
  if (auto failure = s.turn(Turn::google_benchmark, limit, turn_ns)) return failure;
  if (auto failure = s.wait_samples(asked.count)) return failure;
  const auto size = std::min<std::size_t>(control.report_size, sizeof control.report);
  report.assign(control.report, ::strnlen(control.report, size));
  return std::nullopt;
}

Failure CandidateProcess::poison_outputs(std::uint64_t secret) {
  if (!state_->plan.destination_passing) return std::nullopt;
  state_->outputs.poison(secret);
  double turn_ns = 0;
  return state_->plan.gpu ? state_->turn(Turn::copy, turn_ns) : std::nullopt;
}

Failure CandidateProcess::end_timing() {
  State& s = *state_;
  double turn_ns = 0;
  if (auto failure = s.turn(Turn::end, turn_ns)) return failure;
  const double limit = s.plan.limits.call_seconds;
  if (auto failure = s.wait_answer(limit, limit)) return failure;
  if (!s.plan.destination_passing) store_numbers(s.control(), s.outputs);
  return s.wait_rest();
}

}  // namespace kbench

// The judge's side of one worker, as candidate_process.cpp and audit.cpp share it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/work_folder.hpp"
#include "exec/candidate_process.hpp"
#include "exec/failure.hpp"
#include "exec/poisoned_outputs.hpp"
#include "exec/waiting.hpp"
#include "problem/worker_protocol.hpp"
#include "sandbox/process.hpp"

namespace kbench {

// Time that threads may take to sleep after a call. OpenMP's spin for a fifth of a second.
constexpr auto rest_limit = std::chrono::seconds(2);

// Times around an audited call that are not its own, nanoseconds.
struct Aside {
  double cpu = 0;    // CPU time of its first thread before and after
  double copy = 0;   // the inputs' way to a GPU
  double fetch = 0;  // the outputs' way back
};

struct CandidateProcess::State {
  using Clock = std::chrono::steady_clock;

  State(const CandidatePlan& plan, SharedMemory& stage, PoisonedOutputs& outputs);

  CandidatePlan plan;
  TensorNames names;
  std::vector<std::string> scalars;  // HostRequest::scalars
  SharedMemory& stage;
  PoisonedOutputs& outputs;
  WorkFolder scratch{temporary_folder(), scratch_prefix};
  SharedMemory control_memory{"kbench control", sizeof(worker::Control)};
  SharedMemory scratch_memory{"kbench scratch inputs", 0};  // holds the inputs that it may write to
  std::vector<std::pair<std::size_t, std::size_t>> scratch_places;  // offset and bytes of these
  std::vector<SeenTensor> seen;                                     // all inputs
  Fd done;
  Fd log_end;
  std::string log;
  std::string tail;      // end of its output, where a sanitizer, a tool or the emulation reports
  bool is_over = false;  // it was ended in order
  std::uint64_t printed = 0;
  std::unique_ptr<ChildProcess> child;
  Clock::time_point next_disk_look = {};
  std::string unlaunchable;  // reason that the kernel has no launch with this workload
  double answer_ns = 0;      // time from the last command to its answer
  std::optional<double> prepare_ns;
  std::uint64_t commanded = 0;  // the number of the last command: the worker's copy may be forged
  // Audited calls:
  Rest rest;                  // state of its threads when they last slept
  bool worker_sleeps = true;  // it has to be woken for its next turn
  Aside usual;                // medians of the calls without a candidate
  // Turns among others': its CPU time when a turn began, and the most that it may have used when
  // the next one begins, in nanoseconds.
  double used_before_turn_ns = 0;
  Clock::time_point turn_began;
  std::optional<double> most_used_ns;
  int busy_rests = 0;                     // rests in which it used more
  Fd stat;                                // /proc/PID/stat
  std::vector<worker::Argument> results;  // value-returning: as described when the call was done
  std::unique_ptr<Snapshot> snapshot;

  worker::Control& control() const {
    return *reinterpret_cast<worker::Control*>(control_memory.data());
  }
  void set_plan();
  void set_places(const Inputs& layout);
  void lay_out(const Inputs& inputs);  // copies each to where the candidate sees it
  void set_arguments(const Inputs& inputs);
  // Copies the stage's values over the inputs that it may write to.
  void refresh_scratch();
  void set_launch(std::variant<worker::KernelLaunch, std::string> bound);

  void start();
  void drain_log();
  void read_log(short events);  // `events` as poll(2) has them
  void take_events() const;
  // Tells whether its folder has grown over its limit at level B, where no file system limits it.
  bool fills_disk() const;
  bool fills_disk(Clock::time_point now);  // looks now and then only
  // Throws ServiceFailure where the worker's program does not start here, whatever it is to load.
  void check_program() const;
  // Ends it and returns what it died of; `limit` is the one that was over, seconds.
  CandidateFailure end(std::optional<double> limit);
  std::optional<CandidateFailure> ended();
  // Returns what its sanitizer says of its death, if anything.
  std::optional<CandidateFailure> sanitizer_failure(const Death& death);
  // Returns what the emulation of CUDA says of it, if anything. Throws NotEmulated where the
  // emulation does not know something.
  std::optional<CandidateFailure> emulation_failure(const Death& death) const;
  void start_sanitizer(ProcessPlan& process) const;
  void limit_sanitized_memory();
  // ---- under a tool: gpu_tool.cpp ----
  void start_under_tool(ProcessPlan& process) const;
  // Puts the worker's end in the place of the tool's. Throws where the tool never started a worker.
  void see_through_tool(Death& death) const;

  // Sight of the worker after at most `milliseconds` of waiting.
  enum class Sight { nothing, woken, gone };
  Sight look(CallWatch& watch, std::optional<double>& limit, int milliseconds);
  // Sleeps until `word` is `value`. Returns a failure where it will never be.
  std::optional<CandidateFailure> wait_for(const std::uint64_t& word, std::uint64_t value,
                                           CallWatch& watch);
  // Waits by looking all the time.
  std::optional<CandidateFailure> spin_for(const std::uint64_t& word, std::uint64_t value,
                                           CallWatch& watch);
  CallWatch watch(double call_limit, double whole_limit) const;

  // Has it prepare itself before its calls: preparation.cpp.
  std::optional<CandidateFailure> prepare();

  void set_patterns();
  void send(worker::Command what);
  void wake();
  // The answer to the last command.
  std::optional<CandidateFailure> wait_answer(double call_limit, double whole_limit);
  std::optional<CandidateFailure> wait_rest();
  CandidateFailure still_works();  // it did not rest in time: it is ended
  std::optional<CandidateFailure> command(worker::Command what, double whole_limit);

  // ---- turns: turns.cpp ----
  // The judge spins where it has a core of its own; the worker only in audited calls: its core is
  // another's, too, when two are compared.
  bool judge_spins() const { return plan.cores.is_pinned(); }
  bool worker_spins() const { return plan.is_audited && judge_spins(); }
  // Spins or sleeps until `word` is `value`.
  std::optional<CandidateFailure> await(const std::uint64_t& word, std::uint64_t value,
                                        CallWatch& watch);
  // The worker is ready for its turns when this returns.
  std::optional<CandidateFailure> arm(worker::Command what);
  // Takes one turn, nanoseconds by the judge's clock.
  std::optional<CandidateFailure> turn(worker::Turn what, double& nanoseconds);
  std::optional<CandidateFailure> turn(worker::Turn what, double whole_limit, double& nanoseconds);
  // `number` is from number_of().
  std::optional<CandidateFailure> turn(std::uint64_t number, CallWatch waiting,
                                       double& nanoseconds);
  // Waits for the samples after a turn of epochs.
  std::optional<CandidateFailure> wait_samples(std::uint32_t count);

  // ---- audited calls: audit.cpp ----
  // Waits until all its threads have slept for so long: `rest` says so.
  std::optional<CandidateFailure> come_to_rest(const timespec& window);
  std::optional<CandidateFailure> still_at_rest(Threads which);
  // Takes turns without work until one is quick: both sides have their cores then.
  std::optional<CandidateFailure> wake_up();
  // Makes the call that it is armed for, from rest to rest, on inputs that are there: its time, and
  // those around it.
  std::optional<CandidateFailure> take_call(double& nanoseconds, Aside& aside);
  // Takes the turn that is timed, and those around it where there is a GPU.
  std::optional<CandidateFailure> take_turns(double& nanoseconds, Aside& aside);
  // Failure of the call, nothing where it has not failed.
  std::optional<CandidateFailure> failed() const;
  // Failure where the outputs or results are not what they were when the call was done.
  std::optional<CandidateFailure> look_back() const;

 private:
  CgroupLimits group_limits() const;
  bool is_forked() const;
  std::unique_ptr<ChildProcess> fork_worker(std::vector<int> fds, int output) const;
  ProcessPlan worker_plan(const std::vector<int>& fds, int output) const;
  std::unique_ptr<ChildProcess> fork_in_host(std::vector<int> fds, int output) const;
};

}  // namespace kbench

#include "worker/session.hpp"

#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "sandbox/filter.hpp"
#include "worker/mapping.hpp"
#include "worker/rank.hpp"
#include "worker/turns.hpp"

namespace kbench::worker {
namespace {

bool has_children() {
  pid_t ended = 0;
  do ended = ::waitpid(-1, nullptr, WNOHANG);
  while (ended > 0);
  return ended == 0;
}

}  // namespace

bool work_alone(const Control& control, bool has_devices) {
  return install(control.is_held != 0 ? only_itself(has_devices) : no_processes());
}

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void end_programs(Control& control, bool has_devices) {
  if (has_children()) {
    say(control, Answer::call_failed,
        "LEFT_PROCESS: a process that the first call had started still runs");
  } else if (!work_alone(control, has_devices)) {
    say(control, Answer::call_failed, "the kernel takes no filter of system calls");
  }
}

namespace {

Control* shared = nullptr;  // the signal handler finds it here

// Leaves the place of a fault for the judge, then lets the signal end the process as it would have.
void on_fault(int signal, siginfo_t* info, void*) {
  shared->fault_signal = signal;
  shared->fault_code = info->si_code;
  shared->fault_phase = shared->phase;
  shared->fault_address = reinterpret_cast<std::uint64_t>(info->si_addr);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Tells the judge that memory ran out, which what follows (bad_alloc, abort) does not say by
// itself.
void on_no_memory() {
  shared->out_of_memory = 1;
  std::set_new_handler(nullptr);
}

void watch_faults() {
  if (shared->is_sanitized != 0) return;
  std::set_new_handler(&on_no_memory);
  static std::array<char, 65536> stack;  // the fault may be the normal stack's end
  const stack_t alternate{stack.data(), 0, stack.size()};
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigaction(signal, &action, nullptr);
}

// Keeps memory that a call frees for the next one, as in a process that has run for long. Otherwise
// the start of the heap decides whether the C library gives it back after each call: the next one
// then meets all its pages for the first time, and takes up to three times as long, in this
// process.
void keep_freed_memory() {
  constexpr int most = 32 << 20;  // limit that the C library accepts
  ::mallopt(M_MMAP_THRESHOLD, most);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void wait_for_command() {
  while (read_word(shared->commanded) == read_word(shared->answered.value)) wait_for_judge(*shared);
}

void report() {
  shared->phase = Phase::waiting;
  set_word(shared->answered.value, shared->commanded);
  wake_judge(*shared);
}

bool map_tensors(Control& control, std::vector<MappedTensor>& inputs,
                 std::vector<MappedTensor>& outputs) {
  if (control.input_count > max_arguments || control.output_count > max_arguments) return false;
  for (int i = 0; i < control.input_count; ++i) {
    const Argument& input = control.inputs[i];
    const bool tensor = input.kind == ArgumentKind::tensor;
    if (!tensor) {
      inputs.push_back({});
    } else {
      const bool is_scratch = input.is_scratch != 0;
      inputs.push_back(map_tensor(is_scratch ? scratch_fd : inputs_fd, input, is_scratch));
      if (inputs.back().data == nullptr) return false;
      close_around(inputs.back().pages, inputs.back().data, input.bytes);
    }
    control.input_addresses[i] = reinterpret_cast<std::uint64_t>(inputs.back().data);
  }
  for (int i = 0; i < control.output_count; ++i) {
    outputs.push_back(map_tensor(outputs_fd, control.outputs[i], true));
    if (outputs.back().data == nullptr) return false;
    close_around(outputs.back().pages, outputs.back().data, control.outputs[i].bytes);
    control.output_addresses[i] = reinterpret_cast<std::uint64_t>(outputs.back().data);
  }
  return true;
}

// Subject of all that follows.
struct Work {
  Control& control;
  Candidate& candidate;
  const Engine& google_benchmark;
  Hardware& hardware;
  bool has_devices;
};

// Answers before the library is there: the cost of an audited call without one.
bool answer_null(const Work& work) {
  Turns turns{[&] { return work.hardware.send(); }, [&] { return work.hardware.wait(); },
              [] { return true; }};
  if (work.hardware.has_own_memory()) turns.fetch = [&] { return work.hardware.fetch(false); };
  const bool good = take_turns(work.control, turns);
  if (good) work.control.answer = Answer::done;
  return good;
}

// Audits a call: its results are in the outputs, for the judge, when it is done, or fetched.
bool audit(const Work& work) {
  Control& control = work.control;
  Candidate& candidate = work.candidate;
  const auto collect = [&] {
    if (control.destination_passing != 0) return true;
    control.phase = Phase::collecting;
    return candidate.finish_calls();
  };
  const auto call = [&] {
    // The device is waited for within the turn: the judge looks at once for later writes.
    if (!call_once(control, candidate)) return candidate.describe_error(), false;
    if (!work.hardware.wait()) return false;
    return work.hardware.has_own_memory() || collect();
  };
  Turns turns{[&] { return work.hardware.send(); }, call, [] { return true; }};
  if (work.hardware.has_own_memory())
    turns.fetch = [&] { return work.hardware.fetch(true) && collect(); };
  return take_turns(control, turns);
}

bool time(const Work& work) {
  const auto nothing = [] { return true; };
  return take_turns(work.control,
                    {[&] { return work.hardware.send(); }, nothing,
                     [&] { return work.hardware.run_epochs(work.control, work.candidate); },
                     [&] {
                       return work.google_benchmark &&
                              work.google_benchmark(work.control, work.candidate);
                     }});
}

bool call_profiled(const Work& work) {
  return work.hardware.show_profiler(true) && call_once(work.control, work.candidate) &&
         work.hardware.wait() && work.hardware.show_profiler(false);
}

bool make_calls(const Work& work) {
  if (work.control.command == Command::audit) return audit(work);
  if (work.control.command == Command::profile) return call_profiled(work);
  return work.control.command == Command::call ? call_once(work.control, work.candidate)
                                               : time(work);
}

// An audited call has fetched in a turn of its own.
bool fetch(const Work& work) {
  const bool is_audit = work.control.command == Command::audit;
  if (!is_audit && !work.hardware.wait()) return false;
  work.control.phase = Phase::collecting;
  return is_audit || work.hardware.fetch(work.control.command == Command::call);
}

void run(const Work& work) {
  Control& control = work.control;
  const bool is_judged = control.command != Command::time;
  control.answer = Answer::none;
  control.out_of_memory = 0;
  begin_meetings();
  std::set_new_handler(&on_no_memory);
  work.candidate.begin(is_judged);
  // The inputs of an audit are whole when their turn comes.
  if (control.command != Command::audit && !work.hardware.send()) return;
  control.phase = is_judged ? Phase::calling : Phase::timing;
  const bool called = make_calls(work);
  if (!called && control.answer == Answer::none) return work.candidate.describe_error();
  if (!called) return;
  // An audited call is watched by the judge itself for late writes, and protecting outputs is work
  // that is no part of the call.
  const bool is_finished = control.command == Command::audit;
  if (fetch(work) && (is_finished || work.candidate.finish_calls())) control.answer = Answer::done;
}

void prepare(const Work& work) {
  Control& control = work.control;
  control.answer = Answer::none;
  control.out_of_memory = 0;
  std::set_new_handler(&on_no_memory);
  control.phase = Phase::preparing;
  if (!work.candidate.prepare()) return work.candidate.describe_error();
  control.answer = Answer::done;
}

void answer_nulls(const Work& work) {
  for (wait_for_command(); work.control.command == Command::null; wait_for_command()) {
    answer_null(work);
    report();
  }
}

// Tells whether the device failed: so will all that follows, the process is of no use any more.
bool is_lost(const Control& control) { return control.answer == Answer::device_failed; }

// Loads the candidate and answers commands, until it is killed or nothing works any more.
void work_on(const Work& work, const Loader& loader, bool is_placed, bool starts_programs) {
  Control& control = work.control;
  control.phase = Phase::loading;
  const bool loaded = is_placed && work.candidate.load(loader);
  watch_faults();  // libtvm_ffi sets a handler of its own, which prints a backtrace
  if (loaded) control.answer = Answer::done;
  report();
  while (loaded && !is_lost(control)) {
    wait_for_command();
    if (control.command == Command::end) std::exit(0);  // those who watch the process expect that
    if (control.command == Command::prepare)
      prepare(work);
    else
      run(work);
    if (std::exchange(starts_programs, false)) end_programs(control, work.has_devices);
    report();
  }
}

}  // namespace

int serve(const Loader& loader, const Parts& parts) {
  shared = static_cast<Control*>(map_whole(control_fd, sizeof(Control), true));
  if (shared == nullptr) return 1;
  Control& control = *shared;
  std::vector<MappedTensor> inputs;
  std::vector<MappedTensor> outputs;
  if (!map_tensors(control, inputs, outputs)) return 1;
  // The candidate finds no descriptor that leads to the judge's memory.
  for (const int fd : {control_fd, inputs_fd, outputs_fd, scratch_fd}) ::close(fd);
  if (!take_seat(control)) return 1;
  watch_faults();
  keep_freed_memory();
  Hardware processor;
  Hardware& hardware = parts.hardware != nullptr ? *parts.hardware : processor;
  const bool is_placed = hardware.place(control, inputs, outputs);
  if (parts.starts_programs)
    adopt_orphans();
  else if (control.is_held != 0 && !work_alone(control, parts.hardware != nullptr))
    return 1;
  Candidate candidate(control, inputs, outputs, hardware);
  const Work work{control, candidate, parts.google_benchmark, hardware, parts.hardware != nullptr};
  if (is_placed && control.is_audited != 0) answer_nulls(work);
  work_on(work, loader, is_placed, parts.starts_programs);
  std::_Exit(0);  // destructors of the candidate's library are none of our business
}

}  // namespace kbench::worker

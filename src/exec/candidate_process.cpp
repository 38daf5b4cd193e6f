#include "exec/candidate_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "base/system.hpp"
#include "base/text.hpp"
#include "exec/arguments.hpp"
#include "exec/candidate_state.hpp"
#include "exec/gpu_tool.hpp"
#include "problem/launch.hpp"
#include "sandbox/service.hpp"

namespace kbench {
namespace {

using worker::Answer;
using worker::Command;
using worker::Control;
constexpr std::size_t log_bytes = 65536;
constexpr std::size_t tail_bytes = 65536;  // a sanitizer's report is shorter

Fd make_event() {
  Fd event(::eventfd(0, EFD_CLOEXEC));
  if (!event) fail_by_errno("eventfd");
  return event;
}

// The driver maps more addresses than any limit of them would allow, and starts threads of its own;
// what it compiles it keeps in no folder of the user's.
void show_gpu(const GpuPlan& gpu, ProcessPlan& process) {
  process.argv.insert(process.argv.end(), {gpu.driver, gpu.cupti});
  for (const std::string& setting :
       {"CUDA_VISIBLE_DEVICES=" + gpu.uuid, std::string("CUDA_CACHE_DISABLE=1")})
    process.environment.push_back(setting);
  process.limits.memory_bytes = 0;
  process.files.devices = gpu.devices;
  process.files.readable.insert(process.files.readable.end(), gpu.readable.begin(),
                                gpu.readable.end());
}

// Shows a process that a host forks what show_gpu() shows one that is started.
HostGpu hosted_gpu(const CandidatePlan& plan) {
  ProcessPlan shown;
  show_gpu(*plan.gpu, shown);
  name_calls(plan.label, shown);
  HostGpu gpu{plan.gpu->torch_device, plan.gpu->driver, plan.gpu->cupti, shown.environment, {}, {}};
  for (const auto& path : shown.files.devices) gpu.devices.push_back(path.string());
  for (const auto& path : shown.files.readable) gpu.readable.push_back(path.string());
  return gpu;
}

// Tells whether a loader missed a library: it ends like a shell that misses a program.
bool says_no_start(const ExitStatus& status) { return status.exited && status.code == 127; }

void copy_text(char* to, std::size_t size, const std::string& from) {
  if (from.size() >= size) throw std::runtime_error("path or symbol is too long: " + from);
  std::memcpy(to, from.c_str(), from.size() + 1);
}

// The name of an axis that is too long is cut: it is for people.
void set_rank(Control& control, const RankPlan& plan) {
  control.rank = plan.rank;
  control.rank_count = plan.count;
  control.ranks_meet = plan.meet ? 1 : 0;
  copy_text(control.rank_axis, sizeof control.rank_axis,
            plan.axis.substr(0, sizeof control.rank_axis - 1));
}

}  // namespace

CandidateProcess::State::State(const CandidatePlan& plan, SharedMemory& stage,
                               PoisonedOutputs& outputs)
    : plan(plan), stage(stage), outputs(outputs), done(make_event()) {}

void CandidateProcess::State::set_plan() {
  Control& c = control();
  copy_text(c.library, sizeof c.library, plan.library.string());
  copy_text(c.symbol, sizeof c.symbol, plan.symbol);
  copy_text(c.prepare, sizeof c.prepare, plan.prepare);
  c.destination_passing = plan.destination_passing ? 1 : 0;
  c.is_audited = plan.is_audited ? 1 : 0;
  c.spins = worker_spins() ? 1 : 0;
  c.commanded = commanded;
  c.is_sanitized = plan.sanitizers.which.any() ? 1 : 0;
  c.is_watched = plan.tool ? 1 : 0;
  c.copies = plan.gpu && !plan.tool ? plan.gpu->copies : 1;
  if (plan.rank && plan.host == nullptr) set_rank(c, *plan.rank);
  c.is_held = plan.limits.isolation != Isolation::limits ? 1 : 0;
}

void CandidateProcess::State::set_arguments(const Inputs& inputs) {
  describe_arguments(control(), inputs, outputs, plan.scratch_inputs);
  if (!plan.launch) add_parameters(control(), plan.configuration.runtime);
}

void CandidateProcess::State::set_launch(std::variant<worker::KernelLaunch, std::string> bound) {
  control().is_kernel = 1;
  if (const auto* sizes = std::get_if<worker::KernelLaunch>(&bound))
    control().launch = *sizes;
  else
    unlaunchable = std::get<std::string>(std::move(bound));
}

void CandidateProcess::State::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) fail_by_errno("pipe2");
  log_end = Fd(ends[0]);
  const Fd write_end(ends[1]);
  ::fcntl(write_end.get(), F_SETFL, 0);  // the candidate's side blocks
  std::vector<int> fds = {control_memory.fd(), stage.fd(), outputs.memory().fd(), done.get(),
                          scratch_memory.fd()};
  if (plan.rank && plan.host == nullptr) fds.push_back(plan.rank->hub->fd());
  if (plan.host != nullptr)
    child = fork_in_host(fds, write_end.get());
  else if (is_forked())
    child = fork_worker(fds, write_end.get());
  else
    child = std::make_unique<ChildProcess>(worker_plan(fds, write_end.get()));
}

// Tells whether a fork can be the worker: it lacks nothing then, and no tool misses its start.
bool CandidateProcess::State::is_forked() const {
  return plan.forks != nullptr && plan.limits.isolation == Isolation::namespaces &&
         !plan.sanitizers.which.any() && !plan.tool && !plan.gpu && !plan.rank;
}

std::unique_ptr<ChildProcess> CandidateProcess::State::fork_worker(std::vector<int> fds,
                                                                   int output) const {
  fds.push_back(output);
  const auto start = [this](int channel) {
    ProcessPlan process = worker_plan({channel}, -1);
    process.argv.emplace_back(forks_word);
    process.forks = true;
    ++process.limits.processes;
    return std::make_unique<ChildProcess>(process);
  };
  const auto& cores = plan.cores.worker;
  if (auto forked = plan.forks->fork(fds, cores.empty() ? usable_cores() : cores, start))
    return forked;
  check_program();
  throw ServiceFailure(fmt::format("{} ended before it had a worker", plan.worker.string()));
}

// A group's memory includes the tensors, where the worker is the first to touch them, and the
// sanitizer's shadow, whose size nobody can say beforehand.
CgroupLimits CandidateProcess::State::group_limits() const {
  constexpr std::uint64_t helpers = 3;  // tasks beside the worker's own at level A
  CgroupLimits limits;
  limits.tasks = plan.limits.processes + helpers;
  if (plan.limits.memory_bytes > 0 && !plan.sanitizers.which.address && !plan.tool) {
    limits.memory_bytes = plan.limits.memory_bytes + stage.size() + scratch_memory.size() +
                          outputs.memory().size() + worker::scratch_bytes;
  }
  return limits;
}

ProcessPlan CandidateProcess::State::worker_plan(const std::vector<int>& fds, int output) const {
  ProcessPlan process;
  process.argv = {plan.worker.string()};
  // Threads that spin at a barrier while another process has their core cost milliseconds a call.
  process.environment = {fmt::format("OMP_NUM_THREADS={}", plan.limits.threads),
                         "GOMP_SPINCOUNT=2000", "LC_ALL=C",
                         fmt::format("TMPDIR={}", scratch.path().string())};
  process.forbid_fork = true;
  process.directory = scratch.path();
  process.fds = fds;
  process.output = output;
  process.limits = {plan.limits.memory_bytes, plan.limits.file_bytes, plan.limits.processes, 256,
                    0};
  process.isolation = plan.limits.isolation;
  if (plan.limits.isolation != Isolation::limits) process.group = take_cgroup(group_limits());
  process.cores = plan.cores.worker;
  process.files.readable = system_libraries();
  process.files.readable.push_back(plan.worker);
  process.files.readable.push_back(plan.library);
  const auto& more = plan.limits.readable;
  process.files.readable.insert(process.files.readable.end(), more.begin(), more.end());
  process.files.private_bytes = worker::scratch_bytes;
  start_sanitizer(process);
  if (plan.emulation) process.files.own_program = plan.worker;  // faults find their lines by it
  if (plan.gpu) show_gpu(*plan.gpu, process);
  if (plan.gpu) name_calls(plan.label, process);
  if (plan.tool) start_under_tool(process);
  return process;
}

// The candidate shares the worker's memory and output, so what these say of a start that failed is
// not believed: the same program is started once more, without a candidate.
void CandidateProcess::State::check_program() const {
  constexpr std::size_t longest_words = 4096;
  const RunResult again = run_process(worker_plan({}, -1), std::chrono::seconds(60), longest_words);
  if (!says_no_start(again.status)) return;
  throw ServiceFailure(fmt::format("{} does not start: {}", plan.worker.string(),
                                   last_words(plan.worker.string(), again.status, again.output)));
}

std::unique_ptr<ChildProcess> CandidateProcess::State::fork_in_host(std::vector<int> fds,
                                                                    int output) const {
  HostRequest request;
  const std::size_t colons = plan.symbol.find("::");
  request.folder = plan.library.string();
  request.file = plan.symbol.substr(0, colons);
  request.function = plan.symbol.substr(colons + 2);
  request.prepare = plan.prepare;
  request.parameters = names.inputs;
  if (plan.destination_passing) {
    request.parameters.insert(request.parameters.end(), names.outputs.begin(), names.outputs.end());
  }
  request.scalars = scalars;
  request.outputs = names.outputs;
  request.directory = scratch.path();
  request.memory_bytes = plan.limits.memory_bytes;
  request.file_bytes = plan.limits.file_bytes;
  request.processes = plan.limits.processes;
  request.threads = plan.limits.threads;
  request.isolation = letter(plan.limits.isolation);
  if (plan.emulation) request.emulated_seconds = plan.emulation->limit_seconds;
  request.cores = plan.cores.worker;
  request.starts_compilers = plan.starts_compilers;
  request.compiler = plan.compiler.string();
  if (plan.gpu) request.gpu = hosted_gpu(plan);
  fds.push_back(output);
  return plan.host->fork_worker(request, fds);
}

void CandidateProcess::State::drain_log() {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(log_end.get(), buffer, sizeof buffer);
    if (n <= 0 || printed > plan.limits.output_bytes) return;
    printed += static_cast<std::uint64_t>(n);
    if (plan.sanitizers.which.any() || plan.tool || plan.emulation) {
      tail.append(buffer, static_cast<std::size_t>(n));
      if (tail.size() > 2 * tail_bytes) tail.erase(0, tail.size() - tail_bytes);
    }
    log.append(buffer,
               std::min(static_cast<std::size_t>(n), log_bytes - std::min(log_bytes, log.size())));
  }
}

void CandidateProcess::State::read_log(short events) {
  if (events & POLLIN) {
    drain_log();
  } else if (events & POLLHUP) {
    // A pipe whose other end is closed is always ready; what ended is then seen by the pidfd.
    log_end = Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
}

CandidateFailure CandidateProcess::State::end(std::optional<double> limit) {
  const auto status = child->wait({});
  drain_log();
  Death death;
  death.flooded = printed > plan.limits.output_bytes;
  death.timed_out = !status && !death.flooded && limit;
  death.filled_disk = !status && !death.flooded && !limit;  // nothing else ends one that lives
  death.seconds = limit.value_or(0);
  death.status = status ? *status : child->kill();
  drain_log();
  if (plan.tool) see_through_tool(death);
  if (auto failure = sanitizer_failure(death)) return *failure;
  if (auto failure = emulation_failure(death)) return *failure;
  if (says_no_start(death.status) && plan.host == nullptr && !plan.tool) check_program();
  death.out_of_memory = child->out_of_memory();
  death.peak_bytes = child->peak_bytes();
  death.memory_limit = plan.sanitizers.which.address ? 0 : plan.limits.memory_bytes;
  death.tensor_bytes = stage.size() + outputs.memory().size();
  return failure_of_death(control(), death, names);
}

std::optional<CandidateFailure> CandidateProcess::State::wait_answer(double call_limit,
                                                                     double whole_limit) {
  CallWatch waiting = watch(call_limit, whole_limit);
  const auto& answered = control().answered.value;
  auto failure = worker_spins() ? spin_for(answered, commanded, waiting)
                                : wait_for(answered, commanded, waiting);
  if (failure) return failure;
  return failure_of_answer(control(), names);
}

std::optional<CandidateFailure> CandidateProcess::State::ended() {
  if (is_over) return std::nullopt;
  if (child->wait({}) || fills_disk()) return end(std::nullopt);
  return std::nullopt;
}

// The threads of a call are part of it. A candidate that lets one go on is stopped; one that
// writes to the outputs has met their protection by the time it rests.
std::optional<CandidateFailure> CandidateProcess::State::wait_rest() {
  if (plan.tool) return ended();  // its own threads may have work
  const auto limit = Clock::now() + rest_limit;
  while (has_running_thread(child->pid())) {
    if (Clock::now() > limit) return still_works();
    const timespec moment{0, 100'000};
    pollfd entry{child->pidfd(), POLLIN, 0};
    ::ppoll(&entry, 1, &moment, nullptr);
  }
  return ended();
}

CandidateFailure CandidateProcess::State::still_works() {
  child->kill();
  return {Status::runtime_error,
          fmt::format("BACKGROUND_WORK: a thread still runs {} after its call had returned",
                      human_time(std::chrono::nanoseconds(rest_limit).count()))};
}

void CandidateProcess::State::send(worker::Command what) {
  Control& c = control();
  c.answer = Answer::none;
  c.command = what;
  if (what != Command::audit && what != Command::null) refresh_scratch();
  __atomic_store_n(&c.commanded, ++commanded, __ATOMIC_RELEASE);
  wake();
}

std::optional<CandidateFailure> CandidateProcess::State::command(worker::Command what,
                                                                 double whole_limit) {
  set_patterns();
  const auto begin = Clock::now();
  send(what);
  if (auto failure = wait_answer(plan.limits.call_seconds, whole_limit)) return failure;
  answer_ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  if (!plan.destination_passing) store_numbers(control(), outputs);
  return wait_rest();
}

void CandidateProcess::State::set_patterns() {
  Control& c = control();
  for (std::size_t i = 0; i < outputs.views().size(); ++i) c.patterns[i] = outputs.pattern(i);
  c.margin = outputs.margin();
  if (plan.emulation) c.emulation_seed = plan.emulation->seed + commanded;
}

CandidateProcess::CandidateProcess(const CandidatePlan& plan, const Problem& problem,
                                   const Inputs& layout, SharedMemory& stage,
                                   PoisonedOutputs& outputs)
    : state_(std::make_unique<State>(plan, stage, outputs)) {
  State& s = *state_;
  for (const InputPlan& input : problem.inputs) s.names.inputs.push_back(input.tensor.name);
  s.scalars = scalars_of(layout);
  for (const auto& [name, value] : plan.configuration.runtime) s.names.inputs.push_back(name);
  for (const TensorPlan& output : problem.outputs) s.names.outputs.push_back(output.name);
  s.commanded = plan.is_audited ? 0 : 1;  // the command to load, unless null calls come first
  s.set_plan();
  s.set_places(layout);
  s.set_arguments(layout);
  if (plan.launch) s.set_launch(bind_launch(*plan.launch, problem, plan.configuration));
  s.control_memory.seal_size();
  s.start();
}

CandidateProcess::~CandidateProcess() = default;

std::optional<CandidateFailure> CandidateProcess::call(const Inputs& inputs, std::uint64_t secret) {
  State& s = *state_;
  if (inputs.memory.size() > 0)
    std::memcpy(s.stage.data(), inputs.memory.data(), inputs.memory.size());
  s.set_arguments(inputs);
  s.outputs.poison(secret);
  return s.command(worker::Command::call, s.plan.limits.call_seconds);
}

double CandidateProcess::call_ns() const { return state_->answer_ns; }

std::vector<TensorView> CandidateProcess::outputs() const {
  const State& s = *state_;
  return s.plan.destination_passing ? s.outputs.views() : returned_views(s.control(), s.outputs);
}

std::optional<CandidateFailure> CandidateProcess::mismatch() const {
  const State& s = *state_;
  if (s.plan.destination_passing) return std::nullopt;
  return result_mismatch(s.control(), s.outputs);
}

std::optional<CandidateFailure> CandidateProcess::ended() { return state_->ended(); }

std::string CandidateProcess::log() const {
  State& s = *state_;
  s.drain_log();
  if (s.printed <= s.log.size()) return s.log;
  return s.log + fmt::format("\n[log truncated: {} printed]\n",
                             human_bytes(static_cast<double>(s.printed)));
}

}  // namespace kbench

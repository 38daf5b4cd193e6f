// Steps of a candidate before its first call: it is loaded, and prepares itself.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "base/file.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "exec/candidate_state.hpp"
#include "exec/sanitizer_report.hpp"

namespace kbench {

std::optional<CandidateFailure> CandidateProcess::load() {
  State& s = *state_;
  if (!s.unlaunchable.empty())
    return CandidateFailure{Status::runtime_error, "LAUNCH_ERROR: " + s.unlaunchable};
  if (s.plan.is_audited) s.send(worker::Command::load);
  const double limit = s.plan.limits.load_seconds;
  if (auto failure = s.wait_answer(limit, limit)) return failure;
  if (s.plan.sanitizers.which.address) s.limit_sanitized_memory();
  return s.plan.prepare.empty() ? std::nullopt : s.prepare();
}

std::optional<double> CandidateProcess::prepare_ns() const { return state_->prepare_ns; }

// Preparation may take as long as a call: it is no part of one, and is waited for once.
std::optional<CandidateFailure> CandidateProcess::State::prepare() {
  const auto begin = Clock::now();
  send(worker::Command::prepare);
  auto failure = wait_answer(plan.limits.call_seconds, plan.limits.call_seconds);
  if (!failure) prepare_ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  return failure;
}

// Places where a candidate sees its inputs: on the stage, or in memory that it may write to.

// Gives the inputs that it may write to memory of their own, laid out as the stage.
void CandidateProcess::State::set_places(const Inputs& layout) {
  const auto& written = plan.scratch_inputs;
  if (!written.empty()) scratch_memory = SharedMemory("kbench scratch inputs", stage.size());
  scratch_memory.seal_size();
  for (const BoundInput& input : layout.values) {
    if (input.scalar) continue;
    SeenTensor tensor{stage.data() + input.offset, input.tensor.bytes, input.tensor.dtype};
    if (std::find(written.begin(), written.end(), input.name) != written.end()) {
      tensor.data = scratch_memory.data() + input.offset;
      scratch_places.push_back({input.offset, input.tensor.bytes});
    }
    seen.push_back(tensor);
  }
}

void CandidateProcess::State::lay_out(const Inputs& inputs) {
  auto place = seen.begin();
  for (const BoundInput& input : inputs.values) {
    if (input.scalar) continue;
    if (place->bytes > 0) std::memcpy(place->data, input.tensor.data, place->bytes);
    ++place;
  }
}

void CandidateProcess::State::refresh_scratch() {
  for (const auto& [at, bytes] : scratch_places)
    std::memcpy(scratch_memory.data() + at, stage.data() + at, bytes);
}

// Workers of candidates that were built with sanitizers: their start, limit of memory and death.

namespace {

// The memory of a process that RLIMIT_DATA counts, bytes.
std::uint64_t counted_memory(pid_t pid) {
  constexpr std::string_view key = "VmData:";
  const std::string status = read_file(fmt::format("/proc/{}/status", pid));
  for (const std::string_view line : split(status, '\n')) {
    if (!line.starts_with(key)) continue;
    const std::string_view number = trim(line.substr(key.size()));
    std::uint64_t kibibytes = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), kibibytes);
    if (error == std::errc()) return kibibytes * 1024;
  }
  throw std::runtime_error("the kernel does not say how much memory the worker has");
}

}  // namespace

void CandidateProcess::State::start_sanitizer(ProcessPlan& process) const {
  const SanitizerPlan& sanitizers = plan.sanitizers;
  if (!sanitizers.which.any()) return;
  process.fixed_addresses = true;
  process.files.own_program = plan.worker;
  constexpr std::string_view common =
      "exitcode=77:color=never:print_summary=0:can_use_proc_maps_statm=0";
  process.environment.push_back(fmt::format("UBSAN_OPTIONS=halt_on_error=1:{}", common));
  if (!sanitizers.which.address) return;
  // The sanitizer's shadow would count, so the limit comes after it: limit_sanitized_memory().
  process.limits.memory_bytes = 0;
  process.environment.push_back(
      fmt::format("ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=64:{}", common));
  process.environment.push_back("LD_PRELOAD=" + sanitizers.runtime.string());
  process.files.readable.push_back(sanitizers.runtime);
}

// A worker that has ended meanwhile needs no limit: whoever waits for its next answer sees that.
void CandidateProcess::State::limit_sanitized_memory() try {
  const rlim_t bytes = counted_memory(child->pid()) + plan.limits.memory_bytes;
  const rlimit limit{bytes, bytes};
  if (::prlimit(child->pid(), RLIMIT_DATA, &limit, nullptr) != 0)
    fail_by_errno("the worker's limit of memory");
} catch (const std::exception&) {
  if (!child->wait({})) throw;
}

std::optional<CandidateFailure> CandidateProcess::State::sanitizer_failure(const Death& death) {
  if (!plan.sanitizers.which.any() || death.timed_out || death.flooded) return std::nullopt;
  const auto report = read_sanitizer_report(tail, plan.sanitizers.sources);
  if (!report) return std::nullopt;
  const bool is_cut = printed > log.size();
  if (is_cut) log += "\n[…]\n" + report->first_lines;
  return failure_of_report(*report, control(), names);
}

std::optional<CandidateFailure> CandidateProcess::State::emulation_failure(
    const Death& death) const {
  if (!plan.emulation || death.flooded) return std::nullopt;
  // A device may be quick where the emulation is slow: its timeout is no verdict.
  if (death.timed_out)
    throw NotEmulated(fmt::format("not emulated: it took longer than {} (--timeout)",
                                  human_time(death.seconds * 1e9)));
  if (!death.status.exited || death.status.code != emulation_exit_code) return std::nullopt;
  const auto report = read_emulation_report(tail);
  if (!report) return std::nullopt;
  if (report->kind == "NOT_EMULATED") throw NotEmulated("not emulated: " + report->text);
  return failure_of_report(*report, control());
}

}  // namespace kbench

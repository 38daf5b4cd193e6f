// Workers of candidates that were built with sanitizers: how they start, their limit of memory, and
// what they died of.
#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <stdexcept>
#include <system_error>

#include "base/errno_failure.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "exec/candidate_state.hpp"
#include "exec/emulation_report.hpp"

namespace kbench {
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
  // Its shadow would count, so the limit comes when that is there: limit_sanitized_memory().
  process.limits.memory_bytes = 0;
  process.environment.push_back(
      fmt::format("ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=64:{}", common));
  process.environment.push_back("LD_PRELOAD=" + sanitizers.runtime.string());
  process.files.readable.push_back(sanitizers.runtime);
}

// A worker that has ended meanwhile needs none: whoever waits for its next answer sees that.
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
  // A device may be quick where this is slow: that is no verdict.
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

#include "judge/gpu_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "base/work_folder.hpp"
#include "exec/gpu_tool.hpp"
#include "judge/beside_reference.hpp"
#include "judge/judgement.hpp"
#include "measure/statistics.hpp"
#include "problem/worker_protocol.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

constexpr double checked_ns = 5e6;              // duration of the calls that are checked
constexpr std::uint64_t most_checked = 10'000;  // calls
// Another load of the machine makes the judge's time longer, never shorter, and not the more the
// longer a try is: each is twice as long as the one before, and a few that fit are enough. Two of
// those that take less than this, since a host that is stopped while it queues calls is seen by the
// events, too, and work that is hidden from them ends meanwhile.
constexpr double short_try_ns = 100e6;
constexpr int fits_wanted = 1, short_fits_wanted = 2;
// Work that did not fit by then was hidden: so many tries, of which the last had so much work that
// events see, for on a machine with much else to do the judge waits tens of milliseconds for a
// processor after the calls; or was so long, where events see little.
constexpr int most_tries = 5;
constexpr double last_try_ns = 300e6, last_seen_ns = 300e6, longest_try_ns = 3e9;
constexpr double times_below_limit =
    4;  // margin: the next try takes twice as long, and at times more
// Share that may be hidden, of what events saw of the calls that were the quickest for them.
constexpr double hidden_share = 0.25;
constexpr double slack_ns = 100'000;

// The judge's time of one sample of so many calls, and what the events say. The device begins with
// the first call at once, so that both see what the host takes to queue them.
struct CheckedSpan {
  double judge_ns = 0;
  double events_ns = 0;
};

std::optional<CheckedSpan> check(const RunEpochs& run, std::uint64_t calls,
                                 const Clock& judges_clock) {
  Epochs epochs;
  epochs.calls = calls;
  epochs.at_once = 1;
  const double begin = judges_clock();
  const auto samples = run(epochs);
  const double end = judges_clock();
  if (!samples || samples->empty()) return std::nullopt;
  return CheckedSpan{end - begin, samples->front()};
}

// Lanes of a multiprocessor that multiply and add in 32 bits; of the newest architectures, and of
// older ones at most ("CUDA C++ Programming Guide", throughput of arithmetic instructions).
constexpr double float32_lanes = 128;
// Rates of units for matrices in 16 and 8 bits, dense, as a multiple of that: of B200 and H100 at
// most, by their data sheets. Too much only makes a bound that nobody reaches.
constexpr double times_16_bit = 32, times_8_bit = 64;
// The last cache's speed in units of the device memory's: A100 and H100 measure 2 to 5.
constexpr double times_cache = 8;

Peaks peaks_of(const Gpu& gpu) {
  const double memory = gpu.bytes_per_second;
  const double flops = 2 * float32_lanes * static_cast<double>(gpu.multiprocessors) * gpu.clock_hz;
  Peaks peaks;
  peaks.bandwidth = {
      {static_cast<std::uint64_t>(gpu.cache_bytes), {times_cache * memory, times_cache * memory}},
      {static_cast<std::uint64_t>(gpu.memory_bytes), {memory, memory}}};
  peaks.float32 = {flops, flops};
  peaks.times_16_bit = times_16_bit;
  peaks.times_8_bit = times_8_bit;
  return peaks;
}

namespace fs = std::filesystem;

constexpr const char* no_counters =
    "this user may not read the device's performance counters (ERR_NVGPUCTRPERM): an administrator "
    "allows it with NVreg_RestrictProfilingToAdminUsers=0, an option of the kernel module nvidia";

// The first call is none that a user waits for: it loads the kernels.
std::optional<CandidateFailure> call_twice(CandidateProcess& process, const Inputs& inputs) {
  if (auto failure = process.load()) return failure;
  if (auto failure = process.call(inputs, fresh_secret())) return failure;
  return process.call_profiled(fresh_secret());
}

// Leaves the report in the folder of the plan's tool. Returns why it does not; "" where it does.
std::string run_profiler(const PreparedWorkload& workload, SharedMemory& stage,
                         const CandidatePlan& plan) try {
  const auto outputs = outputs_for(workload, plan);
  const Inputs& inputs = workload.trials.front().inputs;
  CandidateProcess process(plan, workload.problem, inputs, stage, *outputs);
  const auto failure = call_twice(process, inputs);
  std::string problem = problem_of_profiler(process.end_tool());
  if (problem.empty() && failure) problem = "under ncu it fails: " + printable(failure->cause);
  return problem;
} catch (const std::exception& error) {
  return error.what();
}

constexpr auto read_limit = std::chrono::seconds(60);
constexpr std::size_t most_read = std::size_t{16} << 20;

// ncu reads its report again, held as what has made it is: the solution may have written that.
std::string raw_values(const ProfilePlan& profile, Isolation isolation) {
  const WorkFolder folder(temporary_folder(), profile_prefix);
  ProcessPlan plan;
  plan.argv = {profile.ncu.string(), "--import", profile.file.string(), "--page", "raw", "--csv",
               "--print-units",      "base"};
  plan.environment = {"LC_ALL=C", "PATH=" + search_path(), "HOME=" + folder.path().string(),
                      "TMPDIR=" + folder.path().string()};
  plan.directory = folder.path();
  plan.isolation = isolation;
  plan.local_sockets = true;
  plan.files.readable = system_programs();
  for (const fs::path& path : {profile.ncu.parent_path(), profile.file, fs::path("/proc")})
    plan.files.readable.push_back(path);
  plan.files.private_bytes = worker::scratch_bytes;
  return run_process(plan, read_limit, most_read).output;
}

// Writes them beside the report. False where there are none.
bool write_values(const ProfilePlan& profile, Isolation isolation) try {
  const std::string text = raw_values(profile, isolation);
  const std::size_t begin = text.starts_with("\"ID\"") ? 0 : text.find("\n\"ID\"");
  if (begin == text.npos) return false;
  fs::path file = profile.file;
  write_file(file.replace_extension(".csv"), text.substr(begin == 0 ? 0 : begin + 1));
  return true;
} catch (const std::exception&) {
  return false;
}

}  // namespace

std::optional<std::string> hidden_work(const RunEpochs& run, const Clock& judges_clock,
                                       double limit_ns) {
  const double longest_ns = std::min(longest_try_ns, limit_ns / times_below_limit);
  std::uint64_t calls = 1;
  double least_ns = INFINITY;  // time of a call, by events
  for (int tries = 0, fits = 0;; calls *= 2) {
    const auto all = check(run, calls, judges_clock);
    if (!all) return std::nullopt;
    if (all->judge_ns < checked_ns && calls < most_checked) continue;
    const double count = static_cast<double>(calls);
    least_ns = std::min(least_ns, all->events_ns / count);
    const bool is_short = all->judge_ns < short_try_ns;
    if (all->judge_ns - all->events_ns <= hidden_share * least_ns * count + slack_ns &&
        ++fits >= (is_short ? short_fits_wanted : fits_wanted))
      return "";
    const bool is_last = all->judge_ns >= longest_ns ||
                         (all->judge_ns >= last_try_ns && least_ns * count >= last_seen_ns);
    if (++tries >= most_tries && is_last)
      return fmt::format(
          "HIDDEN_WORK: {} calls took {} until the device had done all, and events around them say "
          "{}",
          calls, human_time(all->judge_ns), human_time(all->events_ns));
  }
}

std::optional<double> activity_ns(const RunEpochs& run) {
  constexpr std::uint32_t calls = 11;
  Epochs epochs;
  epochs.kind = CallKind::activity;
  epochs.samples = calls;
  const auto samples = run(epochs);
  if (!samples) return std::nullopt;
  return samples->empty() ? 0 : median_of(*samples);
}

GpuTiming describe_gpu(const std::optional<GpuState>& before,
                       const std::optional<GpuState>& after) {
  GpuTiming timing;
  if (!before || !after) return timing;
  timing.clock_mhz = {before->clock_mhz, after->clock_mhz};
  timing.max_clock_mhz = after->max_clock_mhz;
  timing.memory_mhz = after->memory_mhz;
  timing.celsius = {before->celsius, after->celsius};
  timing.slowed_by = before->slowed_by;
  for (const std::string& reason : after->slowed_by)
    if (std::find(timing.slowed_by.begin(), timing.slowed_by.end(), reason) ==
        timing.slowed_by.end())
      timing.slowed_by.push_back(reason);
  return timing;
}

Roofline gpu_roofline(const PreparedWorkload& workload, const Gpu& gpu, const Timing& timing) {
  Roofline record;
  if (gpu.bytes_per_second <= 0 || gpu.clock_hz <= 0) return record;
  const bool is_cold = timing.cache == "cold" || timing.cache == "rotated";
  const Bound bound = bound_of(demand_of(workload, 2, is_cold), peaks_of(gpu));
  record.bound_ns = bound.ns;
  record.bound_by = bound.by;
  record.least_ns = workload.work.bytes_touched ? bound.least_ns : 0;
  return record;
}

std::string problem_of_profiler(std::string_view output) {
  if (output.find("ERR_NVGPUCTRPERM") != output.npos) return no_counters;
  for (const std::string_view line : split(output, '\n')) {
    const bool is_problem =
        line.starts_with("==ERROR== ") || line.starts_with("==WARNING== No kernels were profiled");
    if (is_problem) return "ncu says: " + printable(std::string(line.substr(line.find(' ') + 1)));
  }
  return "";
}

std::optional<ProfileRecord> profile_call(const PreparedWorkload& workload, SharedMemory& stage,
                                          CandidatePlan plan, const ProfilePlan& profile,
                                          Diagnostics& reports) {
  if (plan.host != nullptr) {
    reports.warning({}, fmt::format("solution \"{}\" has no profile: ncu profiles none that runs "
                                    "in Python",
                                    profile.solution));
    return std::nullopt;
  }
  const WorkFolder folder(temporary_folder(), profile_prefix);
  plan.tool = profiler_tool(profile.ncu, folder.path());
  if (!plan.label.empty()) plan.tool->command.emplace_back("--nvtx");
  plan.is_audited = false;
  std::string problem = run_profiler(workload, stage, plan);
  const fs::path report = folder.path() / profile_name;
  // The solution may have put there what the folder holds.
  const bool is_there = fs::is_regular_file(fs::symlink_status(report));
  if (problem.empty() && !is_there) problem = "ncu has written no report";
  if (!problem.empty()) {
    reports.warning({},
                    fmt::format("solution \"{}\" has no profile on workload {}: {}",
                                profile.solution, workload.problem.workload, problem),
                    "docs/cuda.md says what --profile needs");
    return std::nullopt;
  }
  fs::create_directories(profile.file.parent_path());
  fs::copy_file(report, profile.file);
  if (!write_values(profile, plan.limits.isolation))
    reports.warning({}, fmt::format("ncu does not say what is in {}", profile.file.string()));
  return ProfileRecord{
      profile.file.lexically_relative(profile.out).generic_string(), profile_set, {}};
}

}  // namespace kbench

#include "judge/gpu_profile.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "base/work_folder.hpp"
#include "exec/gpu_tool.hpp"
#include "judge/judgement.hpp"
#include "problem/worker_protocol.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

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

// Leaves the report in the folder of the plan's tool. Why it does not; "" where it does.
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
  // What the folder holds the solution may have put there.
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

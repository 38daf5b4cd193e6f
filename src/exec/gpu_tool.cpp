// Workers under a tool of NVIDIA's: how they start, and how they end.
#include "exec/gpu_tool.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/installation.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "exec/candidate_state.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t shown_text = 400;

// End of a tool's output, on one line.
std::string last_words(std::string_view text) {
  std::string_view last = text.substr(text.size() - std::min(text.size(), shown_text));
  if (last.size() < text.size()) last.remove_prefix(std::min(last.find('\n'), last.size()));
  last = trim(last);
  std::string words(last);
  std::replace(words.begin(), words.end(), '\n', ' ');
  return words.empty() ? "it says nothing" : printable(words);
}

}  // namespace

// Errors of the driver's calls are the worker's and the solution's to look at. Bytes between
// allocations belong to nobody.
GpuTool sanitizer_tool(const fs::path& compute_sanitizer, const std::string& name,
                       std::vector<std::string> sources) {
  GpuTool tool;
  tool.name = name;
  tool.command = {compute_sanitizer.string(),
                  "--tool",
                  name,
                  "--print-limit",
                  "30",
                  "--strip-paths",
                  "no",
                  "--show-backtrace",
                  "device",
                  "--check-exit-code",
                  "no",
                  "--target-processes",
                  "application-only"};
  if (name == "memcheck")
    tool.command.insert(tool.command.end(), {"--report-api-errors", "no", "--padding", "4096"});
  tool.sources = std::move(sources);
  return tool;
}

// Clocks and caches stay as they are when the solution is timed.
GpuTool profiler_tool(const fs::path& ncu, const fs::path& folder) {
  GpuTool tool;
  tool.name = "ncu";
  tool.command = {ncu.string(),
                  "--set",
                  profile_set,
                  "--clock-control",
                  "none",
                  "--cache-control",
                  "none",
                  "--profile-from-start",
                  "off",
                  "--launch-count",
                  "100",
                  "--target-processes",
                  "application-only",
                  "--export",
                  (folder / profile_name).string()};
  tool.writable = folder;
  return tool;
}

// The tool starts the worker itself, by scripts of its own, and talks with it by files in TMPDIR
// and by sockets: these are open before the worker takes its own filter of system calls.
void CandidateProcess::State::start_under_tool(ProcessPlan& process) const {
  const GpuTool& tool = *plan.tool;
  process.argv.insert(process.argv.begin(), tool.command.begin(), tool.command.end());
  process.forbid_fork = false;
  process.local_sockets = true;
  process.environment.push_back("PATH=" + search_path());
  process.environment.push_back("HOME=" + scratch.path().string());
  std::vector<fs::path> readable = system_programs();
  readable.push_back(fs::path(tool.command.front()).parent_path());
  readable.emplace_back("/proc");
  process.files.readable.insert(process.files.readable.end(), readable.begin(), readable.end());
  if (tool.writable.empty()) return;
  process.files.writable.push_back(tool.writable);
  process.limits.file_bytes = worker::scratch_bytes;
}

void name_calls(const std::string& label, ProcessPlan& process) {
  if (label.empty()) return;
  process.environment.push_back("KBENCH_LABEL=" + label);
  const std::string library = variable("NVTX_INJECTION64_PATH");
  if (library.empty()) return;
  process.environment.push_back("NVTX_INJECTION64_PATH=" + library);
  process.files.readable.emplace_back(library);
}

void CandidateProcess::State::see_through_tool(Death& death) const {
  const worker::Control& c = control();
  if (c.phase == worker::Phase::starting && c.answer == worker::Answer::none) {
    throw std::runtime_error(fmt::format("{} could not start kbench-worker-cuda: {}",
                                         plan.tool->command.front(), last_words(tail)));
  }
  if (death.status.exited && c.fault_signal != 0) death.status = {false, c.fault_signal};
}

std::string CandidateProcess::end_tool() {
  State& s = *state_;
  const auto limit =
      State::Clock::now() + std::chrono::duration_cast<State::Clock::duration>(
                                std::chrono::duration<double>(s.plan.limits.call_seconds));
  if (!s.child->wait({})) s.send(worker::Command::end);
  while (!s.child->wait({})) {
    if (State::Clock::now() > limit) {
      s.child->kill();
      break;
    }
    pollfd entries[] = {{s.log_end.get(), POLLIN, 0}, {s.child->pidfd(), POLLIN, 0}};
    ::poll(entries, 2, 100);
    if (entries[0].revents != 0) s.read_log(entries[0].revents);
  }
  s.drain_log();
  s.is_over = true;
  return s.tail;
}

std::optional<CandidateFailure> CandidateProcess::call_profiled(std::uint64_t secret) {
  State& s = *state_;
  s.outputs.poison(secret);
  return s.command(worker::Command::profile, s.plan.limits.call_seconds);
}

}  // namespace kbench

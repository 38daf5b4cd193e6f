#include "judge/run_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "build/cuda.hpp"
#include "build/gpu/architecture.hpp"
#include "judge/engine.hpp"
#include "judge/gpu_lanes.hpp"
#include "measure/machine/gpu_state.hpp"

namespace kbench {
namespace {

using Entry = std::pair<const Solution* const, BuildResult>;

bool needs_gpu(const Entry& entry) { return wants_gpu(*entry.first) && entry.second.built; }

bool any_needs_gpu(const Builds& builds) {
  return std::any_of(builds.results.begin(), builds.results.end(), needs_gpu);
}

// Why its machine code is none of the GPU's here; "" where it is, or where it has none.
std::string foreign_code(const Solution& solution, const std::string& device,
                         const Toolchain& toolchain) {
  if (solution.spec.language != Language::cuda) return "";
  const auto targets = architectures_for(solution, toolchain);
  const bool has_code = std::any_of(targets.begin(), targets.end(), [&](const auto& target) {
    return gpu::runs_on(target, device);
  });
  if (has_code) return "";
  return fmt::format("it is for {}, and the GPU here is {}", join(targets, ", "), device);
}

// Why a solution that was built for a GPU is not run; "" where it can be. One in Python alone runs
// on the processor where there is none.
std::string unrun_cause(const Gpus& gpus, const Solution& solution, const Toolchain& toolchain,
                        const RunOptions& options) {
  if (gpus.all.empty()) return is_for_gpu(solution.spec.language) ? gpus.problem : "";
  if (std::string why = foreign_code(solution, gpus.all.front().architecture, toolchain);
      !why.empty())
    return why;
  return engine_of(options.judge) == Engine::kbench
             ? ""
             : "--engine google-benchmark times none on a GPU";
}

}  // namespace

RunGpus look_for_gpus(const std::vector<Job>& jobs, const RunOptions& options) {
  if (options.emulation) return {};
  const bool any = std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return std::any_of(job.solutions.begin(), job.solutions.end(),
                       [](const Solution* solution) { return wants_gpu(*solution); });
  });
  if (!any) return {};
  RunGpus gpus{find_gpus(options.programs / gpu_worker_program), find_cupti(), {}};
  std::vector<Gpu>& all = gpus.found.all;
  if (!all.empty()) {
    const std::string first = all.front().architecture;
    std::erase_if(all, [&](const Gpu& gpu) { return gpu.architecture != first; });
  }
  return gpus;
}

namespace {

// Gives back the GPUs that do not answer. Returns the reason of the last where none is left.
std::string drop_silent(RunGpus& gpus, const RunOptions& options) {
  std::string problem;
  std::erase_if(gpus.taken, [&](const GpuLock& lock) {
    const std::string why =
        probe_gpu(options.programs / gpu_worker_program, lock.gpu(), gpus.found.driver);
    if (!why.empty()) problem = fmt::format("{} does not answer: {}", lock.gpu().name, why);
    return !why.empty();
  });
  return gpus.taken.empty() ? problem : "";
}

// Why it cannot be done with all that are taken; "" where it is done.
std::string lock_their_clocks(RunGpus& gpus) try {
  for (const GpuLock& lock : gpus.taken) gpus.clocks.push_back(lock_clocks(lock.gpu().uuid));
  return "";
} catch (const std::runtime_error& error) {
  return fmt::format("--lock-clocks: the clock cannot be locked: {}", error.what());
}

template <class Reason>
void leave_unrun(Builds& builds, const Reason& reason) {
  std::erase_if(builds.results, [&](const Entry& entry) {
    const std::string why = needs_gpu(entry) ? reason(*entry.first) : "";
    if (!why.empty()) builds.unrun[entry.first] = "built, not run: " + why;
    return !why.empty();
  });
}

}  // namespace

void take_gpus(RunGpus& gpus, Builds& builds, const Toolchain& toolchain, const RunOptions& options,
               const std::function<bool()>& goes_on) {
  if (options.emulation) return;
  leave_unrun(builds, [&](const Solution& solution) {
    return unrun_cause(gpus.found, solution, toolchain, options);
  });
  if (gpus.found.all.empty() || !any_needs_gpu(builds)) return;
  std::size_t most = options.gpus > 0 ? static_cast<std::size_t>(options.gpus) : most_lanes();
  if (options.contest) most = 1;
  gpus.taken = lock_gpus(gpus.found.all, most, goes_on);
  if (gpus.taken.empty()) return;  // it was to wait no longer
  std::string problem = drop_silent(gpus, options);
  if (problem.empty() && options.judge.lock_clocks) problem = lock_their_clocks(gpus);
  if (!problem.empty()) leave_unrun(builds, [&](const Solution&) { return problem; });
}

}  // namespace kbench

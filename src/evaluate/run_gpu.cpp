#include "evaluate/run_gpu.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "evaluate/engine.hpp"

namespace kbench {
namespace {

using Entry = std::pair<const Solution* const, BuildResult>;

bool is_cuda(const Entry& entry) { return entry.first->spec.language == Language::cuda; }

bool needs_gpu(const Entry& entry) { return is_cuda(entry) && entry.second.built; }

bool any_needs_gpu(const Builds& builds) {
  return std::any_of(builds.results.begin(), builds.results.end(), needs_gpu);
}

// Why a solution that was built for a GPU is not run; "" where it can be.
std::string unrun_cause(const Gpus& gpus, const Solution& solution, const RunOptions& options) {
  if (gpus.all.empty()) return gpus.problem;
  if (solution.spec.launch) return "a solution with \"launch\" is not run in this version";
  if (runs_in_python(solution)) return "binding torch is not run on a GPU in this version";
  return options.engine == Engine::kbench ? "" : "--engine google-benchmark times none on a GPU";
}

}  // namespace

bool any_in_cuda(const Builds& builds) {
  return std::any_of(builds.results.begin(), builds.results.end(), is_cuda);
}

RunGpu find_gpu(Builds& builds, const RunOptions& options) {
  RunGpu found;
  if (!any_needs_gpu(builds)) return found;
  found.gpus = find_gpus(options.programs / gpu_worker_program);
  std::erase_if(builds.results, [&](const Entry& entry) {
    if (!needs_gpu(entry)) return false;
    const std::string why = unrun_cause(found.gpus, *entry.first, options);
    if (!why.empty()) builds.unrun[entry.first] = "built, not run: " + why;
    return !why.empty();
  });
  if (any_needs_gpu(builds)) found.lock.emplace(found.gpus.all);
  return found;
}

}  // namespace kbench

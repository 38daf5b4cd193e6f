#include "evaluate/run_references.hpp"

#include <algorithm>
#include <exception>

#include "build/python.hpp"
#include "evaluate/timed_reference.hpp"

namespace kbench {
namespace {

// Solutions in Python are timed beside a reference in Python, those in CUDA beside none.
bool is_beside_libtorch(const Solution& solution) {
  return !runs_in_python(solution) && solution.spec.language != Language::cuda;
}

bool times_any(const std::vector<Job>& jobs, const RunOptions& options) {
  if (options.instead || !options.judge.sanitize.empty() ||
      engine_of(options.judge) != Engine::kbench)
    return false;
  return std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) {
    const Definition& definition = *job.definition;
    return resolve(options.config, definition.op_type, definition.name).profile_baseline &&
           std::any_of(job.solutions.begin(), job.solutions.end(),
                       [](const Solution* solution) { return is_beside_libtorch(*solution); });
  });
}

}  // namespace

void start_for_references(CandidateHost& libtorch, const std::vector<Job>& jobs,
                          const RunOptions& options) try {
  if (times_any(jobs, options)) libtorch.start();
} catch (const std::exception&) {
}

std::function<BuildResult()> text_of_reference(const Job& job, const Toolchain& toolchain) {
  return [&] { return build_python(reference_solution(*job.definition), toolchain); };
}

}  // namespace kbench

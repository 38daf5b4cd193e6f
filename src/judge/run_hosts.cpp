#include "judge/run_hosts.hpp"

#include <algorithm>
#include <exception>

#include "base/python.hpp"
#include "build/builder.hpp"

namespace kbench {
namespace {

// Solutions in Python are timed beside a reference in Python, those on a GPU beside one there.
bool is_beside_libtorch(const Solution& solution) {
  return !runs_in_python(solution) && !wants_gpu(solution);
}

bool times_beside_libtorch(const std::vector<Job>& jobs, const RunOptions& options) {
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

std::filesystem::path program_of(const RunOptions& options) {
  return options.programs / "kbench-torch";
}

}  // namespace

RunHosts::RunHosts(const RunOptions& options, RunCaches& caches, const std::atomic<bool>& stop)
    : options_(options),
      caches_(caches),
      stop_(stop),
      python_(program_of(options), Evaluator::python, stop),
      libtorch_(program_of(options), Evaluator::libtorch, stop) {}

void RunHosts::use_gpu(const Gpu& gpu) {
  gpu_.emplace(program_of(options_), Evaluator::python, stop_, !is_stand_in(gpu));
}

bool RunHosts::takes_python() const { return engine_of(options_.judge) == Engine::kbench; }

bool RunHosts::is_hosted_by(const CandidateHost* host, const Solution& solution) {
  const bool is_on_gpu = gpu_ && wants_gpu(solution);
  return runs_in_python(solution) && host == (is_on_gpu ? gpu() : python());
}

bool RunHosts::any_hosted_by(const CandidateHost* host, const std::vector<Job>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) {
    return std::any_of(job.solutions.begin(), job.solutions.end(),
                       [&](const Solution* solution) { return is_hosted_by(host, *solution); });
  });
}

// Nothing else waits for the host of references: whoever asks it for one hears why it has none.
void RunHosts::start_for(const std::vector<Job>& jobs) {
  for (CandidateHost* host : {python(), gpu()})
    if (takes_python() && any_hosted_by(host, jobs)) host->start();
  try {
    if (times_beside_libtorch(jobs, options_)) libtorch_.start();
  } catch (const std::exception&) {
  }
}

void RunHosts::refuse_unhosted(const std::vector<Job>& jobs, Builds& builds) {
  for (CandidateHost* host : {python(), gpu()})
    if (any_hosted_by(host, jobs)) refuse_without(*host, builds);
}

void RunHosts::refuse_without(CandidateHost& host, Builds& builds) try {
  const auto which = [&](const Solution& solution) { return is_hosted_by(&host, solution); };
  if (!takes_python())
    leave_out(builds, builds.refused, "--engine google-benchmark times none of those", which);
  else if (const std::string why = host.unavailable(); !why.empty())
    leave_out(builds, builds.broken, why, which);
} catch (const Interrupted&) {  // no job is begun
}

void RunHosts::end_meanwhile(std::shared_ptr<void> workers) {
  ending_ =
      std::async(std::launch::async, [ended = std::move(workers)]() mutable { ended.reset(); });
}

ReferenceHosts RunHosts::of_reference(const Job& job, const Toolchain& toolchain) {
  const auto torch = find_libtorch();
  return {&libtorch_,
          python(),
          options_.references_on_gpu ? gpu() : nullptr,
          caches_.times ? &*caches_.times : nullptr,
          (torch ? torch->folder.string() + " " + torch->version : "") + job.definition->reference,
          [&] { return build_python(reference_solution(*job.definition), toolchain); }};
}

}  // namespace kbench

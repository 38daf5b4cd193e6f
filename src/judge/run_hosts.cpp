#include "judge/run_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "base/digest.hpp"
#include "base/python.hpp"
#include "base/text.hpp"
#include "build/builder.hpp"
#include "build/cuda.hpp"
#include "build/gpu/architecture.hpp"
#include "exec/cores.hpp"
#include "judge/engine.hpp"
#include "measure/machine/gpu_state.hpp"

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

using Entry = std::pair<const Solution* const, BuildResult>;

bool needs_gpu(const Entry& entry) { return wants_gpu(*entry.first) && entry.second.built; }

bool any_needs_gpu(const Builds& builds) {
  return std::any_of(builds.results.begin(), builds.results.end(), needs_gpu);
}

// Returns why its machine code is none of the GPU's here; "" where it is, or where it has none.
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

// Returns why a solution that was built for a GPU is not run; "" where it can be. One in Python
// alone runs on the processor where there is none.
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

// The world may be wrong in one pair: it is said, and the others go on.
void judge_guarded(Pair pair, const Gpu& gpu, int threads, PairJudge& judge) try {
  pair.options.gpu = &gpu;
  pair.options.limits.threads = std::min(pair.options.limits.threads, threads);
  SharedMemory stage = make_stage(*pair.workload);
  TimedReferences references(*pair.workload, stage, pair.hosts, pair.options);
  pair.options.references = &references;
  judge.judge(pair, stage);
} catch (const std::exception& error) {
  judge.report_failed(*pair.job, error);
}

// Lane by what is the same in every run.
std::size_t lane_of(const Pair& pair, std::size_t lanes) {
  const std::string digest =
      sha256_hex(pair.job->definition->name + "\n" + pair.job->workload->record.workload.uuid +
                 "\n" + pair.solution->name);
  return std::stoul(digest.substr(0, 8), nullptr, 16) % lanes;
}
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

// Locks the clocks of all that are taken; returns why it cannot, "" where it is done.
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

// Number of GPUs that there are cores for: one for the judge, one for the worker.
std::size_t most_lanes() {
  constexpr std::size_t cores_of_lane = 2;
  return std::max<std::size_t>(1, usable_cores().size() / cores_of_lane);
}

}  // namespace

RunHosts::RunHosts(const RunOptions& options, RunCaches& caches, ReferenceEvaluator& evaluator,
                   const std::atomic<bool>& stop)
    : options_(options),
      caches_(caches),
      stop_(stop),
      python_(evaluator.python_forks(), stop),
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
  refuse(builds, options_.configurator.get());
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
  if (!torch_) {
    const auto found = find_libtorch();
    torch_ = found ? found->folder.string() + " " + found->version : "";
  }
  return {&libtorch_,
          python(),
          options_.references_on_gpu ? gpu() : nullptr,
          caches_.times ? &*caches_.times : nullptr,
          *torch_ + job.definition->reference,
          [&] { return build_python(reference_solution(*job.definition), toolchain); }};
}

RunGpus look_for_gpus(const std::vector<Job>& jobs, const RunOptions& options) {
  if (options.emulation) return {};
  const bool any = std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return std::any_of(job.solutions.begin(), job.solutions.end(),
                       [](const Solution* solution) { return wants_gpu(*solution); });
  });
  if (!any) return {};
  if (options.judge_pair) {
    RunGpus none;
    none.found.problem = "ranks and gradients are judged on the CPU";
    return none;
  }
  RunGpus gpus{find_gpus(options.programs / gpu_worker_program), find_cupti(), {}};
  std::vector<Gpu>& all = gpus.found.all;
  if (!all.empty()) {
    const std::string first = all.front().architecture;
    std::erase_if(all, [&](const Gpu& gpu) { return gpu.architecture != first; });
  }
  return gpus;
}

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
  if (gpus.taken.empty()) return;  // the wait was to end
  std::string problem = drop_silent(gpus, options);
  if (problem.empty() && options.judge.lock_clocks) problem = lock_their_clocks(gpus);
  if (!problem.empty()) leave_unrun(builds, [&](const Solution&) { return problem; });
}

void judge_on_gpus(const std::vector<Pair>& pairs, const std::vector<GpuLock>& gpus,
                   PairJudge& judge, const std::atomic<bool>& stop) {
  if (pairs.empty()) return;
  const auto shares = core_shares(usable_cores(), gpus.size());
  std::vector<std::vector<const Pair*>> pairs_of(gpus.size());
  for (const Pair& pair : pairs) pairs_of[lane_of(pair, gpus.size())].push_back(&pair);
  const auto work = [&](std::size_t lane) {
    keep_to(shares[lane]);
    const int threads = std::max(1, static_cast<int>(shares[lane].size()) - 1);
    for (const Pair* pair : pairs_of[lane])
      if (!stop) judge_guarded(*pair, gpus[lane].gpu(), threads, judge);
  };
  std::vector<std::jthread> lanes;
  for (std::size_t lane = 0; lane < gpus.size(); ++lane) lanes.emplace_back(work, lane);
}

}  // namespace kbench

#include "judge/run_caches.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/system.hpp"
#include "base/text.hpp"
#include "build/compile.hpp"
#include "build/emulated.hpp"
#include "judge/gpu_timing.hpp"
#include "measure/machine/identity.hpp"

namespace kbench {
namespace {

constexpr std::string_view builds_prefix = "kbench-builds-";  // folders where there is no cache

constexpr const char* store_variable = "KBENCH_STORE";
// Nothing of the store is evicted, and a larger one is not sooner there than calculated.
constexpr std::uint64_t largest_shared_answer = std::uint64_t{16} << 20;

void log_problem(const Cache& cache) {
  spdlog::debug("warning: the cache is not used as it should be: {}", cache.problem());
}

std::filesystem::path folder_of_builds(const RunOptions& options, std::optional<WorkFolder>& own) {
  if (!options.build_cache.empty()) {
    const Cache cache(options.build_cache, {});
    if (cache.usable()) return options.build_cache;
    log_problem(cache);
  }
  return own.emplace(temporary_folder(), builds_prefix).path();
}

}  // namespace

RunCaches::RunCaches(const RunOptions& options)
    : builds(folder_of_builds(options, own), options.build_limits,
             options.build_cache.empty() ? "" : variable(store_variable)),
      libraries(builds.work_folder()) {
  // No audit asks for an answer that an earlier one had.
  if (!options.answer_cache.empty() && !options.audit) {
    CacheLimits limits = options.answer_limits;
    limits.shared_entry_bytes = largest_shared_answer;
    answers.emplace(options.answer_cache, limits, variable(store_variable));
    times.emplace(options.answer_cache, limits);
  }
  const auto temporary = temporary_folder();
  for (const std::string_view prefix :
       {scratch_prefix, builds_prefix, trial_prefix, profile_prefix})
    remove_abandoned(temporary, prefix);
  builds.clear_up();
  if (answers) answers->clear_up();
}

AnswerStore RunCaches::answer_store() {
  if (!answers) return {};
  if (variable(store_variable).empty()) return {&*answers, machine_identity()};
  const CpuFingerprint processor = cpu_fingerprint();
  return {&*answers, processor.name + "; " + join(processor.units, " "), true};
}

void RunCaches::log_problems() const {
  for (const Cache* cache : {&builds, answers ? &*answers : nullptr}) {
    if (cache != nullptr && !cache->problem().empty()) log_problem(*cache);
  }
}

Toolchain toolchain_for(const RunOptions& options, RunCaches& caches,
                        const std::atomic<bool>* stop) {
  Toolchain toolchain = system_toolchain();
  toolchain.cache = &caches.builds;
  toolchain.libraries = caches.libraries.path();
  toolchain.isolation = options.worker_limits.isolation;
  toolchain.timeout_seconds = options.build_timeout_seconds;
  toolchain.stop = stop;
  toolchain.sanitizers = sanitizers_of(options.judge);
  if (options.emulation) toolchain.emulation = emulation_kit();
  return toolchain;
}

void set_judge(RunOptions& options, JudgeSettings settings) {
  const auto limit = static_cast<double>(settings.timeout_seconds);
  options.config.timeout_seconds = settings.timeout_seconds;
  options.worker_limits.call_seconds = limit;
  options.worker_limits.load_seconds = std::min(30.0, limit);
  options.worker_limits.memory_bytes = static_cast<std::uint64_t>(settings.memory_bytes);
  options.worker_limits.threads = static_cast<int>(settings.threads);
  options.reference_limits.seconds = limit;
  options.reference_limits.evaluator =
      find_choice(settings.evaluator).value_or(options.reference_limits.evaluator);
  options.judge = std::move(settings);
}

PrepareOptions prepare_options(const RunOptions& options, const std::filesystem::path& root,
                               const Definition& definition) {
  return {resolve(options.config, definition.op_type, definition.name),
          root,
          options.audit && options.audit->secret_seed ? fresh_secret() : options.seed,
          static_cast<int>(options.judge.threads),
          find_rule(options.rule),
          options.audit};
}

}  // namespace kbench

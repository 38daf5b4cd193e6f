#include "judge/job_options.hpp"

#include <algorithm>
#include <utility>

#include "base/system.hpp"

namespace kbench {

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

#include "evaluate/job_options.hpp"

#include <algorithm>

#include "base/secret.hpp"

namespace kbench {

void set_timeout(RunOptions& options, std::int64_t seconds) {
  const auto limit = static_cast<double>(seconds);
  options.config.timeout_seconds = seconds;
  options.worker_limits.call_seconds = limit;
  options.worker_limits.load_seconds = std::min(30.0, limit);
  options.reference_limits.seconds = limit;
}

PrepareOptions prepare_options(const RunOptions& options, const std::filesystem::path& root,
                               const Definition& definition) {
  return {resolve(options.config, definition.op_type, definition.name),
          root,
          options.audit && options.audit->secret_seed ? fresh_secret() : options.seed,
          options.threads,
          find_rule(options.rule),
          options.audit};
}

}  // namespace kbench

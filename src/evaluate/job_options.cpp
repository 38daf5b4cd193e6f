#include "evaluate/job_options.hpp"

#include "base/secret.hpp"

namespace kbench {

PrepareOptions prepare_options(const RunOptions& options, const std::filesystem::path& root,
                               const Definition& definition) {
  return {resolve(options.config, definition.op_type, definition.name),
          root,
          options.audit && options.audit->secret_seed ? fresh_secret() : options.seed,
          options.threads,
          options.budget_seconds,
          find_rule(options.rule),
          options.audit};
}

}  // namespace kbench

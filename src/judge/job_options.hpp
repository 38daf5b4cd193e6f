// What of a run's options holds for one job.
#pragma once

#include <filesystem>

#include "judge/prepare.hpp"
#include "judge/run.hpp"

namespace kbench {

// `root`: of the trace set. An audit has a secret seed, another one each time.
PrepareOptions prepare_options(const RunOptions& options, const std::filesystem::path& root,
                               const Definition& definition);

}  // namespace kbench

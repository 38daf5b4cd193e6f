// A run's means, by its options: built solutions and answers of the reference on disk, compilers,
// and the settings of one job.
#pragma once

#include <filesystem>
#include <optional>

#include "base/cache.hpp"
#include "base/work_folder.hpp"
#include "build/builder.hpp"
#include "judge/prepare.hpp"
#include "judge/run.hpp"
#include "reference/answers.hpp"

namespace kbench {

// Caches: one that cannot be used, or is not to be, is a folder of this run alone, or nothing.
struct RunCaches {
  std::optional<WorkFolder> own;  // folder, where there is no cache of builds
  Cache builds;
  std::optional<Cache> answers;
  std::optional<Cache> times;  // times of references on this machine alone, among the answers
  WorkFolder libraries;        // folder of this run, whatever becomes of the cache

  // Removes what runs that were killed have left.
  explicit RunCaches(const RunOptions& options);

  AnswerStore answer_store();
  void log_problems() const;
};

// Toolchain by these: the system's compilers, held as candidates are.
Toolchain toolchain_for(const RunOptions& options, RunCaches& caches,
                        const std::atomic<bool>* stop = nullptr);

// Returns the settings of one job. `root`: of the trace set. An audit has a secret seed, another
// one each time.
PrepareOptions prepare_options(const RunOptions& options, const std::filesystem::path& root,
                               const Definition& definition);

}  // namespace kbench

// Common parts of the commands that look at the folder of a planned run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "cluster/gather.hpp"
#include "cluster/plan.hpp"

namespace kbench {

// Reads its plan; returns nothing where there is none or it is wrong, which is reported.
std::optional<ClusterPlan> plan_of(const std::filesystem::path& out, Diagnostics& reports);

// Progress: "shards: 2 ended, 1 running (n1), 1 waiting; 40 of 75 pairs judged", a line.
std::string progress_line(const ClusterPlan& plan, const std::filesystem::path& out,
                          std::size_t judged);

// "is running on n2 (attempt 1)", "was never begun"
std::string shard_text(const std::filesystem::path& out, std::int64_t shard);

// " --trusted-keys FILE" where this process was given that, for commands that it suggests.
std::string keys_words();

// "shard 3 lacks 2 pairs: it ended with 3 on n2 (attempt 1)", a line.
std::string lack_line(const std::filesystem::path& out, std::int64_t shard, std::size_t pairs);

}  // namespace kbench

// The plan of a run on many machines: the pairs of each shard. Pure, but for the reading of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/plan_file.hpp"

namespace kbench {

struct ClusterPlan {
  PlanHead head;
  std::vector<PlanUnit> units;  // units in the order of one run
  std::string digest;           // 16 digits, of its file

  std::size_t count_pairs() const;
};

// A workload with all solutions judged on it, and the time that each is expected to take.
struct PlannedWork {
  PlanUnit unit;
  double reference_ms = 0;       // counted once for all its solutions
  std::vector<double> pairs_ms;  // one for each solution
};

// Returns a digest, 16 digits, of a verdict's inputs: begin of the SHA-256 of the hashes of the
// definition, the workload and the solution.
std::string pair_digest(const std::string& definition, const std::string& workload,
                        const std::string& solution);

// Gives each unit its shard: the longest first, into the shard that has least to do. Work that
// takes more than a shard's part is cut by solutions, where a shard is full. The order stays.
std::vector<PlanUnit> divide(const std::vector<PlannedWork>& work, std::int64_t shards);

// Returns the number of shards for which none takes longer than about `target_ms`.
std::int64_t shards_for(const std::vector<PlannedWork>& work, double target_ms);

// Returns the time that each shard is expected to take, milliseconds.
std::vector<double> shard_costs(const std::vector<PlanUnit>& units, std::int64_t shards);

// A plan's file: a line of JSON for its head and one for each unit.
std::string plan_text(const PlanHead& head, const std::vector<PlanUnit>& units);
// Returns nothing where it is wrong, which is reported.
std::optional<ClusterPlan> read_plan(const std::filesystem::path& file, Diagnostics& reports);

}  // namespace kbench

// What `kbench shard` prints: of each pair how it was cut, what the verdict is, and what each rank
// took.
#pragma once

#include <string>
#include <vector>

#include "judge/derive/discover.hpp"
#include "judge/derive/sharded.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct ShardRow {
  ShardPlan plan;
  ShardResult result;
  Trace trace;
};

std::string shard_text(const ShardRow& row);
std::string shard_json(const std::vector<ShardRow>& rows);

// What was discovered about one workload.
struct DiscoveryRow {
  std::string definition, workload;
  std::int64_t ranks = 1;
  std::vector<Discovered> found;
};

std::string discovery_text(const DiscoveryRow& row);
std::string discovery_json(const std::vector<DiscoveryRow>& rows);

}  // namespace kbench

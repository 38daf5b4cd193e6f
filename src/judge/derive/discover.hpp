// Ways to shard a Definition that give the answer of the whole: found by cutting the inputs of a
// workload and running the reference on each part; and what `kbench shard` prints of both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/derive/sharded.hpp"
#include "judge/run.hpp"
#include "schema/trace.hpp"

namespace kbench {

// One axis, or several that are cut together, × one way to combine.
struct Discovered {
  std::string axis;     // "H_qo,H_kv"
  std::string combine;  // "" where it cannot be cut at all
  bool is_valid = false;
  // The sum is right in double precision, but not of outputs that every rank has rounded: what a
  // kernel can that reduces before it rounds.
  bool is_valid_unrounded = false;
  std::optional<double> error;  // largest absolute one, where outputs could be compared; of the
                                // input set that is wrong
  std::string why;              // reason why it is not valid, "" where it is
};

// Every axis that an input carries × every way but `entry`; and every two axes that constraints
// keep from being cut alone. All input sets of the workload are asked, whose double answers and
// criteria are the rule's: in one alone the parts may be alike by chance. Throws ServiceFailure,
// Interrupted.
std::vector<Discovered> discover_shardings(const Workplace& place, std::int64_t ranks);

// A pair: how it was cut, what the verdict is, and what each rank took.
struct ShardRow {
  ShardPlan plan;
  ShardResult result;
  Trace trace;
};

std::string shard_text(const ShardRow& row);
std::string shard_json(const std::vector<ShardRow>& rows);

// Ways discovered for one workload.
struct DiscoveryRow {
  std::string definition, workload;
  std::int64_t ranks = 1;
  std::vector<Discovered> found;
};

std::string discovery_text(const DiscoveryRow& row);
std::string discovery_json(const std::vector<DiscoveryRow>& rows);

}  // namespace kbench

// Options of `kbench shard`, and what it makes of them for each solution and workload: how they are
// cut, by which function, and how what the ranks leave becomes one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/judging/run_options.hpp"
#include "judge/derive/sharded.hpp"
#include "judge/job.hpp"
#include "kernels/registry/sharding.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

struct ShardCommand {
  RunCommand run;
  std::string definition;
  std::int64_t ranks = 0;            // 0: not given
  std::vector<std::string> axes;     // "M", with a mesh "M=dp"
  std::vector<std::string> mesh;     // "dp=2", "tp=2:sum"
  std::vector<std::string> tensors;  // "C=M", with a mesh "C=M:dp+N:tp"
  std::string combine;
  std::string transport;
  std::string direction = "fwd";
  bool discover = false;
  bool untimed = false;
  std::string format = "text";
};

// Plan of one solution's sharding on one workload; with `gradient` it is asked for its gradients.
struct PairPlan {
  ShardPlan shard;
  GradientSpec spec;
  std::optional<GradientFunctions> gradient;
  bool knows_ranks = false;  // has a function for ranks alone
};

// Plans by workload (uuid) and solution.
using ShardPlans = std::map<std::pair<std::string, std::string>, PairPlan>;

// Returns the ranks that the sidecar says the kernel is for, else the cores of this process: the
// machine's, not those of a rank's share.
std::int64_t default_ranks(const DeclaredSharding* declared);

// "C=M": the tensors that the command line cuts by an axis of its own. Mistakes are reported.
OrderedMap<std::string> read_tensors(const std::vector<std::string>& words, Diagnostics& out);

// Leaves in `jobs` the pairs that can be sharded as is asked; reports why not for each other one.
ShardPlans plan_shards(const ShardCommand& command, const TraceSet& set, std::vector<Job>& jobs,
                       Diagnostics& reports);

// ---- mesh_options.cpp ----

// An axis of --mesh, and what --axis and --tensor say of it.
struct MeshAxis {
  std::string name;
  std::int64_t ranks = 1;
  std::string combine;              // "" where it is not said
  std::vector<std::string> axes;    // axes of the Definition that its ranks cut
  OrderedMap<std::string> tensors;  // tensors that it cuts by another one, or not
};

// Reads --mesh and reports what makes no sense: names that it does not have, axes that cut nothing.
std::vector<MeshAxis> read_mesh(const ShardCommand& command, Diagnostics& out);

}  // namespace kbench

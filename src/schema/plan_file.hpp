// The lines of a plan, and how far a shard of it is: docs/cluster.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/field.hpp"

namespace kbench {

// The first line of a plan.
struct PlanHead {
  std::int64_t kbench_plan = 1;      // version of the form
  std::int64_t shards = 0;           // counted from 0
  std::int64_t pairs = 0;            // of all lines: a plan that was cut has fewer
  std::vector<std::string> options;  // of kbench run
  std::vector<std::string> files;    // that the options name: "SHA-256 path"
  std::optional<std::string> gpu;    // a word of the name of the GPU that all are to run on
  bool is_built = false;             // some solutions are in CUDA, whose build needs no GPU
  FieldSet present{};
};

// Every other line: a workload, and solutions that one shard judges on it.
struct PlanUnit {
  std::string definition;
  std::string workload;  // its uuid
  std::vector<std::string> solutions;
  std::vector<std::string> digests;  // for each of these: pair_digest()
  double cost_ms = 0;                // what it is expected to take
  std::int64_t shard = 0;
  FieldSet present{};
};

// What a shard says of itself, in its folder.
struct ShardState {
  std::int64_t attempt = 0;
  std::string node;
  std::int64_t pid = 0;
  std::optional<std::int64_t> status;  // with which kbench ended; none: it has not, or was killed
  FieldSet present{};
};

}  // namespace kbench

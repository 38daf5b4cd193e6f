// Lines of a plan, and the progress of a shard: docs/cluster.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "schema/field.hpp"

namespace kbench {

// First line of a plan.
struct PlanHead {
  std::int64_t kbench_plan = 1;      // version of the form
  std::int64_t shards = 0;           // number of shards, which are counted from 0
  std::int64_t pairs = 0;            // number in all lines: a plan that was cut has fewer
  std::vector<std::string> options;  // options of kbench run
  std::vector<std::string> files;    // files that the options name: "SHA-256 path"
  std::optional<std::string> gpu;    // word in the name of the GPU that all are to run on
  bool is_built = false;             // some solutions are in CUDA, whose build needs no GPU
  FieldSet present{};
};

// Any other line: a workload, and solutions that one shard judges on it.
struct PlanUnit {
  std::string definition;
  std::string workload;  // its uuid
  std::vector<std::string> solutions;
  std::vector<std::string> digests;  // pair_digest() of each solution
  double cost_ms = 0;                // expected time
  std::int64_t shard = 0;
  FieldSet present{};
};

// State of a shard, in its folder.
struct ShardState {
  std::int64_t attempt = 0;
  std::string node;
  std::int64_t pid = 0;
  std::optional<std::int64_t> status;  // kbench's exit status; none: it still runs, or was killed
  FieldSet present{};
};

constexpr auto fields(const PlanHead*) {
  return std::tuple{
      Field{"kbench_plan", &PlanHead::kbench_plan, Need::required, Rule::positive,
            "Version of the form."},
      Field{"shards", &PlanHead::shards, Need::required, Rule::positive, "How many there are."},
      Field{"pairs", &PlanHead::pairs, Need::required, Rule::non_negative,
            "Of a workload and a solution, in all lines."},
      Field{"options", &PlanHead::options, Need::required, Rule::any,
            "Of kbench run, one word after the other."},
      Field{"files", &PlanHead::files, Need::required, Rule::any,
            "That the options name: a SHA-256, a blank and the path."},
      Field{"gpu", &PlanHead::gpu, Need::extension, Rule::non_empty,
            "A word of the name of the GPU that all CUDA is to run on."},
      Field{"is_built", &PlanHead::is_built, Need::required, Rule::any,
            "Whether there are solutions in CUDA, which can be built without a GPU."}};
}

constexpr auto fields(const PlanUnit*) {
  return std::tuple{
      Field{"definition", &PlanUnit::definition, Need::required, Rule::non_empty, "Its name."},
      Field{"workload", &PlanUnit::workload, Need::required, Rule::non_empty, "Its uuid."},
      Field{"solutions", &PlanUnit::solutions, Need::required, Rule::non_empty_items,
            "Their names."},
      Field{"digests", &PlanUnit::digests, Need::required, Rule::non_empty_items,
            "What each of them is: begin of a SHA-256 over definition, workload and solution."},
      Field{"cost_ms", &PlanUnit::cost_ms, Need::required, Rule::non_negative,
            "What judging them is expected to take, milliseconds."},
      Field{"shard", &PlanUnit::shard, Need::required, Rule::non_negative, "That judges them."}};
}

constexpr auto fields(const ShardState*) {
  return std::tuple{Field{"attempt", &ShardState::attempt, Need::required, Rule::non_negative,
                          "How often it was begun before."},
                    Field{"node", &ShardState::node, Need::required, Rule::any, "The host's name."},
                    Field{"pid", &ShardState::pid, Need::required, Rule::any, "Of kbench there."},
                    Field{"status", &ShardState::status, Need::optional, Rule::any,
                          "With which it ended; null: it has not, or was killed."}};
}

}  // namespace kbench

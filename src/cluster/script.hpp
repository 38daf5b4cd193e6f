// Scripts that an engine starts for each shard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kbench {

struct ShardScript {
  std::filesystem::path program;  // kbench
  std::filesystem::path out;      // folder of the run, with its plan
  std::string name;               // name of the job
  std::vector<std::int64_t> shards;
  bool per_node = false;              // a shard has a node with all its GPUs to itself
  std::string gpu = {};               // "h100": the type in Slurm's gres; "": none is asked for
  std::string exclude = {};           // nodes to leave out
  std::vector<std::string> options;   // options of sbatch
  std::vector<std::string> run = {};  // options of kbench run
};

// Most retries of a shard whose node failed it (exit status 3).
constexpr int most_retries = 2;

// Returns the command that judges a shard, as words.
std::vector<std::string> shard_command(const ShardScript& script, std::int64_t shard);

// A script for sbatch: an array with one task a shard.
std::string slurm_script(const ShardScript& script);
// A script for sbatch that builds the solutions of each shard, on nodes without a GPU.
std::string slurm_build_script(const ShardScript& script);

// "0-3,7"
std::string ranges_text(std::vector<std::int64_t> numbers);

}  // namespace kbench

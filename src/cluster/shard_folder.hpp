// Files of a run on many machines: OUT/plan.jsonl, and for each shard a folder that one process at
// a time writes to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "cluster/plan.hpp"
#include "schema/plan_file.hpp"

namespace kbench {

std::filesystem::path plan_file(const std::filesystem::path& out);
// Tells whether `out` is this plan's, whose file is `file`; it becomes so where it is nobody's. A
// folder of another plan is reported.
bool adopt_plan(const ClusterPlan& plan, const std::filesystem::path& file,
                const std::filesystem::path& out, Diagnostics& reports);
std::filesystem::path shard_folder(const std::filesystem::path& out, std::int64_t shard);
// File with the number of Slurm's job that has the shards.
std::filesystem::path job_file(const std::filesystem::path& out);
// File with a shard's output. `shard` may be a pattern of Slurm's.
std::filesystem::path log_file(const std::filesystem::path& out, const std::string& shard);
constexpr const char* build_part = "-build";  // a shard's suffix, if only built
// Folders of a run's records, below its own.
inline constexpr const char* record_folders[] = {"traces", "emulated"};

// The host among others of a run: as Slurm calls it, else its name.
std::string node_name();

// Number of this process in the words of the engine that started it: KBENCH_SHARD, or the variables
// of Slurm, Kubernetes and Open MPI; nothing where none has.
struct EngineNumber {
  std::string variable;
  std::string text;
};
std::optional<EngineNumber> number_of_engine();

// A shard as its folder tells.
struct ShardProgress {
  std::optional<ShardState> state;  // nothing: it was never begun
  bool is_held = false;             // a process on some host holds it
  std::string fault = {};           // why its state cannot be read
};
ShardProgress progress_of(const std::filesystem::path& folder);

// Holds a shard's folder, until it is destroyed or the process ends in any way.
class ShardLease {
 public:
  // Waits while another process holds it, as long as `goes_on` says so, which is told the holder.
  static std::optional<ShardLease> take(
      const std::filesystem::path& folder,
      const std::function<bool(const std::optional<ShardState>& holder)>& goes_on);

  // Throws where the folder is not held any more, since somebody has taken state.json away: another
  // process may have it then, and nothing more is to be written there.
  void check() const;
  std::int64_t attempt() const { return state_.attempt; }
  const std::string& node() const { return state_.node; }
  // Notes the status that kbench ends with.
  void end(int status);

 private:
  ShardLease(Fd file, std::filesystem::path name, ShardState state);
  void write() const;

  Fd file_;
  std::filesystem::path name_;
  ShardState state_;
};

// Files of records, line by line: however many there are, one is in memory.
struct RecordLine {
  std::string_view text;    // the line without its break
  std::uint64_t begin = 0;  // byte of the file
  int number = 1;
};

// Gives the lines from `next` on, and returns the place where the next ones will begin. A last line
// without its break, as a writer may leave it, is no line.
RecordLine for_each_record(const std::filesystem::path& file,
                           const std::function<void(const RecordLine& line)>& take,
                           RecordLine next = {});

}  // namespace kbench

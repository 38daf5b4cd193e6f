#include "cluster/shard_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "base/errno_failure.hpp"
#include "base/variable.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

fs::path state_file(const fs::path& folder) { return folder / "state.json"; }

// Nothing where there is none, or where it is just being written.
std::optional<ShardState> read_state(const fs::path& folder) {
  Diagnostics ignored;
  const auto text = read_file_if_there(state_file(folder));
  return text ? read_text<ShardState>({"state.json", *text}, {}, ignored) : std::nullopt;
}

bool lock(const Fd& file, int how) {
  if (::flock(file.get(), how | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) fail_by_errno("the lock of a shard");
  return false;
}

}  // namespace

fs::path plan_file(const fs::path& out) { return out / "plan.jsonl"; }

bool adopt_plan(const ClusterPlan& plan, const fs::path& file, const fs::path& out,
                Diagnostics& reports) {
  const fs::path kept = plan_file(out);
  if (!fs::exists(kept)) write_file(kept, read_file(file));
  const auto there = read_plan(kept, reports);
  if (!there) return false;
  if (there->digest == plan.digest) return true;
  reports.error({kept.string(), 0, 0, "", ""}, "is another plan", "each has a folder of its own");
  return false;
}

fs::path shard_folder(const fs::path& out, std::int64_t shard) {
  return out / "shards" / std::to_string(shard);
}

std::string node_name() {
  if (const std::string name = variable("SLURMD_NODENAME"); !name.empty()) return name;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return "";
  return host.data();
}

std::optional<std::int64_t> shard_of_environment() {
  // A number of an array comes before one of a process: an array's task may start several.
  for (const char* const name : {"KBENCH_SHARD", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
                                 "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    const std::string text = variable(name);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!text.empty() && error == std::errc() && end == text.data() + text.size()) return number;
  }
  return std::nullopt;
}

ShardProgress progress_of(const fs::path& folder) {
  ShardProgress progress{read_state(folder)};
  if (const Fd file(::open(state_file(folder).c_str(), O_RDONLY | O_CLOEXEC)); file)
    progress.is_held = !lock(file, LOCK_SH);
  return progress;
}

std::optional<ShardLease> ShardLease::take(
    const fs::path& folder,
    const std::function<bool(const std::optional<ShardState>& holder)>& goes_on) {
  fs::create_directories(folder);
  Fd file(::open(state_file(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) fail_by_errno(state_file(folder));
  while (!lock(file, LOCK_EX)) {
    if (!goes_on(read_state(folder))) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const auto before = read_state(folder);
  ShardState state;
  state.attempt = before ? before->attempt + 1 : 0;
  state.node = node_name();
  state.pid = ::getpid();
  return ShardLease(std::move(file), std::move(state));
}

ShardLease::ShardLease(Fd file, ShardState state)
    : file_(std::move(file)), state_(std::move(state)) {
  write();
}

// In its place: who waits for the lock has the same file open.
void ShardLease::write() const {
  const std::string text = to_json(state_, Dump::full) + "\n";
  const auto size = static_cast<ssize_t>(text.size());
  const bool is_written = ::pwrite(file_.get(), text.data(), text.size(), 0) == size &&
                          ::ftruncate(file_.get(), size) == 0;
  if (!is_written) fail_by_errno("the state of a shard");
}

void ShardLease::end(int status) {
  state_.status = status;
  write();
}

}  // namespace kbench

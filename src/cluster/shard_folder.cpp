#include "cluster/shard_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/confined.hpp"
#include "base/system.hpp"
#include "base/work_folder.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"
#include "schema/trace_lines.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_attempts = 1'000'000;  // more are no count of anything

fs::path state_file(const fs::path& folder) { return folder / "state.json"; }

// Returns nothing where there is no state, or where it is just being written.
std::optional<ShardState> read_state(const fs::path& folder) {
  Diagnostics ignored;
  std::error_code error;
  constexpr std::uintmax_t most = 1 << 16;  // bytes of four fields
  const fs::path file = state_file(folder);
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > most) return std::nullopt;
  const auto text = read_file_if_there(file);
  auto state = text ? read_text<ShardState>({"state.json", *text}, {}, ignored) : std::nullopt;
  return state && state->attempt < most_attempts ? state : std::nullopt;
}

// Opens without waiting for anybody, whatever file stands there.
Fd open_state(const fs::path& name, int how) {
  Fd file = try_open_confined(name, how | O_NOFOLLOW | O_NONBLOCK, 0644);
  struct stat status {};
  if (file && ::fstat(file.get(), &status) == 0 &&
      (!S_ISREG(status.st_mode) || status.st_nlink > 1))
    throw std::runtime_error(name.string() +
                             ": is no regular file of one name, and no shard's state");
  return file;
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
  confine(out);
  const fs::path kept = plan_file(out);
  if (!fs::exists(kept)) write_file(kept, read_file(file));
  const auto there = read_plan(kept, reports);
  if (!there) return false;
  if (there->digest == plan.digest) return true;
  reports.error({kept.string()}, "is another plan", "each has a folder of its own");
  return false;
}

fs::path job_file(const fs::path& out) { return out / "shards" / "job"; }

fs::path log_file(const fs::path& out, const std::string& shard) {
  return out / "shards" / ("log-" + shard);
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

// A number of an array comes before one of a process: an array's task may start several.
std::optional<EngineNumber> number_of_engine() {
  for (const char* const name : {"KBENCH_SHARD", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX",
                                 "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (std::string text = variable(name); !text.empty())
      return EngineNumber{name, std::move(text)};
  return std::nullopt;
}

ShardProgress progress_of(const fs::path& folder) try {
  const Fd file = open_state(state_file(folder), O_RDONLY);
  if (!file && errno != ENOENT) open_confined(state_file(folder), O_RDONLY | O_NOFOLLOW);
  ShardProgress progress{read_state(folder)};
  if (file) progress.is_held = !lock(file, LOCK_SH);
  return progress;
} catch (const std::exception& error) {
  return {.fault = error.what()};
}

std::optional<ShardLease> ShardLease::take(
    const fs::path& folder,
    const std::function<bool(const std::optional<ShardState>& holder)>& goes_on) {
  create_confined_folders(folder);
  const fs::path name = state_file(folder);
  Fd file;
  while (true) {
    if (!file || !is_open(file, name)) file = open_state(name, O_RDWR | O_CREAT);
    if (!file) fail_by_errno(name);
    if (lock(file, LOCK_EX) && is_open(file, name)) break;
    if (!goes_on(read_state(folder))) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const auto before = read_state(folder);
  ShardState state{before ? before->attempt + 1 : 0, node_name(), ::getpid()};
  return ShardLease(std::move(file), name, std::move(state));
}

ShardLease::ShardLease(Fd file, fs::path name, ShardState state)
    : file_(std::move(file)), name_(std::move(name)), state_(std::move(state)) {
  write();
}

void ShardLease::check() const {
  if (!is_open(file_, name_))
    throw std::runtime_error(name_.string() +
                             " is not there any more, or another: another process may have this "
                             "shard, and nothing more is written to it");
}

// Writes in place: a process that waits for the lock has the same file open.
void ShardLease::write() const {
  const std::string text = to_json(state_, Dump::full) + "\n";
  const auto size = static_cast<ssize_t>(text.size());
  const bool is_written = ::pwrite(file_.get(), text.data(), text.size(), 0) == size &&
                          ::ftruncate(file_.get(), size) == 0;
  if (!is_written) fail_by_errno(name_);
}

void ShardLease::end(int status) {
  state_.status = status;
  write();
}

RecordLine for_each_record(const std::filesystem::path& file,
                           const std::function<void(const RecordLine& line)>& take,
                           RecordLine next) {
  std::string part;
  for (WholeLines lines(file, next.begin); lines.next(part);) {
    std::string_view rest = part;
    for (std::size_t end = 0; (end = rest.find('\n')) != rest.npos; ++next.number) {
      next.text = rest.substr(0, end);
      if (!next.text.empty()) take(next);
      next.begin += end + 1;
      rest.remove_prefix(end + 1);
    }
  }
  next.text = {};
  return next;
}

}  // namespace kbench

#include "cli/cluster/out_folder.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "base/confined.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cluster/shard_folder.hpp"
#include "schema/record_signature.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// "running", "waiting", "ended", "lost": its process went away before it ended.
std::string state_word(const ShardProgress& progress) {
  if (!progress.fault.empty()) return "damaged";
  if (progress.is_held) return "running";
  if (!progress.state) return "waiting";
  if (!progress.state->status) return "lost";
  return *progress.state->status == exit_environment ? "failed" : "ended";
}

}  // namespace

std::string shard_text(const fs::path& out, std::int64_t shard) {
  const ShardProgress progress = progress_of(shard_folder(out, shard));
  if (!progress.fault.empty()) return "has no state: " + printable(progress.fault);
  if (!progress.state) return "was never begun";
  const std::string where =
      fmt::format(" on {} (attempt {})", printable(progress.state->node), progress.state->attempt);
  if (progress.is_held) return "is running" + where;
  if (!progress.state->status) return "was killed" + where;
  return fmt::format("ended with {}{}", *progress.state->status, where);
}

std::string keys_words() {
  const fs::path& file = trusted_keys_file();
  return file.empty() ? "" : " --trusted-keys " + shell_quote(file.string());
}

std::optional<ClusterPlan> plan_of(const fs::path& out, Diagnostics& reports) {
  confine(out);
  if (fs::exists(plan_file(out))) return read_plan(plan_file(out), reports);
  reports.error({out.string()}, "is no folder of a planned run: it has no plan.jsonl",
                "kbench submit and kbench run --plan write one");
  return std::nullopt;
}

std::string progress_line(const ClusterPlan& plan, const fs::path& out, std::size_t judged) {
  std::map<std::string, std::size_t> counts;
  std::set<std::string> nodes;
  for (std::int64_t shard = 0; shard < plan.head.shards; ++shard) {
    const ShardProgress progress = progress_of(shard_folder(out, shard));
    ++counts[state_word(progress)];
    if (progress.is_held && progress.state) nodes.insert(progress.state->node);
  }
  std::vector<std::string> parts;
  for (const char* const word : {"ended", "running", "waiting", "failed", "lost", "damaged"})
    if (counts[word] > 0) parts.push_back(fmt::format("{} {}", counts[word], word));
  std::string text = "shards: " + join(parts, ", ");
  if (!nodes.empty())
    text += fmt::format(" (on {})", join(std::vector(nodes.begin(), nodes.end()), ", "));
  return printable(fmt::format("{}; {} of {} judged", text, judged,
                               counted(plan.count_pairs(), "pair"))) +
         "\n";
}

std::string lack_line(const fs::path& out, std::int64_t shard, std::size_t pairs) {
  std::string text = fmt::format("shard {} lacks {}: it {}", shard, counted(pairs, "pair"),
                                 shard_text(out, shard));
  std::error_code error;
  for (const char* const part : {"", build_part})
    if (const fs::path log = log_file(out, std::to_string(shard) + part); fs::exists(log, error))
      return text + fmt::format("; {} says why\n", printable(log.string()));
  return text + "\n";
}

}  // namespace kbench

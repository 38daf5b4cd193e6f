#include "cluster/script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace kbench {
namespace {

// What the pattern of a log's name calls for is written twice.
std::string log_pattern(const ShardScript& script, const std::string& part) {
  std::string path;
  for (const char letter : (script.out / "shards").string())
    path.append(letter == '%' ? 2 : 1, letter);
  return path + "/log-%a" + part;
}

std::string directives(const ShardScript& script, const std::string& part) {
  std::vector<std::string> lines = {
      "--job-name=" + script.name + part,
      "--array=" + ranges_text(script.shards),
      "--output=" + shell_quote(log_pattern(script, part)),
      "--open-mode=append",
      "--requeue",
  };
  if (!script.exclude.empty()) lines.push_back("--exclude=" + shell_quote(script.exclude));
  for (const std::string& option : script.options) lines.push_back(shell_quote(option));
  std::string text = "#!/bin/bash\n";
  for (const std::string& line : lines) text += "#SBATCH " + line + "\n";
  return text;
}

std::string command(const ShardScript& script, const char* verb) {
  return fmt::format("{} {} --plan {} --shard \"$SLURM_ARRAY_TASK_ID\"",
                     shell_quote(script.program.string()), verb,
                     shell_quote((script.out / "plan.jsonl").string()));
}

}  // namespace

std::string ranges_text(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    parts.push_back(end - i == 1 ? std::to_string(numbers[i])
                                 : fmt::format("{}-{}", numbers[i], numbers[end - 1]));
    i = end;
  }
  return join(parts, ",");
}

std::string slurm_script(const ShardScript& script) {
  std::string text = directives(script, "");
  text += "#SBATCH --signal=B:TERM@60\n";
  if (script.per_node) text += "#SBATCH --exclusive\n";
  if (!script.gpu.empty())
    text += fmt::format("#SBATCH --gres={}\n",
                        shell_quote("gpu:" + script.gpu + (script.per_node ? "" : ":1")));
  text += fmt::format(R"(
requeue() {{ scontrol requeue "$SLURM_JOB_ID"; }}
{} --out {} &
kbench=$!
# The time limit or a job of higher priority: the record in hand is finished, the rest comes later.
# A job that somebody cancels is not running any more, and stays ended.
trap 'kill -INT $kbench; wait $kbench
  scontrol --oneliner show job "$SLURM_JOB_ID" | grep -q JobState=RUNNING && requeue
  exit 130' TERM
wait $kbench
status=$?
case $status in 0|1|4) exit 0 ;; esac  # verdicts are no failures of the task
# The node's fault, or nobody knows who has killed it.
if [ $status = 3 ] || [ $status -gt 130 ]; then
  [ "${{SLURM_RESTART_COUNT:-0}}" -lt {} ] && requeue
fi
exit $status
)",
                      command(script, "run"), shell_quote(script.out.string()), most_retries);
  return text;
}

std::string slurm_build_script(const ShardScript& script) {
  return directives(script, "-build") + "\n" + command(script, "build") + "\n" +
         "[ $? -le 1 ]  # what does not compile gets its verdict in the run\n";
}

}  // namespace kbench

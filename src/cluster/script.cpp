#include "cluster/script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cluster/shard_folder.hpp"

namespace kbench {
namespace {

constexpr std::size_t shard_word = 5;  // index in shard_command()

// Doubles each % of a log's name, which is a pattern of Slurm's.
std::string log_pattern(const ShardScript& script, const std::string& part) {
  std::string out;
  for (const char letter : script.out.string()) out.append(letter == '%' ? 2 : 1, letter);
  return log_file(out, "%a" + part).string();
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

// Quotes each word, and leaves the number of the shard to Slurm.
std::string command(std::vector<std::string> words) {
  for (std::string& word : words) word = shell_quote(word);
  words[shard_word] = "\"$SLURM_ARRAY_TASK_ID\"";
  return join(words, " ");
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

std::vector<std::string> shard_command(const ShardScript& script, std::int64_t shard) {
  std::vector<std::string> words = {script.program.string(),
                                    "run",
                                    "--plan",
                                    (script.out / "plan.jsonl").string(),
                                    "--shard",
                                    std::to_string(shard),
                                    "--out",
                                    script.out.string()};
  words.insert(words.end(), script.run.begin(), script.run.end());
  return words;
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
{} &
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
                      command(shard_command(script, 0)), most_retries);
  return text;
}

std::string slurm_build_script(const ShardScript& script) {
  std::vector<std::string> words = shard_command(script, 0);
  words[1] = "build";
  words.resize(shard_word + 1);  // it writes nothing to --out
  return directives(script, build_part) + "\n" + command(std::move(words)) + "\n" +
         "[ $? -le 1 ]  # what does not compile gets its verdict in the run\n";
}

}  // namespace kbench

// kbench submit: docs/cluster.md.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/text.hpp"
#include "cli/cluster/out_folder.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "cluster/gather.hpp"
#include "cluster/script.hpp"
#include "cluster/shard_folder.hpp"
#include "sandbox/process.hpp"
#include "schema/record_signature.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_output = std::size_t{1} << 20;

struct SubmitCommand {
  std::string plan;
  std::string out;
  std::string engine = "slurm";
  std::string per;  // "": gpu
  std::string gpu;
  std::string exclude;
  std::string sign;
  bool dry_run = false;
  bool wait = false;
  bool resume = false;
  std::vector<std::string> options;
};

// Passes this process's environment on, by which an engine's programs find their cluster.
ProcessPlan process_of(std::vector<std::string> argv) {
  ProcessPlan plan;
  plan.argv = std::move(argv);
  for (char** variable = environ; *variable != nullptr; ++variable)
    plan.environment.emplace_back(*variable);
  return plan;
}

RunResult run_engine(std::vector<std::string> argv) {
  argv.front() = find_program(argv.front()).string();
  return run_process(process_of(std::move(argv)), std::chrono::minutes(2), most_output);
}

// Returns the error that a program of Slurm prints, without its own name before each line.
std::string words_of_slurm(std::string_view output) {
  std::vector<std::string> lines;
  for (std::string_view text : split(output, '\n')) {
    text = trim(text);
    for (const std::string_view mark : {"sbatch:", "error:"})
      if (text.starts_with(mark)) text = trim(text.substr(mark.size()));
    if (!text.empty()) lines.emplace_back(text);
  }
  return printable(join(lines, "; "));
}

// Submits a script; returns the number of the job, "" where Slurm refuses it, which is reported.
std::string sbatch(const fs::path& script, const std::string& dependency, Diagnostics& reports) {
  std::vector<std::string> argv = {"sbatch", "--parsable"};
  if (!dependency.empty()) argv.push_back("--dependency=aftercorr:" + dependency);
  argv.push_back(script.string());
  const RunResult result = run_engine(std::move(argv));
  if (result.status.exited && result.status.code == 0)
    return std::string(trim(result.output.substr(0, result.output.find(';'))));
  reports.error(
      {}, fmt::format("sbatch: {}", words_of_slurm(result.output)),
      fmt::format("the script is {}; --engine local runs the shards on this host, without "
                  "Slurm",
                  script.string()));
  return "";
}

std::vector<std::int64_t> all_shards(const ClusterPlan& plan) {
  std::vector<std::int64_t> shards;
  for (std::int64_t shard = 0; shard < plan.head.shards; ++shard) shards.push_back(shard);
  return shards;
}

std::vector<std::int64_t> unfinished_shards(const ClusterPlan& plan, const fs::path& out) {
  std::vector<std::int64_t> shards;
  for (const auto& [shard, pairs] : gather(plan, out).missing_of) shards.push_back(shard);
  return shards;
}

ShardScript script_of(const SubmitCommand& c, const ClusterPlan& plan,
                      std::vector<std::int64_t> shards) {
  ShardScript script;
  script.program = installation().programs / "kbench";
  script.out = fs::absolute(c.out).lexically_normal();
  script.name = "kbench-" + plan.digest.substr(0, 8);
  script.shards = std::move(shards);
  script.per_node = c.per == "node";
  script.gpu = c.gpu;
  script.exclude = c.exclude;
  script.options = c.options;
  for (const auto& [option, file] :
       {std::pair("--sign", c.sign), std::pair("--trusted-keys", trusted_keys_file().string())})
    if (!file.empty()) script.run.insert(script.run.end(), {option, fs::absolute(file).string()});
  return script;
}

// A job that Slurm has forgotten is over, too.
bool is_over(const std::string& job) {
  const RunResult result = run_engine({"squeue", "-h", "-r", "-j", job, "-o", "%i"});
  return !result.status.exited || result.status.code != 0 || trim(result.output).empty();
}

// Looks once a second, and more seldom if a look takes long.
void wait_for_job(const ClusterPlan& plan, const SubmitCommand& c, const std::string& job) {
  using Clock = std::chrono::steady_clock;
  constexpr int rest = 9;  // multiple of the time that a look took
  const auto judged = counter_of_judged(plan, c.out);
  std::string said;
  watch_interrupts();
  while (!is_over(job) && !interrupted()) {
    const auto begin = Clock::now();
    const std::string line = progress_line(plan, c.out, judged());
    if (line != said) tell(said = line);
    const auto until =
        std::max(begin + std::chrono::seconds(1), Clock::now() + rest * (Clock::now() - begin));
    while (Clock::now() < until && !interrupted())
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

// Returns the job that was submitted last, "" where none was.
std::string job_of(const std::string& out) {
  return std::string(trim(read_file_if_there(job_file(out)).value_or("")));
}

// Tells whether no process and no job has shards of this run any more, and reports those that have:
// another start would wait for each. --wait waits for the job.
bool is_free(const SubmitCommand& c, const ClusterPlan& plan, Diagnostics& reports) {
  if (const std::string job = job_of(c.out); !job.empty() && !is_over(job)) {
    if (!c.wait || !c.resume) {
      reports.error({c.out}, fmt::format("job {} has shards of it, and is not over", job),
                    fmt::format("scancel {} ends it; --resume --wait waits for it, and sends what "
                                "is missing then",
                                shell_quote(job)));
      return false;
    }
    tell(fmt::format("job {} is not over\n", job));
    wait_for_job(plan, c, job);
  }
  std::vector<std::int64_t> held;
  for (const std::int64_t shard : all_shards(plan))
    if (progress_of(shard_folder(c.out, shard)).is_held) held.push_back(shard);
  if (held.empty() || interrupted()) return true;
  reports.error({c.out},
                fmt::format("{} under way: {}", held.size() == 1 ? "a shard is" : "shards are",
                            ranges_text(held)),
                fmt::format("shard {} {}", held.front(), shard_text(c.out, held.front())));
  return false;
}

int say_end(const ClusterPlan& plan, const SubmitCommand& c) {
  if (interrupted()) return exit_interrupted;
  const Gathered gathered = gather(plan, c.out);
  for (const auto& [shard, count] : gathered.missing_of) print(lack_line(c.out, shard, count));
  print(fmt::format("kbench gather {}{}\n", shell_quote(c.out), keys_words()));
  return gathered.missing == 0 ? exit_good : exit_negative;
}

// A pipe in a file's place would be waited for.
void write_in_shards(const fs::path& file, const std::string& text) {
  if (!fs::is_regular_file(fs::symlink_status(file))) fs::remove(file);
  write_file(file, text);
}

int submit_to_slurm(const SubmitCommand& c, const ClusterPlan& plan, const ShardScript& script) {
  Diagnostics reports;
  if (find_program("sbatch").empty())
    reports.error({}, "there is no sbatch here: Slurm is not installed",
                  "--engine local runs the shards on this host; --dry-run prints the script");
  if (reports.errors() > 0) return exit_after(reports, exit_environment);
  const fs::path shards = script.out / "shards";
  std::string built;
  if (plan.head.is_built) {
    write_in_shards(shards / "build.sh", slurm_build_script(script));
    built = sbatch(shards / "build.sh", "", reports);
  }
  write_in_shards(shards / "run.sh", slurm_script(script));
  const std::string job = reports.errors() > 0 ? "" : sbatch(shards / "run.sh", built, reports);
  if (job.empty()) return exit_after(reports, exit_environment);
  write_in_shards(job_file(c.out), job + "\n");
  print(fmt::format("job {}: {}\n", job, counted(script.shards.size(), "shard")));
  if (!c.wait) {
    print(fmt::format("kbench status {0}{1}\nkbench gather {0}{1}\n", shell_quote(c.out),
                      keys_words()));
    return exit_good;
  }
  wait_for_job(plan, c, job);
  return say_end(plan, c);
}

// Runs a shard, and begins it again where its process is killed, or finds this host unfit.
void run_shard_here(const ShardScript& script, std::int64_t shard) {
  const fs::path log = log_file(script.out, std::to_string(shard));
  for (int retry = 0; retry <= most_retries; ++retry) {
    const RunResult result = run_process(process_of(shard_command(script, shard)),
                                         std::chrono::hours(24 * 365), most_output, &interrupted());
    write_in_shards(log, result.output);
    if (result.status.exited && result.status.code != exit_environment) return;
  }
}

// Runs shards one after the other: each has all of this host's cores and GPUs.
int run_here(const SubmitCommand& c, const ClusterPlan& plan, const ShardScript& script) try {
  const auto judged = counter_of_judged(plan, c.out);
  watch_interrupts();
  for (const std::int64_t shard : script.shards) {
    run_shard_here(script, shard);
    tell(progress_line(plan, c.out, judged()));
  }
  return say_end(plan, c);
} catch (const Interrupted&) {
  return exit_interrupted;
}

// Returns the plan to submit; a wrong one gives nothing and is reported.
std::optional<ClusterPlan> plan_for(const SubmitCommand& c, Diagnostics& reports) {
  if (c.plan.empty()) return plan_of(c.out, reports);
  auto plan = read_plan(c.plan, reports);
  const bool is_kept = !c.dry_run || fs::exists(plan_file(c.out));
  if (plan && is_kept && !adopt_plan(*plan, c.plan, c.out, reports)) return std::nullopt;
  return plan;
}

// Rejects options that only Slurm knows.
void check_engine(const SubmitCommand& c, Diagnostics& reports) {
  const std::pair<const char*, bool> given[] = {{"--gpu means", !c.gpu.empty()},
                                                {"--per means", !c.per.empty()},
                                                {"--exclude means", !c.exclude.empty()},
                                                {"options after -- mean", !c.options.empty()}};
  for (const auto& [what, is_given] : given)
    if (is_given && c.engine == "local")
      reports.error({}, fmt::format("{} nothing with --engine local", what),
                    "each shard has all of this host's cores and GPUs");
}

void print_scripts(const SubmitCommand& c, const ClusterPlan& plan, const ShardScript& script) {
  if (c.engine == "local") {
    for (const std::int64_t shard : script.shards) {
      std::vector<std::string> words = shard_command(script, shard);
      for (std::string& word : words) word = shell_quote(word);
      print(join(words, " ") + "\n");
    }
    return;
  }
  if (plan.head.is_built) print(slurm_build_script(script) + "\n");
  print(slurm_script(script));
}

// A line break would begin another line of the script.
bool has_control(const SubmitCommand& c) {
  std::string all = c.out + c.gpu + c.exclude;
  for (const std::string& option : c.options) all += option;
  return std::any_of(all.begin(), all.end(),
                     [](unsigned char letter) { return letter < 32 || letter == 127; });
}

int submit(const SubmitCommand& c) {
  Diagnostics reports;
  if (has_control(c))
    reports.error({}, "an option has a control character, which no script of Slurm can hold");
  check_engine(c, reports);
  const auto plan = reports.errors() > 0 ? std::nullopt : plan_for(c, reports);
  if (!plan || (!c.dry_run && !is_free(c, *plan, reports))) return exit_after(reports, exit_input);
  if (interrupted()) return exit_interrupted;
  const ShardScript script =
      script_of(c, *plan, c.resume ? unfinished_shards(*plan, c.out) : all_shards(*plan));
  if (script.shards.empty()) {
    tell("nothing to submit: every pair has its record\n");
    return exit_good;
  }
  if (c.dry_run) return print_scripts(c, *plan, script), exit_good;
  return c.engine == "slurm" ? submit_to_slurm(c, *plan, script) : run_here(c, *plan, script);
}

}  // namespace

std::function<int()> declare_submit(CommandLine line) {
  auto c = std::make_shared<SubmitCommand>();
  line.add_option("option [-- OPTION...]", c->options,
                  "Options of sbatch, after --: --partition=gpu");
  line.add_option("--plan FILE", c->plan, "What kbench plan has made; default: OUT/plan.jsonl");
  line.add_option("-o,--out OUT", c->out, "The folder of the run, which all nodes see").required();
  line.add_option("--engine ENGINE", c->engine, "slurm (the default), or local: on this host")
      .one_of({"slurm", "local"});
  line.add_option("--per WHAT", c->per,
                  "What a shard has: one gpu (the default), or a node with all of its GPUs and "
                  "nobody beside it, for times that are published")
      .one_of({"gpu", "node"});
  line.add_option("--gpu TYPE", c->gpu, "The type of GPU, as Slurm's gres calls it: h100");
  line.add_option("--sign KEY", c->sign,
                  "Each shard signs its records with this key: the file is there on each node");
  line.add_option("--exclude NODES", c->exclude, "Nodes that no shard runs on: n2,n7");
  line.add_flag("--dry-run", c->dry_run,
                "Print the script, or the commands of --engine local, and run nothing");
  line.add_flag("--wait", c->wait, "Follow it until it is over");
  line.add_flag("--resume", c->resume, "Only the shards that lack records");
  return [c] { return submit(*c); };
}

}  // namespace kbench

#include "cli/judging/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/installation.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "measure/machine/identity.hpp"
#include "measure/machine/peaks.hpp"
#include "report/format.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

constexpr double least_memory = 0.0625;  // GiB; a worker needs some itself

std::vector<std::string> verdict_rule_names() {
  std::vector<std::string> names;
  for (const VerdictRule& rule : verdict_rules()) names.emplace_back(rule.name);
  return names;
}

void declare_workloads(CommandLine line, RunCommand& c) {
  line.add_option("--trace,--local PATH...", c.traces,
                  "Workload files, trace files or trace sets to judge; default: the trace set");
  line.add_option("--root DIR", c.root, "The trace set with definitions and solutions");
  line.add_option("-d,--definition,--definitions NAME...", c.selection.definitions,
                  "Only these definitions");
  line.add_option("-w,--workload UUID|AXIS=N...", c.selection.workloads,
                  "Only these workloads: uuids, or lengths as tables print them, batch=4");
  line.add_option(
      "--sweep AXIS=N,N...", c.sweep,
      "The workload at these lengths of axes in the place of its own: batch_size=1,8,64; "
      "of several axes every combination");
}

void declare_selection(CommandLine line, RunCommand& c) {
  declare_workloads(line, c);
  line.find("--trace").maybe_empty().text("[PATH]...");
  line.add_option("-s,--solution,--solutions NAME...", c.selection.solutions,
                  "Only these solutions");
  line.add_option("--kernels LIB...", c.kernels,
                  "Of each workload the kernel that these libraries have for it, in the place of "
                  "solutions: kernel yaml files, folders with some, trace sets");
  line.add_option("--baseline NAME", c.baseline,
                  "Judge what torch.compile makes of the reference, too: torch-compile")
      .one_of({std::string(compiled_reference_name)})
      .excludes("--kernels");
  line.add_option("--op-type TYPE...", c.selection.op_types, "Only these op types");
  line.add_option("--tag TAG...", c.selection.tags, "Only definitions with one of these tags");
  line.add_option("--limit N", c.limit,
                  "At most this many of the workloads that are selected: a sample, always the same "
                  "one, with each definition once before any is there twice")
      .check(integer(1, largest_setting));
  line.add_option("--shard I[/N]", c.shard,
                  "One of several parts of the work, counted from 0: 3/8; with --plan 3, or auto: "
                  "the number that Slurm, Kubernetes or Open MPI gives; see docs/cluster.md");
  line.add_option("--plan FILE", c.plan,
                  "What kbench plan has made: all of its settings, and which shard has what; "
                  "traces go to a folder of the shard below --out")
      .needs("--shard");
}

void declare_results(CommandLine line, RunCommand& c) {
  if (is_read_by_agent()) c.format = "agent";
  line.add_option("--format F", c.format,
                  join(format_names(), ", ") +
                      "; json is one array of this run's traces, google-benchmark is for "
                      "compare.py, agent the default where an agent reads")
      .one_of(format_names());
  declare_rates(line, c.rates);
  line.add_option("-o,--out DIR", c.out, "Write traces/ below this folder; default: the trace set");
  line.find("--plan").needs("--out");
  line.add_action(
      "--save-results", [&c] { c.no_save = false; }, "Write traces: the default");
  line.add_action(
      "--no-save-results", [&c] { c.no_save = true; }, "Write no traces");
  line.add_flag("--resume", c.resume, "Skip what there is a verdict for where traces are written");
}

void declare_emulation(CommandLine line, RunCommand& c) {
  line.add_flag("--emulate", c.emulate,
                "Judge solutions in CUDA and Triton on the processor, without a GPU; nothing is "
                "timed, and what is found is kept apart, in emulated/; see docs/emulation.md")
      .excludes("--audit")
      .excludes("--sanitize");
  line.add_option("--emulate-limit S", c.emulate_limit,
                  "Seconds that an emulated call may take, by an estimate beforehand; default 60")
      .check(positive(largest_setting))
      .needs("--emulate");
}

void declare_modes(CommandLine line, RunCommand& c) {
  line.add_flag("--audit", c.audit,
                "Time every call by the judge's clock and check it, each on inputs of its own; see "
                "docs/trust.md");
  line.add_option("--audit-calls N", c.audit_calls,
                  "Calls of an audit, and input sets; default: 8 to 64, as the reference is fast")
      .check(integer(1, 100000))
      .needs("--audit");
  line.add_option("--sanitize LIST", c.options.judge.sanitize,
                  "Find bugs and their lines; nothing is timed. C++ is rebuilt with gcc's address, "
                  "undefined or both; CUDA runs under compute-sanitizer's memcheck, racecheck, "
                  "initcheck, synccheck; see docs/sanitize.md")
      .check([](const std::string& list) {
        return parse_sanitizers(list) ? ""
                                      : "the list may hold address, undefined, memcheck, "
                                        "racecheck, initcheck, synccheck with commas between";
      })
      .excludes("--audit");
  declare_emulation(line, c);
  line.add_flag("--profile", c.options.profile,
                "Call what passed in CUDA once more under NVIDIA's ncu, and keep its report in "
                "profiles/ beside traces/; see docs/cuda.md")
      .excludes("--sanitize")
      .excludes("--emulate")
      .excludes("--no-save-results");
  line.add_flag("--rank", c.rank,
                "Time the solutions of a workload in turn, until it is known which is the fastest")
      .excludes("--audit")
      .excludes("--sanitize")
      .excludes("--profile")
      .excludes("--emulate")
      .excludes("--resume");
  line.add_flag("--gate", c.gate, "Say whether it may be merged, as kbench gate does")
      .excludes("--resume");
  line.add_flag("--watch", c.watch,
                "Judge again what a file changes, as often as one does, until ^C")
      .excludes("--rank")
      .excludes("--gate")
      .excludes("--emulate")
      .excludes("--resume");
  declare_gate_options(line, c.gate_options);
  line.add_option(
          "--base DIR", c.gate_options.base,
          "Another state of the trace set, such as a work tree of git: what passes here and "
          "is another program there is timed in turn with that one")
      .excludes("--against")
      .excludes("--sanitize");
  line.add_flag("--allow-unrun", c.allow_unrun,
                "Let solutions pass that are built, and not run for want of a GPU");
  line.add_flag("--allow-emulated", c.allow_emulated,
                "Let solutions in CUDA and Triton pass that passed by emulation alone");
  for (const char* const name :
       {"--against", "--policy", "--junit", "--base", "--allow-unrun", "--allow-emulated"})
    line.find(name).needs("--gate");
}

void declare_judgement(CommandLine line, RunCommand& c) {
  line.add_option("--seed N", c.seed, "Seed of the inputs; default 0, with --audit a secret one")
      .check(unsigned_integer());
  line.add_option(
          "--rule RULE", c.options.rule,
          "Verdict rule (docs/verdict.md); kernelbench and robust-kbench are our reading of "
          "theirs; default " +
              c.options.rule)
      .one_of(verdict_rule_names());
  declare_settings(line, c.options.judge, SettingGroup::reference);
  line.add_option("--config FILE", c.config_file, "Settings per op type and definition (YAML)");
  line.add_option("--rtol R", c.settings.rtol, "Relative tolerance; default: the rule's")
      .check(positive(largest_setting));
  line.add_option("--atol A", c.settings.atol, "Absolute tolerance; default: the rule's")
      .check(positive(largest_setting));
  line.add_option("--num-trials N", c.settings.num_trials, "Input sets that are judged")
      .check(integer(1, largest_setting));
  line.add_option("--required-matched-ratio Q", c.settings.required_matched_ratio,
                  "Share of elements within tolerance")
      .check(positive(1));
}

void declare_effort(CommandLine line, RunCommand& c) {
  line.add_option("--warmup-runs N", c.settings.warmup_runs, "Calls before timing")
      .check(integer(0, largest_setting));
  line.add_option("--iterations N", c.settings.iterations, "Samples of the timing")
      .check(integer(1, largest_setting));
  line.add_action(
      "--profile-baseline", [&c] { c.profile_baseline = true; },
      "Time the reference, too: the default");
  line.add_action(
      "--no-profile-baseline", [&c] { c.profile_baseline = false; }, "Do not time the reference");
  line.add_read(
          "--reference-device DEVICE",
          [&c](const std::string& device) { c.options.references_on_gpu = device == "auto"; },
          "Where the reference is timed: cpu, or auto (the default), which is the GPU for "
          "solutions that run there; with cpu these have no speed-up")
      .one_of({"auto", "cpu"});
  declare_settings(line, c.options.judge, SettingGroup::timing);
}

// Declares how untrusted programs are held, and how many compilers run.
void declare_holding(CommandLine line, RunCommand& c) {
  line.add_option(
          "--isolation LEVEL", c.isolation,
          "How solutions are held: A (namespaces), B (Landlock), C (resource limits alone), "
          "or auto (the default): the best that this machine and user can have")
      .one_of({"A", "B", "C", "auto"});
  line.add_option("--require-isolation LEVEL", c.required_isolation,
                  "Judge nothing (exit 3) where solutions would be held less strictly than this")
      .one_of({"A", "B", "C"});
  line.add_read(
      "--sign KEY",
      [&c](const std::string& file) { c.options.signing_key = SigningKey::read(file); },
      "Sign the records with this key of Ed25519 (PEM, as openssl genpkey writes it); "
      "at the levels A and B alone; see docs/records.md");
  line.add_option("-j,--jobs N", c.options.build_jobs,
                  "Compilers at a time; default: the number of cores")
      .check(integer(1, 4096));
  line.add_option("--build-timeout S", c.options.build_timeout_seconds,
                  "Seconds the build of one solution may take; default 300")
      .check(integer(1, largest_setting));
}

void declare_no_cache(CommandLine line, RunCommand& c) {
  line.add_flag("--no-cache", c.no_cache,
                "Build and evaluate anew; look up nothing and keep nothing");
}

void declare_limits(CommandLine line, RunCommand& c) {
  line.add_option("--timeout S", c.timeout, "Seconds one call, one load or one reference may take")
      .check(integer(1, largest_setting));
  line.add_option("--memory GIB", c.memory_gib, "GiB a solution may allocate; default 8")
      .check(number(least_memory, 1e6));
  declare_holding(line, c);
  declare_threads(line, c);
  declare_no_cache(line, c);
}

// Tells whether an option changes what a record says, beside the settings of a judgement and
// without what reproduce_line() itself says.
bool changes_a_record(const std::string& name) {
  constexpr std::string_view others[] = {"rule",
                                         "config",
                                         "rtol",
                                         "atol",
                                         "num-trials",
                                         "iterations",
                                         "warmup-runs",
                                         "audit",
                                         "timeout",
                                         "required-matched-ratio",
                                         "memory",
                                         "threads",
                                         "build-timeout",
                                         "audit-calls",
                                         "sanitize",
                                         "emulate",
                                         "emulate-limit",
                                         "profile-baseline",
                                         "isolation",
                                         "out",
                                         "sign",
                                         "no-save-results",
                                         "no-profile-baseline",
                                         "require-isolation"};
  return is_one_of(name, others) || is_setting(name);
}

void declare_gpus(CommandLine line, RunCommand& c) {
  declare_settings(line, c.options.judge, SettingGroup::gpu);
  line.add_option("--gpus N", c.options.gpus,
                  "GPUs that solutions are run on at once, with --rank one; default: all that "
                  "are free, where there are two cores for each")
      .check(integer(1, 1024));
}

}  // namespace

RunCommand::RunCommand() {
  options.rule = verdict_rule_names().front();
  options.build_jobs = core_count();
}

RunOptions machine_options(const RunCommand& c) {
  RunOptions options = c.options;
  options.programs = installation().programs;
  options.worker_limits.isolation = *c.held_at;
  if (!c.caches) return options;
  options.build_cache = c.caches->builds;
  options.build_limits = c.caches->build_limits;
  options.answer_cache = c.caches->answers;
  options.answer_limits = c.caches->answer_limits;
  options.peaks = find_peaks(Cache(c.caches->peaks, c.caches->peak_limits), core_count());
  return options;
}

void declare_run_options(CommandLine line, RunCommand& command) {
  declare_selection(line, command);
  declare_results(line, command);
  declare_judgement(line, command);
  declare_modes(line, command);
  declare_effort(line, command);
  declare_settings(line, command.options.judge, SettingGroup::cold);
  declare_configuring(line, command.configuring);
  declare_stamps(line, command.stamps);
  declare_limits(line, command);
  declare_gpus(line, command);
}

void declare_tune_options(CommandLine line, RunCommand& command) {
  line.add_option("--root DIR", command.root, "The trace set");
  line.add_option("-s,--solution NAME", command.selection.solutions,
                  "Only these solutions; default: all that declare parameters")
      .one_word();
  line.add_option("-w,--workload UUID", command.selection.workloads, "Tune on these workloads")
      .one_word();
  declare_judgement(line, command);
  line.find("--seed").doc("Seed of the inputs and of the search; default 0");
  declare_trace_events(line, command.stamps);
  declare_limits(line, command);
}

void declare_threads(CommandLine line, RunCommand& command) {
  line.add_option(
          "--threads N", command.threads,
          "Threads that a solution and the reference may have; default: one less than there "
          "are cores, so that the judge has one")
      .check([](const std::string& text) {
        const int cores = core_count();
        const std::string wrong = integer(1, cores)(text);
        return wrong.empty() ? "" : fmt::format("{}: kbench has {}", wrong, counted(cores, "core"));
      });
}

// Declares options that take one word each, since two more words follow that are none of theirs.
void declare_compare_options(CommandLine line, RunCommand& command) {
  declare_workloads(line, command);
  line.take_one_word_each();
  line.add_option("-o,--out DIR", command.out, "Write traces/ below this folder; default: nowhere");
  declare_judgement(line, command);
  declare_settings(line, command.options.judge, SettingGroup::cold);
  declare_configuring(line, command.configuring);
  declare_limits(line, command);
}

void declare_building(CommandLine line, RunCommand& command) {
  declare_holding(line, command);
  declare_no_cache(line, command);
}

int threads_for(const RunCommand& c) {
  return c.threads > 0 ? c.threads : std::max(1, core_count() - 1);
}

std::string given_options(const CommandLine& line) {
  std::string words;
  for (const GivenOption& option : line.given()) {
    if (!changes_a_record(option.name)) continue;
    const std::string name = " --" + option.name;
    if (option.values.empty()) words += name;
    for (const std::string& value : option.values) words += name + " " + shell_quote(value);
  }
  return words;
}

}  // namespace kbench

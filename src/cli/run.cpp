// kbench run: judges solutions on workloads and writes traces.
#include "evaluate/run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/progress.hpp"
#include "cli/targets.hpp"
#include "cli/terminal.hpp"
#include "report/format.hpp"
#include "schema/config.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct RunCommand {
  std::vector<std::string> traces;
  std::string root;
  Selection selection;
  std::string config_file;
  RunConfig settings;  // of the command line
  std::string rule = "flashinfer-bench";
  std::string format = "table";
  std::string out;
  bool no_save = false;
  bool resume = false;
  std::uint64_t seed = 0;
  int threads = 0;
  int jobs = 0;
  double budget = 0.05;
  std::int64_t timeout = 0;
  double memory_gib = 8;
};

std::atomic<bool> interrupted{false};

void on_interrupt(int) {
  constexpr std::string_view text =
      "\nkbench: interrupted: the record in hand is finished; once more ends at once\n";
  interrupted = true;
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody reads it
}

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

void declare_options(CLI::App& app, RunCommand& c) {
  app.add_option("--trace,--local", c.traces,
                 "Workload files, trace files or trace sets to judge; default: the trace set")
      ->expected(0, -1)
      ->option_text("PATH...");
  app.add_option("--root", c.root, "The trace set with definitions and solutions")
      ->option_text("DIR");
  app.add_option("-d,--definition,--definitions", c.selection.definitions, "Only these definitions")
      ->option_text("NAME...");
  app.add_option("-s,--solution,--solutions", c.selection.solutions, "Only these solutions")
      ->option_text("NAME...");
  app.add_option("-w,--workload", c.selection.workloads, "Only these workloads")
      ->option_text("UUID...");
  app.add_option("--op-type", c.selection.op_types, "Only these op types")->option_text("TYPE...");
  app.add_option("--tag", c.selection.tags, "Only definitions with one of these tags")
      ->option_text("TAG...");
  app.add_option("--format", c.format, "table, json (one array of this run's traces) or jsonl")
      ->check(CLI::IsMember(format_names()))
      ->option_text("F");
  app.add_option("-o,--out", c.out, "Write traces/ below this folder; default: the trace set")
      ->option_text("DIR");
  app.add_flag("--no-save-results{true},--save-results{false}", c.no_save, "Write no traces");
  app.add_flag("--resume", c.resume, "Skip what there is a verdict for where traces are written");
  app.add_option("--seed", c.seed, "Seed of the inputs; default 0")->option_text("N");
  app.add_option("--rule", c.rule, "Verdict rule")->option_text("RULE");
  app.add_option("--config", c.config_file, "Settings per op type and definition (YAML)")
      ->option_text("FILE");
  app.add_option("--warmup-runs", c.settings.warmup_runs, "Calls before timing")->option_text("N");
  app.add_option("--iterations", c.settings.iterations, "Samples of the timing")->option_text("N");
  app.add_option("--num-trials", c.settings.num_trials, "Input sets that are judged")
      ->option_text("N");
  app.add_option("--rtol", c.settings.rtol, "Relative tolerance")->option_text("R");
  app.add_option("--atol", c.settings.atol, "Absolute tolerance")->option_text("A");
  app.add_option("--required-matched-ratio", c.settings.required_matched_ratio,
                 "Share of elements within tolerance")
      ->option_text("Q");
  app.add_flag("--profile-baseline{true},--no-profile-baseline{false}", c.settings.profile_baseline,
               "Time the reference, too");
  app.add_option("--timeout", c.timeout, "Seconds one call, one load or one reference may take")
      ->option_text("S");
  app.add_option("--budget", c.budget, "Seconds of timing for each evaluation; default 0.05")
      ->check(CLI::PositiveNumber)
      ->option_text("S");
  app.add_option("--memory", c.memory_gib, "GiB a solution may allocate; default 8")
      ->check(CLI::PositiveNumber)
      ->option_text("GIB");
  app.add_option("-j,--jobs", c.jobs, "Compilers at a time; default: the number of cores")
      ->option_text("N");
  app.add_option("--threads", c.threads,
                 "Threads of a solution and of the reference; default: the number of cores")
      ->option_text("N");
}

// The settings of the file, then those of the command line above them.
std::optional<RunConfig> settings_of(const RunCommand& c, Diagnostics& out) {
  RunConfig config = default_config();
  if (!c.config_file.empty()) {
    const auto text = read_file_if_there(c.config_file);
    if (!text) {
      out.error({c.config_file, 0, 0, "", ""}, "no such file");
      return std::nullopt;
    }
    auto read = read_config({c.config_file, *text}, out);
    if (!read) return std::nullopt;
    config = std::move(*read);
  }
  const auto over = [](auto& below, const auto& above) {
    if (above) below = above;
  };
  over(config.warmup_runs, c.settings.warmup_runs);
  over(config.iterations, c.settings.iterations);
  over(config.num_trials, c.settings.num_trials);
  over(config.rtol, c.settings.rtol);
  over(config.atol, c.settings.atol);
  over(config.required_matched_ratio, c.settings.required_matched_ratio);
  config.profile_baseline = config.profile_baseline && c.settings.profile_baseline;
  if (c.timeout > 0) config.timeout_seconds = c.timeout;
  return config;
}

// A value out of range on the command line.
void check_ranges(const RunCommand& c, Diagnostics& out) {
  const auto want = [&out](bool good, std::string_view option, std::string_view what) {
    if (!good) out.error({}, fmt::format("{} must be {}", option, what));
  };
  const RunConfig& s = c.settings;
  want(s.warmup_runs.value_or(0) >= 0, "--warmup-runs", "0 or more");
  want(s.iterations.value_or(1) > 0, "--iterations", "greater than 0");
  want(s.num_trials.value_or(1) > 0, "--num-trials", "greater than 0");
  want(s.rtol.value_or(1) > 0, "--rtol", "greater than 0");
  want(s.atol.value_or(1) > 0, "--atol", "greater than 0");
  const double ratio = s.required_matched_ratio.value_or(1);
  want(ratio > 0 && ratio <= 1, "--required-matched-ratio", "greater than 0 and at most 1");
  want(c.timeout >= 0, "--timeout", "greater than 0");
  want(c.threads >= 0 && c.jobs >= 0, "--threads and --jobs", "0 or more");
  if (find_rule(c.rule) == nullptr) {
    std::vector<std::string> known;
    for (const VerdictRule& rule : verdict_rules()) known.emplace_back(rule.name);
    out.error({}, fmt::format("unknown rule \"{}\"; known: {}", c.rule, join(known, ", ")),
              did_you_mean(c.rule, known));
  }
}

void print_reports(const Diagnostics& reports, bool quiet) {
  for (const Diagnostic& report : reports.items()) {
    if (report.level == Level::error || (!quiet && report.level == Level::warning)) {
      const std::string text = render(report, terminal().colour_err);
      std::fwrite(text.data(), 1, text.size(), stderr);
    }
  }
}

// Where traces/ is; "" for nowhere.
fs::path out_for(const RunCommand& c, const TraceSet& set) {
  if (c.no_save) return {};
  return c.out.empty() ? set.root : fs::path(c.out);
}

RunOptions options_of(const RunCommand& c, const RunConfig& config, const TraceSet& set) {
  RunOptions options;
  options.programs = fs::read_symlink("/proc/self/exe").parent_path();
  options.out = out_for(c, set);
  options.config = config;
  options.rule = c.rule;
  options.seed = c.seed;
  options.threads = c.threads > 0 ? c.threads : cores();
  options.build_jobs = c.jobs > 0 ? c.jobs : cores();
  options.budget_seconds = c.budget;
  options.worker_limits.threads = options.threads;
  options.worker_limits.call_seconds = static_cast<double>(config.timeout_seconds);
  options.worker_limits.load_seconds = std::min(30.0, static_cast<double>(config.timeout_seconds));
  options.worker_limits.memory_bytes =
      static_cast<std::uint64_t>(c.memory_gib * 1024 * 1024 * 1024);
  options.reference_limits.seconds = static_cast<double>(config.timeout_seconds);
  return options;
}

// The command that judges one record again, alone.
std::string reproduce_line(const Trace& trace, const RunCommand& c, const TraceSet& set) {
  std::string line =
      fmt::format("kbench run --root {} --definition {} --solution {} --workload {} --seed {}",
                  set.root.string(), trace.definition, trace.solution.value_or(""),
                  trace.workload.uuid, c.seed);
  if (!c.config_file.empty()) line += " --config " + c.config_file;
  return line;
}

RunTotals run_target(const RunCommand& c, const RunConfig& config, const Target& target,
                     const std::vector<Job>& jobs, std::vector<Trace>& traces) {
  ProgressLine progress(count_evaluations(jobs), terminal().progress, 100);
  RunEvents events;
  const auto name = [](const Job& job, const Solution& solution) {
    return fmt::format("{} {} {}", job.definition->name,
                       job.workload->record.workload.uuid.substr(0, 8), solution.name);
  };
  events.started = [&](const Job& job, const Solution& solution) {
    progress.show(name(job, solution));
  };
  events.finished = [&](const Job&, const Solution&, const Trace& trace) {
    progress.advance(1);
    traces.push_back(trace);
    if (trace.evaluation->status == Status::passed || terminal().quiet) return;
    progress.clear();
    tell(fmt::format("{} {}: {}\n  again: {}\n", status_name(trace.evaluation->status),
                     trace.solution.value_or(""),
                     trace.evaluation->kbench && trace.evaluation->kbench->cause
                         ? *trace.evaluation->kbench->cause
                         : "",
                     reproduce_line(trace, c, target.set)));
  };
  events.abandoned = [&](const Job& job) { progress.advance(job.solutions.size()); };
  events.reported = [&](const Diagnostics& reports) {
    progress.clear();
    print_reports(reports, terminal().quiet);
  };
  return run_jobs(target.set, jobs, options_of(c, config, target.set), events, interrupted);
}

int exit_status(const RunTotals& totals, bool input_errors) {
  if (totals.interrupted) return exit_interrupted;
  if (totals.broken) return exit_environment;
  if (input_errors || totals.abandoned > 0) return exit_input;
  if (totals.failed > 0) return exit_negative;
  return totals.passed > 0 ? exit_good : exit_undecided;
}

void tell_totals(const RunTotals& t, bool input_errors) {
  if (t.passed + t.failed + t.abandoned + t.refused == 0) {
    const bool why_is_said = input_errors || t.broken || t.interrupted;
    if (!why_is_said) tell("nothing to do: no workload with a solution is selected\n");
    return;
  }
  std::string text = fmt::format("{} passed, {} failed", t.passed, t.failed);
  if (t.abandoned > 0) text += fmt::format(", {} not judged", t.abandoned);
  if (t.refused > 0) text += fmt::format(", {} refused", t.refused);
  if (t.interrupted) text += ", interrupted";
  tell(text + "\n");
}

// What the configuration selects, where the command line selects nothing.
Selection selection_of(const RunCommand& c, const RunConfig& config) {
  Selection selection = c.selection;
  const auto fall_back = [](auto& names, const auto& configured) {
    if (configured && names.empty()) names = *configured;
  };
  fall_back(selection.definitions, config.definitions);
  fall_back(selection.solutions, config.solutions);
  return selection;
}

bool writes_elsewhere(const RunCommand& c) { return !c.no_save && !c.out.empty(); }

std::vector<Job> jobs_for(const RunCommand& c, const Target& target, const Selection& selection,
                          Diagnostics& out) {
  std::vector<Job> jobs = plan_jobs(target.set, target.workloads, selection, out);
  if (!c.resume) return jobs;
  if (!writes_elsewhere(c)) return without_done(std::move(jobs), target.set.traces);
  if (!fs::is_directory(c.out)) return jobs;  // nothing was ever written
  return without_done(std::move(jobs), load_trace_set(c.out, {false, true, 0}, out).traces);
}

bool can_write(const fs::path& out, Diagnostics& reports) {
  if (out.empty()) return true;
  try {
    const fs::path probe = out / "traces" / fmt::format(".kbench-{}", ::getpid());
    write_file(probe, "");
    fs::remove(probe);
    return true;
  } catch (const std::exception& error) {
    reports.error({out.string(), 0, 0, "", ""},
                  fmt::format("no traces can be written there: {}", error.what()),
                  "name another folder with --out DIR, or write none with --no-save-results");
    return false;
  }
}

void add(RunTotals& totals, const RunTotals& part) {
  totals.passed += part.passed;
  totals.failed += part.failed;
  totals.abandoned += part.abandoned;
  totals.refused += part.refused;
  totals.broken |= part.broken;
}

// The trace sets of a run, and what there is to judge in each.
struct Plan {
  std::vector<Target> targets;
  std::vector<std::vector<Job>> jobs;
};

Plan plan_run(const RunCommand& c, const RunConfig& config, Diagnostics& reports) {
  Plan plan;
  plan.targets = load_targets(c.traces, c.root, c.resume && !writes_elsewhere(c), reports);
  const Selection selection = selection_of(c, config);
  for (const Target& target : plan.targets)
    plan.jobs.push_back(jobs_for(c, target, selection, reports));
  return plan;
}

// Judging takes long: what would stop it at the first record is found before.
bool can_write_all(const RunCommand& c, const Plan& plan, Diagnostics& reports) {
  bool good = true;
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    if (!plan.jobs[i].empty()) good &= can_write(out_for(c, plan.targets[i].set), reports);
  }
  return good;
}

RunTotals run_plan(const RunCommand& c, const RunConfig& config, const Plan& plan,
                   std::vector<Trace>& traces) {
  RunTotals totals;
  watch_interrupts();
  for (std::size_t i = 0; i < plan.targets.size() && !interrupted; ++i) {
    if (plan.jobs[i].empty()) continue;
    add(totals, run_target(c, config, plan.targets[i], plan.jobs[i], traces));
  }
  totals.interrupted = interrupted;
  return totals;
}

// Judges all there is to judge, also where other input was wrong.
int run_all(const RunCommand& c, const RunConfig& config, Diagnostics reports) {
  const Plan plan = plan_run(c, config, reports);
  const bool input_errors = reports.errors() > 0;
  const bool writable = can_write_all(c, plan, reports);
  print_reports(reports, terminal().quiet);
  if (!writable) return exit_environment;
  std::vector<Trace> traces;
  const RunTotals totals = run_plan(c, config, plan, traces);
  print(find_format(c.format)->write(traces, {terminal().colour_out, terminal().width}));
  tell_totals(totals, input_errors);
  return exit_status(totals, input_errors);
}

int run(const RunCommand& c) {
  Diagnostics reports;
  check_ranges(c, reports);
  const auto config = settings_of(c, reports);
  if (reports.errors() == 0 && config) return run_all(c, *config, std::move(reports));
  print_reports(reports, terminal().quiet);
  return exit_input;
}

}  // namespace

std::function<int()> declare_run(CLI::App& app) {
  auto command = std::make_shared<RunCommand>();
  declare_options(app, *command);
  return [command] { return run(*command); };
}

}  // namespace kbench

// kbench run: judges solutions on workloads and writes traces.
#include "evaluate/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/github.hpp"
#include "cli/names.hpp"
#include "cli/progress.hpp"
#include "cli/ranking.hpp"
#include "cli/run_options.hpp"
#include "cli/running.hpp"
#include "cli/stored_runs.hpp"
#include "cli/targets.hpp"
#include "cli/terminal.hpp"
#include "cli/watching.hpp"
#include "report/comparison.hpp"
#include "report/format.hpp"
#include "report/github.hpp"
#include "report/ranking.hpp"
#include "schema/config.hpp"
#include "schema/scan.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Where traces/ is; "" for nowhere.
fs::path out_for(const RunCommand& c, const TraceSet& set) {
  if (c.no_save) return {};
  return c.out.empty() ? set.root : fs::path(c.out);
}

// All workloads together are wrong with the error of one rule: each has its part of it.
ContestRule ranking_rule(const RunCommand& c, std::size_t jobs) {
  ContestRule rule;
  rule.compare = rule.compare.of_each(jobs);
  rule.pace.cold = c.cold;
  return rule;
}

RunOptions options_of(const RunCommand& c, const RunConfig& config, const TraceSet& set,
                      std::size_t jobs) {
  RunOptions options = run_options_of(c, config);
  options.out = out_for(c, set);
  if (c.rank) options.contest = ranking_rule(c, jobs);
  return options;
}

// What a run has found.
struct Found {
  std::vector<Trace> traces;
  std::vector<RankedWorkload> ranking;
  // To watch: the files that it rests on, as they were when it had read them.
  std::vector<fs::path> sources;
  Stamps seen;
};

RunTotals run_target(const RunCommand& c, const RunOptions& options, const Target& target,
                     const std::vector<Job>& jobs, Found& found) {
  ProgressLine progress(terminal().progress, terminal().width);
  ReportPrinter printer;
  RunEvents events;
  events.planned = [&](std::size_t evaluations) { progress.expect(evaluations); };
  events.started = [&](const Job& job, const Solution& solution) {
    progress.show(name_of(job, solution));
  };
  events.finished = [&](const Job& job, const Solution&, const Trace& trace) {
    progress.advance(1);
    found.traces.push_back(trace);
    if (trace.evaluation->status == Status::passed || terminal().quiet) return;
    progress.clear();
    tell(fmt::format("{} {}: {}\n  again: {}\n", status_name(trace.evaluation->status),
                     trace.solution.value_or(""),
                     trace.evaluation->kbench && trace.evaluation->kbench->cause
                         ? *trace.evaluation->kbench->cause
                         : "",
                     reproduce_line(trace, c, target, job.workload->path)));
  };
  events.contested = [&](const Job& job, const WorkloadContest& contest) {
    found.ranking.push_back(rank(job, contest));
  };
  events.abandoned = [&](const Job& job) { progress.advance(job.solutions.size()); };
  events.reported = [&](const Diagnostics& reports) {
    progress.clear();
    printer.print(reports);
  };
  return run_jobs(target.set, jobs, options, events, interrupted());
}

int exit_status(const RunTotals& totals, bool input_errors) {
  if (totals.interrupted) return exit_interrupted;
  if (totals.broken) return exit_environment;
  if (input_errors || totals.abandoned > 0) return exit_input;
  if (totals.failed > 0) return exit_negative;
  return totals.passed > 0 ? exit_good : exit_undecided;
}

bool is_nothing(const RunTotals& t) { return t.passed + t.failed + t.abandoned + t.refused == 0; }

void tell_totals(const RunTotals& t) {
  if (is_nothing(t)) return;
  std::string text = fmt::format("{} passed, {} failed", t.passed, t.failed);
  if (t.abandoned > 0) text += fmt::format(", {} not judged", t.abandoned);
  if (t.refused > 0) text += fmt::format(", {} refused", t.refused);
  if (t.interrupted) text += ", interrupted";
  tell(text + "\n");
}

bool writes_elsewhere(const RunCommand& c) { return !c.no_save && !c.out.empty(); }

// What was judged before: `known`, or what a run that resumes finds where it writes.
std::vector<Stored<Trace>> done_for(const RunCommand& c, const std::vector<Stored<Trace>>& known,
                                    Target& target, Diagnostics& out) {
  if (!c.resume) return known;
  if (!writes_elsewhere(c)) return std::move(target.set.traces);
  if (!is_folder(fs::path(c.out) / "traces")) return {};  // nothing was ever written
  return load_trace_set(c.out, {false, true, 0}, out).traces;
}

// Settings for what is in none of the trace sets have no effect.
void check_names(const Source& config, const std::vector<Target>& targets, Diagnostics& reports) {
  std::vector<std::string> definitions;
  std::vector<std::string> op_types;
  for (const Target& target : targets) {
    for (const auto& stored : target.set.definitions) {
      definitions.push_back(stored.record.name);
      op_types.push_back(stored.record.op_type);
    }
    const auto& broken = target.set.broken_definitions;
    definitions.insert(definitions.end(), broken.begin(), broken.end());
  }
  check_config_names(config, definitions, op_types, reports);
}

// The trace sets of a run, and what there is to judge in each.
struct Plan {
  std::vector<Target> targets;
  std::vector<std::vector<Job>> jobs;
  std::vector<std::vector<Stored<Trace>>> done;
};

Plan plan_run(const RunCommand& c, const Settings& settings,
              const std::vector<Stored<Trace>>& known, Diagnostics& reports) {
  Plan plan;
  plan.targets = load_targets(c.traces, c.root, {c.resume && !writes_elsewhere(c)}, reports);
  if (settings.file) check_names(*settings.file, plan.targets, reports);
  const Selection selection = selection_of(c, settings);
  for (Target& target : plan.targets) {
    plan.jobs.push_back(plan_jobs(target.set, target.workloads, selection, reports));
    plan.done.push_back(done_for(c, known, target, reports));
  }
  return plan;
}

void tell_nothing(const RunCommand& c, const Plan& plan, bool is_first) {
  if (!is_first) return tell("nothing is judged again: all verdicts stand\n");
  std::size_t workloads = 0;
  std::size_t solutions = 0;
  for (const Target& target : plan.targets) {
    workloads += target.workloads.size();
    solutions += target.set.solutions.size();
  }
  tell(fmt::format("nothing to do: of {} and {}, no workload with a solution is selected{}\n",
                   counted(workloads, "workload"), counted(solutions, "solution"),
                   c.resume ? " that has no verdict yet" : ""));
}

bool can_write_all(const RunCommand& c, const Plan& plan, Diagnostics& reports) {
  bool good = true;
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    if (!plan.jobs[i].empty()) good &= can_write(out_for(c, plan.targets[i].set), reports);
  }
  return good;
}

RunTotals run_plan(const RunCommand& c, const RunConfig& config, const Plan& plan, Found& found) {
  RunTotals totals;
  std::size_t jobs = 0;
  for (const auto& of_target : plan.jobs) jobs += of_target.size();
  watch_interrupts();
  for (std::size_t i = 0; i < plan.targets.size() && !interrupted(); ++i) {
    if (plan.jobs[i].empty()) continue;
    RunOptions options = options_of(c, config, plan.targets[i].set, jobs);
    options.done = &plan.done[i];
    add(totals, run_target(c, options, plan.targets[i], plan.jobs[i], found));
  }
  totals.interrupted = interrupted();
  return totals;
}

RunRecords records_of(const std::vector<Trace>& traces) {
  RunRecords records;
  for (const Trace& trace : traces)
    records[{trace.definition, trace.workload.uuid}].insert_or_assign(
        *trace.solution, Stored<Trace>{trace, "this run"});
  return records;
}

// Formats of traces have no place for it.
void print_ranking(const RunCommand& c, const std::vector<RankedWorkload>& ranking) {
  if (c.format == "table")
    print(write_ranking(ranking, {terminal().colour_out, terminal().width}));
  else
    tell(write_ranking(ranking, {false, terminal().width}));
}

// What verdicts rest on: all in the trace sets but traces, and what the command line names.
std::vector<fs::path> sources_of(const RunCommand& c, const Plan& plan) {
  std::vector<fs::path> sources;
  for (const std::string& path : c.traces)
    if (!fs::is_directory(path)) sources.emplace_back(path);
  for (const Target& target : plan.targets)
    for (const Folder folder : {Folder::definitions, Folder::workloads, Folder::solutions})
      sources.push_back(target.set.root / folder_name(folder));
  return sources;
}

// The status of a run that has its gate: that of the gate, unless something worse came between.
int gate_status(const RunCommand& c, const std::optional<Gate>& gate, const Found& found,
                int status) {
  const bool is_judged = status == exit_good || status == exit_negative;
  if (!gate || !is_judged) return status;
  const bool has_place = c.format == "table" || c.format == "markdown" || c.format == "github";
  return pass_gate(*gate, records_of(found.traces), has_place ? c.format : "", false);
}

void print_found(const RunCommand& c, const Plan& plan, const Found& found) {
  const ReportOptions report{terminal().colour_out, terminal().width,
                             files_of_solutions(plan.targets)};
  const bool is_gates = c.gate && c.format == "github";  // it annotates what fails, and sums up
  if (!is_gates) print(find_format(c.format)->write(found.traces, report));
  if (!is_gates && c.format == "github") append_step_summary(github_summary(found.traces));
  print_ranking(c, found.ranking);
}

// Judges all there is to judge, also where other input was wrong; what one of `known` stands for is
// judged already. Adds what it found.
int run_all(const RunCommand& c, const Settings& settings, const std::vector<Stored<Trace>>& known,
            Diagnostics reports, Found& found) {
  const Plan plan = plan_run(c, settings, known, reports);
  if (c.watch) found.seen = stamps_of(found.sources = sources_of(c, plan));
  const bool input_errors = reports.errors() > 0;
  const auto gate = c.gate ? open_gate(c.gate_options, reports) : std::nullopt;
  const bool writable = can_write_all(c, plan, reports);
  ReportPrinter().print(reports);
  if (!writable) return exit_environment;
  if (c.gate && !gate) return exit_input;
  const RunTotals totals = run_plan(c, settings.config, plan, found);
  print_found(c, plan, found);
  tell_totals(totals);
  if (is_nothing(totals) && !input_errors && !totals.broken && !totals.interrupted)
    tell_nothing(c, plan, known.empty());
  return gate_status(c, gate, found, exit_status(totals, input_errors));
}

// What changed in time, of those that were judged before and now.
void tell_change(const RunRecords& before, const RunRecords& now) {
  ComparisonReport report{"before", "now"};
  Diagnostics obstacles;
  compare_records(report, before, now, false, obstacles);
  ReportPrinter().print(obstacles);
  if (!report.workloads.empty())
    print(write_comparison_table(report, {terminal().colour_out, terminal().width}));
}

std::vector<Stored<Trace>> all_of(const RunRecords& records) {
  std::vector<Stored<Trace>> traces;
  for (const auto& [workload, of_solutions] : records)
    for (const auto& [solution, record] : of_solutions) traces.push_back(record);
  return traces;
}

// Until ^C.
int watch(const RunCommand& c, const Settings& settings, const Diagnostics& reports) {
  RunRecords last;
  while (true) {
    Found found;
    const int status = run_all(c, settings, all_of(last), reports, found);
    if (interrupted() || found.sources.empty()) return status;
    const RunRecords now = records_of(found.traces);
    tell_change(last, now);
    for (const auto& [workload, of_solutions] : now)
      for (const auto& [solution, record] : of_solutions)
        last[workload].insert_or_assign(solution, record);
    tell("waiting for a change; ^C ends this\n");
    const Stamps changes = wait_for_change(found.sources, found.seen, interrupted());
    if (interrupted()) return exit_interrupted;
    tell("\nchanged: " + join(changed(found.seen, changes), ", ") + "\n");
  }
}

int run(RunCommand& c) {
  return with_settings(c, [&](const Settings& settings, Diagnostics reports) {
    if (check_engine(c, settings, reports)) {
      Found found;
      return c.watch ? watch(c, settings, reports)
                     : run_all(c, settings, {}, std::move(reports), found);
    }
    ReportPrinter().print(reports);
    return static_cast<int>(exit_input);
  });
}

}  // namespace

std::function<int()> declare_run(CLI::App& app) {
  auto command = std::make_shared<RunCommand>();
  declare_run_options(app, *command);
  return [command, &app] {
    command->given = given_options(app);
    return run(*command);
  };
}

}  // namespace kbench

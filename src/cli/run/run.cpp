#include "cli/run/run.hpp"

// kbench run: judges solutions on workloads and writes traces.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/compare/base.hpp"
#include "cli/compare/gate.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/judging/running.hpp"
#include "cli/run/remarks.hpp"
#include "cli/run/run_plan.hpp"
#include "cli/run/shard_part.hpp"
#include "cli/run/watching.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/run.hpp"
#include "report/comparison.hpp"
#include "report/format.hpp"
#include "report/gate.hpp"
#include "report/github.hpp"
#include "report/kernel_profile.hpp"
#include "report/results.hpp"
#include "schema/config.hpp"
#include "schema/scan.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Rule of each workload: all together err with the error of one rule, and each has its part of it.
ContestRule ranking_rule(const RunCommand& c, std::size_t jobs) {
  ContestRule rule;
  rule.compare = rule.compare.of_each(jobs);
  rule.pace.cold = c.options.judge.cold;
  return rule;
}

RunOptions target_options(const RunCommand& c, const RunConfig& config, const TraceSet& set,
                          std::size_t jobs) {
  RunOptions options = run_options_of(c, config);
  options.out = out_for(c, set);
  if (c.rank) options.contest = ranking_rule(c, jobs);
  return options;
}

// Findings of a run.
struct RunFindings {
  Plan plan;
  std::vector<Trace> traces;
  std::map<PairKey, std::string> again;  // commands that judge again, for those that failed
  std::vector<RankedWorkload> ranking;
  Diagnostics problems;  // faults of the input, and what could not be judged
  // Files that it rests on, as they were when it had read them, for --watch.
  std::vector<fs::path> sources;
  Stamps seen;
};

// Tells what ncu has measured, and its place: the report for its own window, figures of launches.
void tell_profile(const Trace& trace, const std::filesystem::path& out) {
  constexpr std::size_t most_launches = 10;
  const auto& details = trace.evaluation->kbench;
  if (!details || !details->profile || terminal().quiet) return;
  std::filesystem::path file = out / details->profile->report;
  tell(fmt::format("profile of {}: {}\n", printable(trace.solution.value_or("")), file.string()));
  const auto text = read_file_if_there(file.replace_extension(".csv"));
  auto kernels = read_profile(text.value_or(""));
  if (kernels.empty()) return;
  const std::size_t more = kernels.size() - std::min(kernels.size(), most_launches);
  tell(write_table({.grids = {profile_grid(std::move(kernels), most_launches)}},
                   {terminal().colour_err, terminal().width}));
  if (more > 0) tell(fmt::format("and {} in {}\n", counted(more, "launch"), file.string()));
}

// A line a record, each as soon as it is known.
bool is_streamed(const RunCommand& c) { return c.format == "jsonl"; }

RunTotals run_target(const RunCommand& c, const RunOptions& options, const Target& target,
                     const std::vector<Job>& jobs, RunFindings& found) {
  ReportPrinter printer;
  FailurePrinter failures;
  RunEvents events;
  events.planned = [](std::size_t evaluations) { progress().expect(evaluations); };
  events.finished = [&](const Job& job, const Solution&, const Trace& trace) {
    progress().advance(1);
    found.traces.push_back(trace);
    if (is_streamed(c)) print_document({.traces = std::span(&trace, 1)}, c.format);
    tell_profile(trace, options.out);
    if (trace.evaluation->status == Status::passed) return;
    const auto again = [&] { return reproduce_line(trace, c, target, job.workload->path); };
    if (c.format == "agent")
      found.again.try_emplace(key_of(trace), again());
    else if (!terminal().quiet)
      failures.print(trace, again);
  };
  events.contested = [&](const Job& job, const WorkloadContest& contest) {
    found.ranking.push_back(rank(job, contest));
  };
  events.abandoned = [](const Job& job) { progress().advance(job.solutions.size()); };
  events.reported = [&](const Diagnostics& reports) {
    printer.print(reports);
    found.problems.append(reports);
  };
  const RunTotals totals = run_jobs(target.set, jobs, options, events, interrupted());
  failures.print_repeated();
  return totals;
}

int exit_status(const RunTotals& totals, bool input_errors) {
  if (totals.interrupted) return exit_interrupted;
  if (totals.broken) return exit_environment;
  if (input_errors || totals.abandoned > 0) return exit_input;
  if (totals.failed > 0) return exit_negative;
  return totals.passed > 0 ? exit_good : exit_undecided;
}

bool is_nothing(const RunTotals& t) {
  return t.passed + t.failed + t.abandoned + t.refused + t.unrun + t.not_emulated == 0;
}

// Tells whether nobody stopped it, and nothing was wrong.
bool had_nothing_to_do(const RunTotals& t) { return is_nothing(t) && !t.broken && !t.interrupted; }

void tell_totals(const RunTotals& t) {
  if (is_nothing(t)) return;
  std::string text = fmt::format("{} passed, {} failed", t.passed, t.failed);
  if (t.abandoned > 0) text += fmt::format(", {} not judged", t.abandoned);
  if (t.refused > 0) text += fmt::format(", {} refused", t.refused);
  if (t.unrun > 0) text += fmt::format(", {} built, not run", t.unrun);
  if (t.not_emulated > 0) text += fmt::format(", {} not emulated", t.not_emulated);
  if (t.interrupted) text += ", interrupted";
  tell(text + "\n");
}

void tell_nothing(const RunCommand& c, const Plan& plan, bool is_first) {
  if (!is_first && plan.count_jobs() > 0)
    return tell("nothing is judged again: all verdicts stand\n");
  std::size_t workloads = 0;
  std::size_t solutions = 0;
  for (const Target& target : plan.targets) {
    workloads += target.workloads.size();
    solutions += target.set.solutions.size();
  }
  tell(
      fmt::format("nothing to do: of {} and {}, the options select no workload with a solution{}\n",
                  counted(workloads, "workload"), counted(solutions, "solution"),
                  c.resume ? " that has no verdict yet" : ""));
}

RunTotals run_plan(const RunCommand& c, const RunConfig& config, const Plan& plan,
                   RunFindings& found) {
  RunTotals totals;
  const std::size_t jobs = plan.count_jobs();
  watch_interrupts();
  for (std::size_t i = 0; i < plan.targets.size() && !interrupted(); ++i) {
    if (plan.jobs[i].empty()) continue;
    RunOptions options = target_options(c, config, plan.targets[i].set, jobs);
    options.done = &plan.done[i];
    if (!plan.kernels.empty()) options.kernel_of = record_of_kernels(plan.kernels[i]);
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

// Formats in which the gate says all of it, even what fails.
bool is_of_gate(const RunCommand& c) {
  return c.gate && (c.format == "github" || c.format == "junit");
}

// Tells whether the gate's rows and sentence are printed among the run's own.
bool shows_gate(const RunCommand& c) {
  return find_format(c.format)->is_for_people || is_of_gate(c);
}

// The status of a run that has its gate: that of the gate, unless something worse came between.
int gate_status(const RunCommand& c, const Settings& settings, const Gate& gate,
                const RunFindings& found, const Doubts& doubts) {
  const Plan& plan = found.plan;
  const RunRecords records = records_of(found.traces);
  std::vector<Diagnostic> problems;
  std::copy_if(found.problems.items().begin(), found.problems.items().end(),
               std::back_inserter(problems),
               [](const Diagnostic& one) { return one.level == Level::error; });
  const GateOutput output{shows_gate(c) ? c.format : "", false, c.gate_options.junit_file,
                          files_of_solutions(plan.targets)};
  if (!gate.base || plan.targets.empty()) {
    GateReport report = judge_run(records, gate.before ? &*gate.before : nullptr, gate.policy);
    report.problems = std::move(problems);
    report.doubts = doubts.texts;
    return pass_gate(report, output);
  }
  ContestRule rule;
  rule.compare = {gate.policy.margin, gate.policy.error};
  const HeldRun held = hold_against(
      *gate.base, {plan.targets.front(), plan.jobs.front(), found.traces}, c, settings, rule);
  if (interrupted()) return exit_interrupted;
  if (held.totals.broken) return exit_environment;
  GateReport report = judge_run(records, held.base, gate.policy);
  report.problems = std::move(problems);
  report.doubts = doubts.texts;
  const bool is_nothing = report.rows.empty() && report.problems.empty();
  return is_nothing ? static_cast<int>(exit_undecided) : pass_gate(report, output);
}

// Tells whether the gate decides: all that the base has is missing where nothing is left to judge.
bool has_gate(const std::optional<Gate>& gate, int status) {
  return gate && status != exit_interrupted && (status != exit_undecided || gate->base);
}

// The gate of the command line; absent where there is none, or what it needs is wrong.
std::optional<Gate> gate_of(const RunCommand& c, const Plan& plan, Diagnostics& reports) {
  if (!c.gate) return std::nullopt;
  if (!c.gate_options.base.empty() && plan.targets.size() > 1) {
    reports.error({}, "--base is another state of one trace set, and there are several");
    return std::nullopt;
  }
  return open_gate(c.gate_options, reports);
}

void print_found(const RunCommand& c, const RunFindings& found) {
  const auto again = [&found](const Trace& trace) { return found.again.at(key_of(trace)); };
  const ReportOptions report{terminal().colour_out,
                             terminal().width,
                             files_of_solutions(found.plan.targets),
                             again,
                             {},
                             c.rates};
  if (!is_of_gate(c) && !is_streamed(c)) {
    print(find_format(c.format)->write({.traces = found.traces}, report));
    if (c.format == "github") append_step_summary(github_summary(found.traces));
  }
  print_ranking(c.format, found.ranking);
  for (const std::string& remark : {timed_beside(found.traces), missing_speedups(found.traces)})
    if (!remark.empty()) tell(remark + "\n");
}

// Status that is not good where no kernel serves a workload.
int with_missing(const Plan& plan, int status) {
  const std::size_t missing = plan.count_missing();
  if (missing == 0) return status;
  tell(fmt::format("{} without a kernel\n", counted(missing, "workload")));
  const bool is_fine = status == exit_good || status == exit_undecided;
  return is_fine ? static_cast<int>(exit_negative) : status;
}

// Judges all there is to judge, even where other input was wrong; pairs that `known` has are judged
// already. Adds what it found.
int run_all(const RunCommand& c, const Settings& settings, const std::vector<Stored<Trace>>& known,
            Diagnostics reports, RunFindings& found) {
  const Plan& plan = found.plan = plan_run(c, settings, known, reports);
  found.problems = reports;
  if (c.watch) found.seen = stamps_of(found.sources = sources_of(c, plan));
  const bool input_errors = reports.errors() > 0;
  const auto gate = gate_of(c, plan, reports);
  const bool writable = can_write_all(c, plan, reports);
  ReportPrinter().print(reports);
  tell(plan.sample);
  if (!writable) return exit_environment;
  if (c.gate && !gate) return exit_input;
  const RunTotals totals = run_plan(c, settings.config, plan, found);
  print_found(c, found);
  tell(partly_right(found.traces));
  tell_totals(totals);
  if (had_nothing_to_do(totals) && !input_errors) tell_nothing(c, plan, known.empty());
  const int status = with_missing(plan, exit_status(totals, input_errors));
  const bool could_not_judge_all = status == exit_input || status == exit_environment;
  if (!c.gate) return status;
  const bool is_gated = has_gate(gate, status);
  const Doubts doubts = doubts_of(c, totals, found.traces);
  const int gated =
      with_doubts(doubts, is_gated ? gate_status(c, settings, *gate, found, doubts) : status,
                  is_gated && shows_gate(c));
  return could_not_judge_all ? status : gated;
}

void print_change(const ComparisonReport& report) {
  if (!report.workloads.empty()) print_document(comparison_document(report), "table");
}

std::vector<Stored<Trace>> all_of(const RunRecords& records) {
  std::vector<Stored<Trace>> traces;
  for (const auto& [workload, of_solutions] : records)
    for (const auto& [solution, record] : of_solutions) traces.push_back(record);
  return traces;
}

// Judges again at each change, until ^C.
int watch(const RunCommand& c, const Settings& settings, const Diagnostics& reports) {
  RunRecords last;
  LastGood good;
  while (true) {
    RunFindings found;
    const int status = run_all(c, settings, all_of(last), reports, found);
    const bool is_first = last.empty();
    if (interrupted() || (is_first && found.plan.count_jobs() == 0)) return status;
    print_change(good.compare(found.plan, found.traces, c, settings));
    good.note(found.plan, found.traces);
    for (const auto& [workload, of_solutions] : records_of(found.traces))
      for (const auto& [solution, record] : of_solutions)
        last[workload].insert_or_assign(solution, record);
    if (interrupted()) return exit_interrupted;
    tell("waiting for a change; ^C ends this\n");
    set_idle(true);
    const Stamps changes = wait_for_change(found.sources, found.seen, interrupted());
    set_idle(false);
    if (interrupted()) return exit_interrupted;
    tell("\nchanged: " + join(changed(found.seen, changes), ", ") + "\n");
  }
}

}  // namespace

int run(RunCommand& c) {
  std::erase(c.traces, "");  // `--trace` without a path means the trace set
  return with_settings(c, [&](const Settings& settings, Diagnostics reports) {
    if (check_engine(c, settings, reports)) {
      RunFindings found;
      return c.watch ? watch(c, settings, reports)
                     : run_all(c, settings, {}, std::move(reports), found);
    }
    ReportPrinter().print(reports);
    return static_cast<int>(exit_input);
  });
}

std::function<int()> declare_run(CommandLine line) {
  auto command = std::make_shared<RunCommand>();
  declare_run_options(line, *command);
  return [command, line] {
    if (!command->plan.empty())
      return run_shard(command->plan, command->shard, command->out, line.given());
    command->given = given_options(line);
    if (command->shard.empty()) return run(*command);
    Diagnostics reports;
    command->part = read_shard(command->shard, nullptr, reports);
    return command->part ? run(*command) : exit_after(reports, exit_input);
  };
}

}  // namespace kbench

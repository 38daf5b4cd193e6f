// kbench compare: tells which of two solutions is faster.
#include "cli/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "cli/compare/sides.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/judging/running.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/timed_reference.hpp"
#include "kernels/registry/sidecar.hpp"
#include "report/comparison.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

class Comparing {
 public:
  Comparing(const RunOptions& options, std::size_t jobs) : options_(options) {
    progress().expect(jobs);
  }

  void run(const Round& round) {
    if (round.jobs.empty() || interrupted()) return;
    of_a_ = round.of_a;
    add(found_.totals, run_jobs(*round.set, round.jobs, options_, events(), interrupted()));
  }

  ComparedRounds finish() { return std::move(found_); }

 private:
  RunEvents events() {
    RunEvents events;
    events.finished = [this](const Job&, const Solution&, const Trace& trace) {
      traces_.push_back(trace);
    };
    events.abandoned = [](const Job&) { progress().advance(1); };
    events.reported = [this](const Diagnostics& reports) { printer_.print(reports); };
    events.contested = [this](const Job&, const WorkloadContest& contest) { add_row(contest); };
    return events;
  }

  // The records of both came just before, but for what could not be judged.
  void add_row(const WorkloadContest& contest) {
    if (traces_.size() < contest.entrants.size()) return traces_.clear();
    progress().advance(1);
    ComparedWorkload& row = found_.workloads.emplace_back();
    row.b = std::move(traces_.back());
    row.a = std::move(traces_[traces_.size() - 2]);
    traces_.clear();
    row.seconds = contest.seconds;
    if (contest.contested) row.compared = contest.contested->contest.compare(0, 1);
    tell_failure(row.a, of_a_);
    tell_failure(row.b, "");
  }

  void tell_failure(const Trace& trace, std::string_view suffix) {
    if (has_passed(trace)) return;
    tell(fmt::format("{} {}{}: {}\n", status_name(trace.evaluation->status),
                     printable(*trace.solution), suffix,
                     trace.evaluation->kbench->cause.value_or("")));
  }

  const RunOptions& options_;
  std::string_view of_a_;
  ComparedRounds found_;
  std::vector<Trace> traces_;
  ReportPrinter printer_;
};

}  // namespace

std::size_t count_jobs(const std::vector<Round>& rounds) {
  std::size_t count = 0;
  for (const Round& round : rounds) count += round.jobs.size();
  return count;
}

ComparedRounds compare_rounds(const std::vector<Round>& rounds, const RunOptions& options) {
  Comparing comparing(options, count_jobs(rounds));
  for (const Round& round : rounds) comparing.run(round);
  return comparing.finish();
}

namespace {

struct CompareCommand {
  RunCommand run;  // says how both are judged
  std::string a, b;
  std::string margin;  // "": the usual one
  std::string error = "1%";
  double budget_seconds = 3;
  std::string format = "table";
  bool across_machines = false;
  std::vector<std::string> given;  // names of the options that were
};

// Two runs that are over know less of each other than two solutions that take turns.
CompareRule rule_of(const CompareCommand& c, bool are_files = false) {
  const double usual = are_files ? 0.03 : CompareRule{}.margin;
  return {c.margin.empty() ? usual : *parse_share(c.margin), *parse_share(c.error)};
}

// Both sides of each definition, wherever they are.
struct ComparePlan {
  std::vector<Target> targets;
  std::vector<Round> rounds;  // one a target
};

ComparePlan plan_rounds(const CompareCommand& c, const Settings& settings, Diagnostics& reports) {
  ComparePlan plan{load_targets(c.run.traces, c.run.root, {}, reports), {}};
  for (Target& target : plan.targets) {
    for (const std::string_view name : names_of_references)
      if (c.a == name || c.b == name) add_references(name, target.set);
    Round& round = plan.rounds.emplace_back(Round{&target.set, {}});
    Selection selection = selection_of(c.run, settings);
    const auto sides = find_sides(target.set, c.a, c.b, selection.definitions, reports);
    if (sides.empty()) continue;
    selection.definitions.clear();
    selection.solutions.clear();
    for (const Sides& both : sides) {
      selection.definitions.push_back(both.a->definition);
      selection.solutions.push_back(both.a->name);
      if (both.a != both.b) selection.solutions.push_back(both.b->name);
    }
    round.jobs = jobs_of(
        sides, plan_jobs(target.set, target.workloads, selection, reports, &declared_parameters));
  }
  return plan;
}

// A word may stand for a longer name, or for an author.
void name_sides(const std::vector<Round>& rounds, ComparisonReport& report) {
  std::set<std::string> first, second;
  for (const Round& round : rounds) {
    for (const Job& job : round.jobs) {
      first.insert(job.solutions.front()->name);
      second.insert(job.solutions.back()->name);
    }
  }
  if (first.size() == 1) report.a = *first.begin();
  if (second.size() == 1) report.b = *second.begin();
}

// Options of a contest whose error is that of all workloads together: each has its share of it.
RunOptions options_for(const CompareCommand& c, const RunConfig& config, std::size_t jobs) {
  RunOptions options = run_options_of(c.run, config);
  options.out = c.run.out;
  ContestRule& rule = options.contest.emplace();
  rule.compare = rule_of(c).of_each(jobs);
  rule.budget_ns = c.budget_seconds * 1e9;
  rule.pace.cold = c.run.options.judge.cold;
  return options;
}

void print_report(const CompareCommand& c, const ComparisonReport& report) {
  if (!report.workloads.empty() || c.format == "json") {
    print_document(comparison_document(report), c.format);
  } else {
    tell(report.is_stored ? "nothing to compare\n"
         : report.planned > 0
             ? "nothing was compared\n"
             : "nothing to compare: no workload with both solutions is selected\n");
  }
}

int status_of(const ComparisonReport& report) {
  const auto together = report.together();
  if (!together) return exit_negative;  // one is not correct
  if (together->answer == Answer::slower) return exit_negative;
  return together->answer == Answer::undecided ? exit_undecided : exit_good;
}

int exit_status(const RunTotals& totals, const ComparisonReport& report, bool input_errors) {
  if (totals.interrupted) return exit_interrupted;
  if (totals.broken) return exit_environment;
  if (input_errors || totals.abandoned > 0) return exit_input;
  if (totals.failed > 0) return exit_negative;
  return report.workloads.empty() ? exit_undecided : status_of(report);
}

// Options that say nothing of what was measured already, or of what is yet to be.
void check_options(const CompareCommand& c, bool are_files, Diagnostics& reports) {
  constexpr std::string_view of_both[] = {"margin", "error", "format"};
  for (const std::string& name : c.given) {
    const bool is_of_files = name == "across-machines";
    const bool fits_files =
        is_of_files || std::find(std::begin(of_both), std::end(of_both), name) != std::end(of_both);
    if (are_files && !fits_files)
      reports.error({},
                    fmt::format("--{}: two runs that are over are compared as they were", name));
    if (!are_files && is_of_files)
      reports.error({}, "--across-machines: two solutions are measured on this one");
  }
}

// Compares by what two runs have stored.
int compare_files(const CompareCommand& c, Diagnostics reports) {
  for (const std::string& path : {c.a, c.b}) {
    if (!is_there(path))
      reports.error({path}, "no such file or folder",
                    "two files or folders of traces, or two solutions");
  }
  if (reports.errors() > 0) {
    ReportPrinter().print(reports);
    return exit_input;
  }
  const ComparisonReport report =
      compare_stored_runs(c.a, c.b, rule_of(c, true), c.across_machines, reports);
  ReportPrinter().print(reports);
  if (reports.errors() > 0 && report.workloads.empty()) return exit_input;
  print_report(c, report);
  if (!report.workloads.empty() && find_format(c.format)->is_for_people)
    tell(
        "from stored samples: of different times, and of one load each, which alone can make a "
        "percent of difference\n");
  return reports.errors() > 0 ? exit_input : status_of(report);
}

bool means_file(const std::string& word) { return word.ends_with(".jsonl") || is_path(word); }

bool mean_files(const CompareCommand& c) {
  return means_file(c.a) || means_file(c.b) || (is_folder(c.a) && is_folder(c.b));
}

int compare_all(const CompareCommand& c, const Settings& settings, Diagnostics reports) {
  const ComparePlan plan = plan_rounds(c, settings, reports);
  const bool input_errors = reports.errors() > 0;
  const bool is_writable = can_write(c.run.out, reports);
  ReportPrinter().print(reports);
  if (input_errors) return exit_input;
  if (!is_writable) return exit_environment;
  watch_interrupts();
  ComparisonReport report{c.a, c.b, rule_of(c)};
  report.planned = count_jobs(plan.rounds);
  name_sides(plan.rounds, report);
  ComparedRounds compared =
      compare_rounds(plan.rounds, options_for(c, settings.config, report.planned));
  report.workloads = std::move(compared.workloads);
  print_report(c, report);
  return exit_status(compared.totals, report, input_errors);
}

int compare(CompareCommand& c) {
  Diagnostics wrong;
  const bool are_files = mean_files(c);
  check_options(c, are_files, wrong);
  if (are_files) return compare_files(c, std::move(wrong));
  if (wrong.errors() > 0) {
    ReportPrinter().print(wrong);
    return exit_input;
  }
  c.run.profile_baseline = false;  // the two alone count
  return with_settings(c.run, [&](const Settings& settings, Diagnostics reports) {
    return compare_all(c, settings, std::move(reports));
  });
}

}  // namespace

std::function<int()> declare_compare(CommandLine line) {
  auto c = std::make_shared<CompareCommand>();
  line.add_option(
          "a A", c->a,
          "A solution, or an author: what B is compared with; or a file or folder of traces, "
          "of an older run")
      .required();
  line.add_option("b B", c->b,
                  "Another solution or author, or the same one; or the traces of a newer run")
      .required();
  line.add_option("--margin X", c->margin,
                  "Times that differ by less than this are the same; default 0.5%, of two runs "
                  "that are over 3%")
      .check(share());
  line.add_option("--error X", c->error,
                  "Probability that any answer is wrong, over all workloads; default 1%")
      .check(share());
  line.add_option("--budget S", c->budget_seconds,
                  "Seconds of timing for each workload, anew when one is found slower, after which "
                  "it stays undecided; default 3")
      .check(positive(1e6));
  declare_format(line, c->format);
  line.add_flag("--across-machines", c->across_machines,
                "Compare the stored samples of two machines, too");
  declare_compare_options(line, c->run);
  return [c, line] {
    for (const GivenOption& option : line.given()) c->given.push_back(option.name);
    return compare(*c);
  };
}

}  // namespace kbench

// kbench compare: which of two solutions is faster.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/progress.hpp"
#include "cli/run_options.hpp"
#include "cli/running.hpp"
#include "cli/sides.hpp"
#include "cli/stored_runs.hpp"
#include "cli/targets.hpp"
#include "cli/terminal.hpp"
#include "cli/values.hpp"
#include "report/comparison.hpp"

namespace kbench {
namespace {

struct CompareCommand {
  RunCommand run;  // how both are judged
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

// The jobs of one trace set, and what it takes to judge them.
struct Round {
  Target target;
  std::vector<Job> jobs;
};

std::vector<Round> plan_rounds(const CompareCommand& c, const Settings& settings,
                               Diagnostics& reports) {
  std::vector<Round> rounds;
  for (Target& target : load_targets(c.run.traces, c.run.root, {}, reports)) {
    Round& round = rounds.emplace_back(Round{std::move(target), {}});
    Selection selection = selection_of(c.run, settings);
    const auto sides = find_sides(round.target.set, c.a, c.b, selection.definitions, reports);
    if (sides.empty()) continue;
    selection.definitions.clear();
    selection.solutions.clear();
    for (const Sides& both : sides) {
      selection.definitions.push_back(both.a->definition);
      selection.solutions.push_back(both.a->name);
      if (both.a != both.b) selection.solutions.push_back(both.b->name);
    }
    round.jobs =
        jobs_of(sides, plan_jobs(round.target.set, round.target.workloads, selection, reports));
  }
  return rounds;
}

class Comparing {
 public:
  Comparing(const CompareCommand& command, const RunConfig& config) : c_(command), config_(config) {
    report_.a = c_.a;
    report_.b = c_.b;
    report_.rule = rule_of(c_);
  }

  // The error is that of all workloads together: each has its share of it.
  void run(const std::vector<Round>& rounds) {
    std::size_t jobs = 0;
    for (const Round& round : rounds) jobs += round.jobs.size();
    report_.planned = jobs;
    name_sides(rounds);
    progress_.expect(jobs);
    for (const Round& round : rounds) {
      if (!round.jobs.empty() && !interrupted()) run(round, jobs);
    }
    progress_.clear();
  }

  const ComparisonReport& report() const { return report_; }
  const RunTotals& totals() const { return totals_; }

 private:
  // A word may stand for a longer name, or for an author.
  void name_sides(const std::vector<Round>& rounds) {
    std::set<std::string> first, second;
    for (const Round& round : rounds) {
      for (const Job& job : round.jobs) {
        first.insert(job.solutions.front()->name);
        second.insert(job.solutions.back()->name);
      }
    }
    if (first.size() == 1) report_.a = *first.begin();
    if (second.size() == 1) report_.b = *second.begin();
  }

  void run(const Round& round, std::size_t jobs) {
    RunOptions options = run_options_of(c_.run, config_);
    options.out = c_.run.out;
    ContestRule& rule = options.contest.emplace();
    rule.compare = report_.rule.of_each(jobs);
    rule.budget_ns = c_.budget_seconds * 1e9;
    rule.pace.cold = c_.run.cold;
    add(totals_, run_jobs(round.target.set, round.jobs, options, events(), interrupted()));
  }

  RunEvents events() {
    RunEvents events;
    events.planned = [](std::size_t) {};
    events.started = [this](const Job& job, const Solution& solution) {
      progress_.show(name_of(job, solution));
    };
    events.finished = [this](const Job&, const Solution&, const Trace& trace) {
      traces_.push_back(trace);
    };
    events.abandoned = [this](const Job&) { progress_.advance(1); };
    events.reported = [this](const Diagnostics& reports) {
      progress_.clear();
      printer_.print(reports);
    };
    events.contested = [this](const Job&, const WorkloadContest& contest) { add_row(contest); };
    return events;
  }

  // The records of both came just before.
  void add_row(const WorkloadContest& contest) {
    progress_.advance(1);
    ComparedWorkload& row = report_.workloads.emplace_back();
    row.b = std::move(traces_.back());
    row.a = std::move(traces_[traces_.size() - 2]);
    traces_.clear();
    row.seconds = contest.seconds;
    if (contest.contested) row.compared = contest.contested->contest.compare(0, 1);
    for (const Trace* trace : {&row.a, &row.b}) {
      if (trace->evaluation->status == Status::passed) continue;
      progress_.clear();
      tell(fmt::format("{} {}: {}\n", status_name(trace->evaluation->status), *trace->solution,
                       trace->evaluation->kbench->cause.value_or("")));
    }
  }

  const CompareCommand& c_;
  const RunConfig& config_;
  ComparisonReport report_;
  RunTotals totals_;
  std::vector<Trace> traces_;
  ReportPrinter printer_;
  ProgressLine progress_{terminal().progress, 100};
};

void print_report(const CompareCommand& c, const ComparisonReport& report) {
  if (c.format == "json") {
    print(write_comparison_json(report));
  } else if (!report.workloads.empty()) {
    print(write_comparison_table(report, {terminal().colour_out, terminal().width}));
  } else {
    tell(report.is_stored ? "nothing to compare\n"
                          : "nothing to compare: no workload with both solutions is selected\n");
  }
}

int status_of(const ComparisonReport& report) {
  const auto together = report.together();
  if (!together) return exit_negative;  // one is not correct
  if (together->answer == Answer::slower) return exit_negative;
  return together->answer == Answer::undecided ? exit_undecided : exit_good;
}

int exit_status(const Comparing& comparing, bool input_errors) {
  const RunTotals& totals = comparing.totals();
  if (totals.interrupted) return exit_interrupted;
  if (totals.broken) return exit_environment;
  if (input_errors || totals.abandoned > 0) return exit_input;
  if (totals.failed > 0) return exit_negative;
  return comparing.report().workloads.empty() ? exit_undecided : status_of(comparing.report());
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

// From what two runs have stored.
int compare_files(const CompareCommand& c, Diagnostics reports) {
  for (const std::string& path : {c.a, c.b}) {
    if (!is_there(path))
      reports.error({path, 0, 0, "", ""}, "no such file or folder",
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
  if (!report.workloads.empty() && c.format == "table")
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
  const std::vector<Round> rounds = plan_rounds(c, settings, reports);
  const bool input_errors = reports.errors() > 0;
  const bool is_writable = can_write(c.run.out, reports);
  ReportPrinter().print(reports);
  if (input_errors) return exit_input;
  if (!is_writable) return exit_environment;
  watch_interrupts();
  Comparing comparing(c, settings.config);
  comparing.run(rounds);
  print_report(c, comparing.report());
  return exit_status(comparing, input_errors);
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
  c.run.profile_baseline = false;  // only the two count
  return with_settings(c.run, [&](const Settings& settings, Diagnostics reports) {
    return compare_all(c, settings, std::move(reports));
  });
}

}  // namespace

std::function<int()> declare_compare(CLI::App& app) {
  auto c = std::make_shared<CompareCommand>();
  app.add_option(
         "a", c->a,
         "A solution, or an author: what B is compared with; or a file or folder of traces, "
         "of an older run")
      ->required()
      ->option_text("A");
  app.add_option("b", c->b, "Another one, or the same; or that of a newer run")
      ->required()
      ->option_text("B");
  app.add_option("--margin", c->margin,
                 "Times that differ by less than this are the same; default 0.5%, of two runs "
                 "that are over 3%")
      ->check(share())
      ->option_text("X");
  app.add_option("--error", c->error,
                 "Probability that any answer is wrong, over all workloads; default 1%")
      ->check(share())
      ->option_text("X");
  app.add_option("--budget", c->budget_seconds,
                 "Seconds of timing for each workload, after which it stays undecided; default 3")
      ->check(positive(1e6))
      ->option_text("S");
  app.add_option("--format", c->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->option_text("FORMAT");
  app.add_flag("--across-machines", c->across_machines,
               "Compare the stored samples of two machines, too");
  declare_compare_options(app, c->run);
  return [c, &app] {
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() > 0 && !option->get_positional())
        c->given.push_back(option->get_lnames().front());
    }
    return compare(*c);
  };
}

}  // namespace kbench

#include "cli/compare/comparing.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "cli/judging/running.hpp"
#include "cli/shell/interrupts.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"

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

}  // namespace kbench

// Remarks of a run as it goes on: failures, doubts, the order of solutions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/run.hpp"
#include "report/comparison.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Messages of a run on each evaluation that fails, as it goes on.

// Workloads of one solution that fail alike, and checks of one kernel, are counted after the first.
class FailurePrinter {
 public:
  // `again` is the command that judges it again.
  void print(const Trace& trace, const std::function<std::string()>& again);
  // Prints how many were counted.
  void print_repeated() const;

 private:
  struct Cause {
    std::string kernel, status, text;
    std::string first;      // the workload, or the check's Solution, with which it was printed
    std::string symbol;     // function that failed
    std::string noun;       // name of what is counted: "workload"
    bool is_plain = false;  // set for a call as it is meant: each check ends with one
    int repeated = 0;

    bool is_that_of(const Cause& other) const;
  };
  static Cause cause_in(const Trace& trace);
  bool is_repeated(const Trace& trace);

  std::vector<Cause> causes_;
};

// Sums up solutions that are right at some of their workloads alone, a line each: "mine: right at 5
// of 6 workloads; wrong at batch=512".
std::string partly_right(const std::vector<Trace>& traces);

// Evaluations that say less than a gate is to know.
struct RunCommand;

struct Doubts {
  std::vector<std::string> texts;  // "2 evaluations were emulated (--allow-emulated lets it pass)"
  bool is_unrun_allowed = false;   // set where nothing was run, and an option says that this may be
};

Doubts doubts_of(const RunCommand& c, const RunTotals& totals, const std::vector<Trace>& traces);

// The exit status of a run with a gate, whose status without doubts is given: a doubt is no reason
// to merge. `are_shown`: the gate's own sentence has them.
int with_doubts(const Doubts& doubts, int status, bool are_shown);

// The order of the solutions of a workload that were timed in turn.

// Ranks them; nobody where fewer than two passed.
RankedWorkload rank(const Job& job, const WorkloadContest& contest);

// Prints on stdout below a table; formats of traces have no place for it.
void print_ranking(std::string_view format, const std::vector<RankedWorkload>& ranking);

}  // namespace kbench

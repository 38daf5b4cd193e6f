#include "cli/run/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/text.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "report/wording.hpp"

namespace kbench {
namespace {

// One fault is in other places of other workloads.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = (c >= '0' && c <= '9') || c == '.';
    if (!is_digit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

}  // namespace

// Ignores the text where a plain call gives wrong values: its numbers differ with the workload.
bool FailurePrinter::Cause::is_that_of(const Cause& other) const {
  const bool is_wrong = is_plain && status == status_name(Status::incorrect_numerical);
  return kernel == other.kernel && status == other.status && (is_wrong || text == other.text);
}

void FailurePrinter::print(const Trace& trace, const std::function<std::string()>& again) {
  if (is_repeated(trace)) return;
  tell(fmt::format("{} {}: {}\n  again: {}\n", status_text(*trace.evaluation),
                   printable(trace.solution.value_or("")), cause_of(trace), printable(again())));
}

bool FailurePrinter::is_repeated(const Trace& trace) {
  Cause cause = cause_in(trace);
  const auto found = std::find_if(causes_.begin(), causes_.end(),
                                  [&](const Cause& one) { return one.is_that_of(cause); });
  if (found == causes_.end()) {
    causes_.push_back(std::move(cause));
    return false;
  }
  ++found->repeated;
  return true;
}

FailurePrinter::Cause FailurePrinter::cause_in(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  const std::string solution = trace.solution.value_or("");
  Cause cause{trace.definition + " " + solution,
              status_text(*trace.evaluation),
              without_numbers(cause_of(trace)),
              workload_text(trace.workload),
              solution,
              "workload"};
  if (!details || !details->kernel || !details->kernel->contract) return cause;
  const KernelRecord& kernel = *details->kernel;
  cause.kernel = fmt::format("{}:{} {}", kernel.file, kernel.line, kernel.key.value_or(""));
  cause.text = cause_of(trace);
  cause.first = solution;
  cause.symbol = kernel.symbol;
  cause.noun = "check";
  cause.is_plain = kernel.contract->ends_with(" values");
  return cause;
}

void FailurePrinter::print_repeated() const {
  for (const Cause& one : causes_) {
    if (one.repeated == 0) continue;
    const auto count = static_cast<std::size_t>(one.repeated);
    tell(fmt::format("{} {}: {} more {} as {}\n", one.status, printable(one.symbol), count,
                     count == 1 ? one.noun : one.noun + "s", printable(one.first)));
  }
}

std::string partly_right(const std::vector<Trace>& traces) {
  constexpr std::size_t most = 3;  // workloads that are named
  struct Row {
    std::size_t passed = 0;
    std::vector<std::string> wrong;
  };
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const Trace& trace : traces) {
    const auto& details = trace.evaluation->kbench;
    if (details && details->kernel) continue;  // of a library: each workload has its check
    Row& row = rows[{trace.definition, trace.solution.value_or("")}];
    if (has_passed(trace))
      ++row.passed;
    else if (trace.evaluation->status == Status::incorrect_numerical)
      row.wrong.push_back(workload_text(trace.workload));
  }
  std::string text;
  for (const auto& [names, row] : rows) {
    const std::size_t count = row.wrong.size();
    if (row.passed == 0 || count == 0) continue;
    std::vector<std::string> named = row.wrong;
    named.resize(std::min(count, most));
    text += fmt::format("{}: right at {} of {} workloads; wrong at {}{}\n", printable(names.second),
                        row.passed, row.passed + count, printable(join(named, ", ")),
                        count > most ? fmt::format(" and {} more", count - most) : "");
  }
  return text;
}

Doubts doubts_of(const RunCommand& c, const RunTotals& totals, const std::vector<Trace>& traces) {
  Doubts doubts;
  const auto add = [&doubts](std::size_t count, const char* what, const char* option) {
    if (count > 0)
      doubts.texts.push_back(fmt::format("{} {} {} ({} lets it pass)", counted(count, "evaluation"),
                                         count == 1 ? "was" : "were", what, option));
  };
  if (c.allow_unrun) {
    doubts.is_unrun_allowed = totals.unrun + totals.not_emulated > 0;
  } else {
    add(totals.unrun, "built and not run", "--allow-unrun");
    add(totals.not_emulated, "not emulated", "--allow-unrun");
  }
  const auto emulated = std::count_if(traces.begin(), traces.end(), [](const Trace& trace) {
    return is_emulated(*trace.evaluation);
  });
  if (!c.allow_emulated) add(static_cast<std::size_t>(emulated), "emulated", "--allow-emulated");
  return doubts;
}

int with_doubts(const Doubts& doubts, int status, bool are_shown) {
  if (doubts.is_unrun_allowed && status == exit_undecided) status = exit_good;
  if (doubts.texts.empty() || (status != exit_good && status != exit_undecided)) return status;
  for (const std::string& text : doubts.texts)
    if (!are_shown) tell("the gate is shut: " + text + "\n");
  return exit_undecided;
}

namespace {

const JudgedEntrant& judged(const WorkloadContest& contest, std::size_t contender) {
  return contest.entrants[contest.contenders[contender]];
}

double p10_of(const WorkloadContest& contest, std::size_t contender) {
  const auto& timing = judged(contest, contender).evaluation.kbench->timing;
  return timing ? timing->p10_ns : 0;
}

}  // namespace

RankedWorkload rank(const Job& job, const WorkloadContest& contest) {
  RankedWorkload ranked{job.definition->name, job.workload->record.workload, {}};
  if (!contest.contested) return ranked;
  const Contest& found = contest.contested->contest;
  std::vector<std::size_t> order(contest.contenders.size());
  std::iota(order.begin(), order.end(), 0);
  const auto best = *std::min_element(order.begin(), order.end(), [&](auto i, auto j) {
    return std::tuple(found.is_out(i), p10_of(contest, i)) <
           std::tuple(found.is_out(j), p10_of(contest, j));
  });
  const auto place = [&](std::size_t i) {
    const double behind = i == best ? 0 : found.compare(best, i).log_ratio;
    return std::tuple(i != best, found.is_out(i), behind);
  };
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return place(i) < place(j); });
  for (const std::size_t i : order) {
    ranked.solutions.push_back({judged(contest, i).solution->name, p10_of(contest, i),
                                i == best ? Compared{} : found.compare(best, i), found.is_out(i)});
  }
  return ranked;
}

void print_ranking(std::string_view format, const std::vector<RankedWorkload>& ranking) {
  const Document document{.grids = ranking_grids(ranking)};
  if (document.grids.empty()) return;
  if (format != "table") return tell("\n" + write_table(document, {false, terminal().width}));
  print("\n");
  print_document(document, format);
}

}  // namespace kbench

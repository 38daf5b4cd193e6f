#include "report/comparison.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/results.hpp"
#include "report/tables.hpp"
#include "report/wording.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

std::string colour_of(Answer answer, bool colour) {
  if (!colour || answer == Answer::same) return "";
  return answer == Answer::faster ? "\033[32m" : answer == Answer::slower ? "\033[31m" : "\033[33m";
}

std::string time_text(const Trace& trace) {
  if (!trace.evaluation->kbench || !trace.evaluation->kbench->timing)
    return std::string(status_name(trace.evaluation->status));
  return human_time(recorded_latency(*trace.evaluation->kbench->timing).ns);
}

// Stored samples always have pairs, but not always a control.
std::string interval_text(const Compared& compared, bool is_stored) {
  return ratio_text(compared.interval, is_stored ? "not known" : "too few pairs");
}

std::vector<Cell> row(const ComparedWorkload& w, bool is_stored, bool colour) {
  std::vector<Cell> cells = {{workload_text(w.a.workload)}};
  if (is_stored) cells.push_back({w.a.solution.value_or("")});
  cells.insert(cells.end(), {{time_text(w.a)}, {time_text(w.b)}});
  if (!w.compared) {
    cells.insert(cells.end(), {{}, {}, {"NOT COMPARED"}, {}, {}});
    return cells;
  }
  const Answer answer = w.compared->answer;
  cells.insert(cells.end(), {{ratio_text(w.compared->log_ratio)},
                             {interval_text(*w.compared, is_stored)},
                             {std::string(answer_name(answer)), colour_of(answer, colour)},
                             {std::to_string(w.compared->pairs)},
                             {w.seconds > 0 ? human_time(w.seconds * 1e9) : ""}});
  return cells;
}

// Two solutions are named once, above; those of two runs differ from row to row.
std::vector<Column> columns_of(const ComparisonReport& report) {
  std::vector<Column> columns = {{"workload"}};
  if (report.is_stored) columns.push_back({"solution"});
  columns.insert(columns.end(), {{"A", true},
                                 {"B", true},
                                 {"B/A", true},
                                 {"interval", true},
                                 {"answer"},
                                 {"pairs", true},
                                 {"timing", true}});
  return columns;
}

// What is said of some is not said of all.
std::string part_text(const ComparisonReport& report) {
  if (report.workloads.size() >= report.planned) return "";
  return fmt::format("; of {} of {} workloads alone", report.workloads.size(), report.planned);
}

std::string trust_text(const ComparisonReport& report, Answer answer) {
  if (report.is_stored) return ", if nothing but the machine's pace changed";
  if (answer == Answer::undecided) return "";
  return fmt::format(", {:.10g} % sure", 100 * (1 - report.rule.error));
}

bool has_control(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->timing && details->timing->control_ns;
}

// Returns what timing would take until an answer, at the pace so far; 0 where none comes.
double seconds_in_all(const ComparedWorkload& w) {
  return w.seconds * static_cast<double>(w.compared->expected_pairs) /
         static_cast<double>(w.compared->pairs);
}

// Returns the way to an answer, and its price.
std::string what_would_decide(const ComparisonReport& report) {
  double more = 0, budget = 0;  // seconds
  for (const ComparedWorkload& w : report.workloads) {
    if (w.compared->answer != Answer::undecided) continue;
    const double in_all = seconds_in_all(w);
    if (!(in_all > 0))
      return fmt::format(
          "its pairs speak for no answer, and with a larger --margin than {:.6g}% it is the same",
          100 * report.rule.margin);
    more += in_all - w.seconds;
    budget = std::max(budget, in_all);
  }
  if (budget == 0) return "each workload has its own answer";
  return fmt::format("at the pace so far {:.0f} s more would decide it: --budget {:.0f}",
                     std::ceil(more), std::ceil(budget));
}

std::string advice(const ComparisonReport& report) {
  const auto without = std::count_if(
      report.workloads.begin(), report.workloads.end(),
      [](const ComparedWorkload& w) { return !has_control(w.a) || !has_control(w.b); });
  if (report.is_stored && without > 0)
    return fmt::format(
        "; on {} of {} the records do not say how fast the machine was (control_ns): judge both "
        "again",
        without, counted(report.workloads.size(), "workload"));
  return report.is_stored ? "" : "; " + what_would_decide(report);
}

std::string sentence(const ComparisonReport& report) {
  const auto together = report.together();
  if (!together) return "NOT COMPARED: one of them is not correct on every workload";
  const Compared& all = *together;
  const std::string rest = trust_text(report, all.answer) + part_text(report);
  const std::string factor = factor_text(all.log_ratio, all.interval) + rest;
  const std::string ratio = fmt::format("{} of its time ({}){}", ratio_text(all.log_ratio),
                                        interval_text(all, report.is_stored), rest);
  switch (all.answer) {
    case Answer::faster:
      return fmt::format("{} is FASTER than {}: {}", report.b, report.a, factor);
    case Answer::slower:
      return fmt::format("{} is SLOWER than {}: {}", report.b, report.a, factor);
    case Answer::same:
      return fmt::format("{} is the SAME as {} within {:.6g} %: {}", report.b, report.a,
                         100 * report.rule.margin, ratio);
    case Answer::undecided:
      break;
  }
  return fmt::format("UNDECIDED whether {} is faster than {}: {}{}", report.b, report.a, ratio,
                     advice(report));
}

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {std::exp(interval->low), std::exp(interval->high)};
}

void add_answer(Json& to, const std::optional<Compared>& compared) {
  to["answer"] = nullptr;
  if (!compared) return;
  to["answer"] = answer_name(compared->answer);
  to["ratio"] = std::exp(compared->log_ratio);
  to["interval"] = interval_json(compared->interval);
  to["pairs"] = compared->pairs;
}

}  // namespace

std::optional<Compared> ComparisonReport::together() const {
  std::vector<Compared> parts;
  for (const ComparedWorkload& w : workloads) {
    if (!w.compared) return std::nullopt;
    parts.push_back(*w.compared);
  }
  return combine(parts, rule.margin);
}

std::string write_comparison_table(const ComparisonReport& report, const ReportOptions& options) {
  const std::vector<Column> columns = columns_of(report);
  std::string out = fmt::format("A: {}\nB: {}\n", printable(report.a), printable(report.b));
  const auto definition_of = [](const ComparedWorkload& w) { return w.a.definition; };
  for (const auto& [definition, workloads] : by_definition(report.workloads, definition_of)) {
    std::vector<std::vector<Cell>> rows;
    for (const ComparedWorkload* w : workloads)
      rows.push_back(row(*w, report.is_stored, options.colour));
    out += "\n" + heading(definition, options.colour) + "\n" + align(columns, rows);
  }
  return out + "\n" + sentence(report) + "\n";
}

std::string write_comparison_json(const ComparisonReport& report) {
  Json out = {{"a", report.a},
              {"b", report.b},
              {"margin", report.rule.margin},
              {"error", report.rule.error},
              {"planned", report.planned},
              {"stored", report.is_stored}};
  add_answer(out, report.together());
  Json& workloads = out["workloads"] = Json::array();
  for (const ComparedWorkload& w : report.workloads) {
    Json row = {{"definition", w.a.definition}, {"workload", w.a.workload.uuid}};
    if (report.is_stored) row["solution"] = w.a.solution.value_or("");
    add_answer(row, w.compared);
    if (w.compared) row["seconds"] = w.seconds;
    row["a"] = Json::parse(to_json(w.a, Dump::full));
    row["b"] = Json::parse(to_json(w.b, Dump::full));
    workloads.push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

namespace {

// Who is not known to be slower than another one is first as well.
std::vector<Cell> row(const Ranked& ranked, std::size_t number) {
  const bool is_best = number == 0;
  const Answer answer = ranked.is_slower ? Answer::slower : ranked.to_best.answer;
  return {{ranked.is_slower ? std::to_string(number + 1) : "1"},
          {ranked.solution},
          {human_time(ranked.p10_ns)},
          {is_best ? "" : ratio_text(ranked.to_best.log_ratio)},
          {is_best ? "" : ratio_text(ranked.to_best.interval)},
          {is_best ? "" : std::string(answer_name(answer))}};
}

}  // namespace

std::string write_ranking(const std::vector<RankedWorkload>& workloads,
                          const ReportOptions& options) {
  const std::vector<Column> columns = {{"place", true},   {"solution"},       {"p10", true},
                                       {"to best", true}, {"interval", true}, {"it is"}};
  std::string out;
  for (const RankedWorkload& w : workloads) {
    if (w.solutions.empty()) continue;  // fewer than two passed
    std::vector<std::vector<Cell>> rows;
    for (std::size_t i = 0; i < w.solutions.size(); ++i) rows.push_back(row(w.solutions[i], i));
    const std::string title = w.definition + " " + workload_text(w.workload);
    out += "\n" + heading(title, options.colour) + "\n" + align(columns, rows);
  }
  return out;
}

}  // namespace kbench

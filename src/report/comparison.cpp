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

std::string colour_of(Answer answer) {
  if (answer == Answer::same) return "";
  return answer == Answer::faster ? "\033[32m" : answer == Answer::slower ? "\033[31m" : "\033[33m";
}

GridCell time_of(const Trace& trace) {
  if (!trace.evaluation->kbench || !trace.evaluation->kbench->timing)
    return {std::string(status_name(trace.evaluation->status))};
  return time_cell(recorded_latency(*trace.evaluation->kbench->timing).value * 1e-6);
}

// Stored samples always have pairs, but not always a control.
std::string interval_text(const Compared& compared, bool is_stored) {
  return ratio_text(compared.interval, is_stored ? "not known" : "too few pairs");
}

std::vector<GridCell> row_of(const ComparedWorkload& w, bool is_stored) {
  std::vector<GridCell> cells = {{w.a.definition},
                                 {w.a.workload.uuid},
                                 {workload_text(w.a.workload)},
                                 {w.a.solution.value_or("")},
                                 time_of(w.a),
                                 time_of(w.b)};
  if (!w.compared) {
    cells.insert(cells.end(), {{}, {}, {}, {{}, "NOT COMPARED"}, {}, {}});
    return cells;
  }
  const Compared& found = *w.compared;
  cells.push_back({std::exp(found.log_ratio), ratio_text(found.log_ratio)});
  add_ends(cells, exp_of(found.interval), interval_text(found, is_stored));
  cells.insert(cells.end(),
               {{std::string(answer_name(found.answer)), "", colour_of(found.answer)},
                {static_cast<std::int64_t>(found.pairs)},
                w.seconds > 0 ? GridCell{w.seconds, human_time(w.seconds * 1e9)} : GridCell{}});
  return cells;
}

// Two solutions are named once, above; rows of two runs differ in theirs.
std::vector<GridColumn> columns_of(const ComparisonReport& report) {
  return {{"definition", "", Shown::never},
          {"workload", "", Shown::never},
          {"axes", "workload"},
          {"solution", "", report.is_stored ? Shown::always : Shown::never},
          {"a_ms", "A"},
          {"b_ms", "B"},
          {"ratio", "B/A"},
          {"ratio_low", "interval"},
          {"ratio_high", "", Shown::never},
          {"answer"},
          {"pairs"},
          {"seconds", "timing"}};
}

// Names the part that was compared: what is said of some is not said of all.
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

void add_answer(Json& to, const std::optional<Compared>& compared) {
  to["answer"] = nullptr;
  if (!compared) return;
  to["answer"] = answer_name(compared->answer);
  to["ratio"] = std::exp(compared->log_ratio);
  const auto factors = exp_of(compared->interval);
  to["interval"] = factors ? Json{factors->low, factors->high} : Json();
  to["pairs"] = compared->pairs;
}

std::string json_of(const ComparisonReport& report) {
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

// A solution that is not known to be slower than another one is first as well.
std::vector<GridCell> row_of(const Ranked& ranked, std::size_t number) {
  const auto place = static_cast<std::int64_t>(ranked.is_slower ? number + 1 : 1);
  std::vector<GridCell> cells = {{place}, {ranked.solution}, time_cell(ranked.p10_ns * 1e-6)};
  if (number == 0) {  // the best
    cells.resize(cells.size() + 4);
    return cells;
  }
  const Compared& found = ranked.to_best;
  const Answer answer = ranked.is_slower ? Answer::slower : found.answer;
  cells.push_back({std::exp(found.log_ratio), ratio_text(found.log_ratio)});
  add_ends(cells, exp_of(found.interval), ratio_text(found.interval));
  cells.push_back({std::string(answer_name(answer))});
  return cells;
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

Document comparison_document(const ComparisonReport& report) {
  Document document{.head = fmt::format("A: {}\nB: {}\n", printable(report.a), printable(report.b)),
                    .notes = sentence(report) + "\n",
                    .json = [&report] { return json_of(report); }};
  const auto definition_of = [](const ComparedWorkload& w) { return w.a.definition; };
  for (const auto& [definition, workloads] : by_definition(report.workloads, definition_of)) {
    Grid& grid = document.grids.emplace_back(Grid{definition, columns_of(report), {}, ""});
    for (const ComparedWorkload* w : workloads) grid.rows.push_back(row_of(*w, report.is_stored));
  }
  return document;
}

std::vector<Grid> ranking_grids(const std::vector<RankedWorkload>& workloads) {
  std::vector<Grid> grids;
  for (const RankedWorkload& w : workloads) {
    if (w.solutions.empty()) continue;  // no two have passed
    Grid& grid = grids.emplace_back(Grid{w.definition + " " + workload_text(w.workload),
                                         {{"place"},
                                          {"solution"},
                                          {"p10"},
                                          {"to best"},
                                          {"interval"},
                                          {"high", "", Shown::never},
                                          {"it is"}},
                                         {},
                                         ""});
    for (std::size_t i = 0; i < w.solutions.size(); ++i)
      grid.rows.push_back(row_of(w.solutions[i], i));
  }
  return grids;
}

}  // namespace kbench

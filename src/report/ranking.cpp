#include "report/ranking.hpp"

#include "base/text.hpp"
#include "report/columns.hpp"
#include "report/ratio_text.hpp"
#include "report/workload_text.hpp"

namespace kbench {
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

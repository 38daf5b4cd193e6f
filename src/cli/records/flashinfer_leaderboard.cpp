#include "cli/records/flashinfer_leaderboard.hpp"

#include <algorithm>
#include <vector>

#include "cli/shell/command.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "report/flashinfer_ranking.hpp"

namespace kbench {
namespace {

int print_grid(const Grid& grid, const FlashInferBoard& board) {
  print_document({.grids = {grid}}, board.format);
  return grid.rows.empty() ? exit_undecided : exit_good;
}

std::vector<GridCell> row_of(const std::string& name, std::size_t rank,
                             const FlashInferScore& score) {
  return {{static_cast<std::int64_t>(rank)},
          {name},
          {score.avg_speedup},
          {score.definitions},
          {score.workloads},
          {score.success_rate},
          {score.win_rate}};
}

bool is_in(const FlashInferScope& scope, const TraceSet& set, const std::string& name) {
  const Definition* definition = set.definition(name);
  return (scope.definition.empty() || name == scope.definition) &&
         (scope.op_type.empty() || (definition != nullptr && definition->op_type == scope.op_type));
}

struct Scored {
  std::string name;
  FlashInferScore score;
};

// Ranks as FlashInfer-Bench does; returns the message where it cannot.
std::string score_all(const FlashInferRanking& ranking, const TraceSet& set,
                      const FlashInferBoard& board, std::vector<Scored>& out) {
  const FlashInferScope& scope = board.scope;
  if (board.by == "author") {
    FlashInferRanks ranks = ranking.rank_authors(scope);
    for (auto& [author, score] : ranks.authors) out.push_back({author, score});
    return ranks.error;
  }
  for (const auto& stored : set.solutions) {
    const Solution& solution = stored.record;
    if (!is_in(scope, set, solution.definition)) continue;
    const FlashInferResult result = ranking.score_solution(solution.name);
    if (!result.error.empty()) return result.error;
    if (result.score) out.push_back({solution.name, *result.score});
  }
  std::stable_sort(out.begin(), out.end(), [](const Scored& a, const Scored& b) {
    return a.score.avg_speedup > b.score.avg_speedup;
  });
  return "";
}

// The best trace of each definition, as its `report best` has it.
Grid best_traces(const FlashInferBoard& board, const TraceSet& set) {
  Grid grid;
  grid.columns = {{"definition"}, {"solution"}, {"workload"}, {"latency_ms"}, {"speedup_factor"}};
  for (const auto& [definition, path, line] : set.definitions) {
    if (!is_in(board.scope, set, definition.name)) continue;
    const Trace* best = best_trace(set, definition.name, {});
    if (best == nullptr || !best->evaluation->performance) continue;
    const Performance& performance = *best->evaluation->performance;
    grid.rows.push_back({{definition.name},
                         {best->solution.value_or("")},
                         {best->workload.uuid},
                         {performance.latency_ms},
                         {performance.speedup_factor}});
  }
  return grid;
}

}  // namespace

int rank_as_flashinfer_bench(const TraceSet& set, const FlashInferBoard& board) {
  if (board.by == "definition") return print_grid(best_traces(board, set), board);
  const FlashInferRanking ranking(set, board.baseline);
  std::vector<Scored> scored;
  const std::string problem = score_all(ranking, set, board, scored);
  if (!problem.empty()) {
    Diagnostics reports;
    reports.error({}, problem, "--baseline NAME says which author is the baseline");
    ReportPrinter().print(reports);
    return exit_input;
  }
  Grid grid;
  grid.columns = {{"rank"},      {board.by},       {"avg_speedup"}, {"definitions"},
                  {"workloads"}, {"success_rate"}, {"win_rate"}};
  for (const Scored& one : scored)
    grid.rows.push_back(row_of(one.name, grid.rows.size() + 1, one.score));
  return print_grid(grid, board);
}

}  // namespace kbench

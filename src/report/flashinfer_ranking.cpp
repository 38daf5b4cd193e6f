#include "report/flashinfer_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace kbench {
namespace {

// Evidence in the traces of a solution.
struct Attempts {
  std::set<std::string> tried;            // uuids
  std::map<std::string, double> latency;  // milliseconds of the quickest that passed, by uuid
  bool has_failed = false;
  std::string error = {};
};

Attempts attempts_of(const std::vector<const Trace*>& traces) {
  Attempts all;
  for (const Trace* trace : traces) {
    if (!trace->evaluation) continue;
    const std::string& uuid = trace->workload.uuid;
    all.tried.insert(uuid);
    if (trace->evaluation->status != Status::passed) {
      all.has_failed = true;
      continue;
    }
    const auto& performance = trace->evaluation->performance;
    if (!performance || performance->latency_ms <= 0) {
      all.error =
          fmt::format("PASSED trace for solution {} workload {} has invalid performance data",
                      python_string(*trace->solution), python_string(uuid));
      return all;
    }
    const auto [best, is_new] = all.latency.try_emplace(uuid, performance->latency_ms);
    if (!is_new) best->second = std::min(best->second, performance->latency_ms);
  }
  return all;
}

FlashInferResult failed(std::string error) { return {std::nullopt, std::move(error)}; }

// The only one of that author, or why there is none.
std::pair<const Solution*, std::string> baseline_of(const std::vector<const Solution*>& solutions,
                                                    const std::string& author,
                                                    const std::string& definition) {
  std::vector<const Solution*> found;
  std::string names;
  for (const Solution* solution : solutions) {
    if (solution->author != author) continue;
    names += (found.empty() ? "" : ", ") + python_string(solution->name);
    found.push_back(solution);
  }
  if (found.size() == 1) return {found.front(), ""};
  const std::string what = fmt::format("from author {} for definition {}", python_string(author),
                                       python_string(definition));
  return {nullptr, found.empty()
                       ? "No baseline solution " + what
                       : fmt::format("Multiple baseline solutions {}: [{}]", what, names)};
}

FlashInferScore score_of(const Attempts& solution, const Attempts& baseline,
                         const std::vector<std::string>& common) {
  FlashInferScore score;
  score.workloads = static_cast<std::int64_t>(common.size());
  if (solution.has_failed) return score;
  double sum = 0;
  double wins = 0;
  for (const std::string& uuid : common) {
    const double ratio = baseline.latency.at(uuid) / solution.latency.at(uuid);
    sum += ratio;
    wins += ratio > 1 ? 1 : 0;
  }
  const auto count = static_cast<double>(common.size());
  score.avg_speedup = sum / count;
  score.success_rate = 1;
  score.win_rate = wins / count;
  return score;
}

}  // namespace

FlashInferRanking::FlashInferRanking(const TraceSet& set, std::string baseline_author)
    : set_(set), baseline_author_(std::move(baseline_author)) {
  for (const auto& stored : set.solutions)
    solutions_[stored.record.definition].push_back(&stored.record);
  for (const auto& stored : set.traces)
    if (stored.record.solution) traces_[*stored.record.solution].push_back(&stored.record);
}

FlashInferResult FlashInferRanking::score_solution(std::string_view name) const {
  const Solution* solution = set_.solution(name);
  if (solution == nullptr) return {};
  const std::string& definition = solution->definition;
  const auto [baseline, problem] =
      baseline_of(solutions_.at(definition), baseline_author_, definition);
  if (baseline == nullptr) return failed(problem);
  if (baseline->name == name) return {};
  const auto traces_of = [this](const std::string& of) {
    const auto found = traces_.find(of);
    return attempts_of(found == traces_.end() ? std::vector<const Trace*>{} : found->second);
  };
  const Attempts own = traces_of(solution->name);
  if (!own.error.empty()) return failed(own.error);
  const Attempts other = traces_of(baseline->name);
  if (!other.error.empty()) return failed(other.error);
  std::vector<std::string> common;
  for (const auto& [uuid, latency] : other.latency)
    if (own.tried.contains(uuid)) common.push_back(uuid);
  if (common.empty()) return {};
  return {score_of(own, other, common), ""};
}

FlashInferRanking::Scoped FlashInferRanking::definitions_of(const FlashInferScope& scope) const {
  if (!scope.definition.empty()) {
    if (set_.definition(scope.definition) == nullptr)
      return {{}, "Unknown definition: " + python_string(scope.definition)};
    return {{scope.definition}, ""};
  }
  Scoped scoped;
  for (const auto& stored : set_.definitions) {
    if (scope.op_type.empty() || stored.record.op_type == scope.op_type)
      scoped.definitions.push_back(stored.record.name);
  }
  return scoped;
}

// The best solution of each definition counts, and all definitions count alike.
FlashInferResult FlashInferRanking::score_author(
    const std::string& author, const std::vector<std::string>& definitions) const {
  FlashInferScore sum;
  sum.definitions = 0;
  for (const std::string& definition : definitions) {
    const auto solutions = solutions_.find(definition);
    if (solutions == solutions_.end()) continue;
    std::optional<FlashInferScore> best;
    for (const Solution* solution : solutions->second) {
      if (solution->author != author) continue;
      const FlashInferResult result = score_solution(solution->name);
      if (!result.error.empty()) return result;
      if (!result.score || (best && result.score->avg_speedup <= best->avg_speedup)) continue;
      best = result.score;
      sum.best_solutions[definition] = solution->name;
    }
    if (!best) continue;
    ++sum.definitions;
    sum.workloads += best->workloads;
    sum.avg_speedup += best->avg_speedup;
    sum.success_rate += best->success_rate;
    sum.win_rate += best->win_rate;
  }
  if (sum.definitions == 0) return {};
  for (double* value : {&sum.avg_speedup, &sum.success_rate, &sum.win_rate})
    *value /= static_cast<double>(sum.definitions);
  return {sum, ""};
}

FlashInferResult FlashInferRanking::score_author(const std::string& author,
                                                 const FlashInferScope& scope) const {
  const Scoped scoped = definitions_of(scope);
  return scoped.error.empty() ? score_author(author, scoped.definitions) : failed(scoped.error);
}

FlashInferRanks FlashInferRanking::rank_authors(const FlashInferScope& scope) const {
  const Scoped scoped = definitions_of(scope);
  if (!scoped.error.empty()) return {{}, scoped.error};
  std::set<std::string> authors;
  for (const std::string& definition : scoped.definitions) {
    const auto solutions = solutions_.find(definition);
    if (solutions == solutions_.end()) continue;
    for (const Solution* solution : solutions->second) authors.insert(solution->author);
  }
  FlashInferRanks ranks;
  for (const std::string& author : authors) {
    const FlashInferResult result = score_author(author, scoped.definitions);
    if (!result.error.empty()) return {{}, result.error};
    if (result.score) ranks.authors.emplace_back(author, *result.score);
  }
  std::stable_sort(ranks.authors.begin(), ranks.authors.end(), [](const auto& a, const auto& b) {
    return a.second.avg_speedup > b.second.avg_speedup;
  });
  return ranks;
}

namespace {

bool are_same(const OrderedMap<std::int64_t>& a, const OrderedMap<std::int64_t>& b) {
  return std::map(a.begin(), a.end()) == std::map(b.begin(), b.end());
}

}  // namespace

std::vector<const Trace*> filter_traces(const TraceSet& set, std::string_view definition,
                                        const FlashInferLimits& limits) {
  std::vector<const Trace*> found;
  for (const auto& stored : set.traces) {
    const Trace& trace = stored.record;
    if (trace.definition != definition || !trace.evaluation) continue;
    const Evaluation& evaluation = *trace.evaluation;
    if (evaluation.status == Status::passed && evaluation.correctness &&
        evaluation.correctness->max_absolute_error <= limits.absolute &&
        evaluation.correctness->max_relative_error <= limits.relative)
      found.push_back(&trace);
  }
  return found;
}

const Trace* best_trace(const TraceSet& set, std::string_view definition,
                        const FlashInferLimits& limits, const OrderedMap<std::int64_t>* axes) {
  const Trace* best = nullptr;
  const auto speedup = [](const Trace& trace) {
    const auto& performance = trace.evaluation->performance;
    return performance ? performance->speedup_factor : 0;
  };
  for (const Trace* trace : filter_traces(set, definition, limits)) {
    if (axes != nullptr && !are_same(trace->workload.axes, *axes)) continue;
    if (best == nullptr || speedup(*trace) > speedup(*best)) best = trace;
  }
  return best;
}

}  // namespace kbench

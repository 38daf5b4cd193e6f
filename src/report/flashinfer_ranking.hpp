// FlashInfer-Bench's ranking, to the digit: its TraceSet.rank_authors, get_author_score and
// get_solution_score. It mixes all machines, counts one failure as all, and leaves out what a
// solution never tried (kbench's own: leaderboard.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/containers.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

struct FlashInferScore {
  double avg_speedup = 0;  // mean of the baseline's latency / the solution's; 0 after any failure
  std::int64_t definitions = 1;
  std::int64_t workloads = 0;  // workloads on which the baseline passed and it was tried
  double success_rate = 0;     // 1 without failures, else 0
  double win_rate = 0;         // share of workloads with a ratio above 1
  OrderedMap<std::string> best_solutions = {};  // an author's, by definition
};

// Definitions that count: one, those of an op_type, or all.
struct FlashInferScope {
  std::string op_type = {};
  std::string definition = {};
};

// A score, none where there is nothing to score, or why nothing can be scored at all: the message
// that FlashInfer-Bench raises.
struct FlashInferResult {
  std::optional<FlashInferScore> score = {};
  std::string error = {};
};

struct FlashInferRanks {
  std::vector<std::pair<std::string, FlashInferScore>> authors;  // the best first
  std::string error = {};
};

class FlashInferRanking {
 public:
  // The baseline of a definition is the one solution that `baseline_author` has for it.
  FlashInferRanking(const TraceSet& set, std::string baseline_author);

  FlashInferResult score_solution(std::string_view name) const;
  FlashInferResult score_author(const std::string& author, const FlashInferScope& scope) const;
  FlashInferRanks rank_authors(const FlashInferScope& scope) const;

 private:
  struct Scoped {
    std::vector<std::string> definitions;
    std::string error;
  };
  Scoped definitions_of(const FlashInferScope& scope) const;
  FlashInferResult score_author(const std::string& author,
                                const std::vector<std::string>& definitions) const;

  const TraceSet& set_;
  std::string baseline_author_;
  std::map<std::string, std::vector<const Solution*>, std::less<>> solutions_;  // a definition's
  std::map<std::string, std::vector<const Trace*>, std::less<>> traces_;        // a solution's
};

// FlashInfer-Bench's choice of traces: its TraceSet.filter_traces and get_best_trace, which its
// command `report best` prints.

// The largest errors with which a trace counts. The defaults are FlashInfer-Bench's.
struct FlashInferLimits {
  double absolute = 1e-2;
  double relative = 1e-2;
};

// Returns the traces of a definition that passed within the limits, in the order of the set.
std::vector<const Trace*> filter_traces(const TraceSet& set, std::string_view definition,
                                        const FlashInferLimits& limits);

// Returns the one of these with the largest speedup_factor, the first of equals; `axes` leaves only
// workloads that have just these. Returns null where there is none.
const Trace* best_trace(const TraceSet& set, std::string_view definition,
                        const FlashInferLimits& limits,
                        const OrderedMap<std::int64_t>* axes = nullptr);

}  // namespace kbench

// Several solutions on one workload: each is judged, and those that pass are timed in turn.
#pragma once

#include <optional>
#include <vector>

#include "judge/contender.hpp"
#include "judge/evaluate.hpp"
#include "measure/contest.hpp"

namespace kbench {

// Solution and what was found of it: not all of a job's solutions are entrants.
struct JudgedEntrant {
  const Solution* solution = nullptr;
  Evaluation evaluation;
};

struct WorkloadContest {
  std::vector<JudgedEntrant> entrants;      // all of them, as they were given
  std::vector<std::size_t> contenders;      // those that took part, in contested's order
  std::optional<Contested> contested = {};  // none: fewer than two passed
  double seconds = 0;                       // wall time of timing
};

// Workload that several meet on, and how each is started.
struct ContestField {
  const PreparedWorkload& workload;
  const EvaluateOptions& options;
  StartContender start;
};

// Ways to judge entrants before they are timed.
enum class Judging {
  as_alone,    // outputs end where their pages do
  among_many,  // configurations: what is bit for bit the same as outputs that were right is not
               // judged again, whoever left it; outputs lie as in timed calls, which come next
};

// Returns what starts the runs of a solution. All that is given must outlive what is started.
StartContender start_of_runs(const PreparedWorkload& workload, SharedMemory& stage,
                             const EvaluateOptions& options, Judging how);

// Processes of all are there at once, with the same inputs, and the outputs of each are judged
// before and after. One whose call fails while it is timed is left out, and the others begin anew.
WorkloadContest run_contest(const ContestField& field, const std::vector<Entrant>& entrants,
                            const ContestRule& rule);

}  // namespace kbench

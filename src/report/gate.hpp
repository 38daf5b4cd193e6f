// The records of a run, and what it is held against (an earlier run, or a base that was timed in
// turn with it) → whether it may be merged.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "measure/comparison.hpp"
#include "report/comparison.hpp"
#include "report/format.hpp"
#include "report/stored_pairs.hpp"
#include "schema/gate_policy.hpp"

namespace kbench {

enum class GateFinding {
  passed,   // no time to hold its own against
  failed,   // bad verdict, or not audited where that is asked for
  skipped,  // candidate that was not run
  faster,
  same,
  slower,
  undecided,
  incomparable,
  unchanged,  // the base's program: not timed
  missing,    // judged before alone
  added,      // new: not judged before
  vacuous,    // passed on a workload that cannot tell right from wrong
};

// "failed", …; "new" for added, "non_discriminating" for vacuous.
std::string_view finding_name(GateFinding finding);

// A solution on a workload.
struct GateRow {
  const Trace* before = nullptr;  // null for what is new, and without an earlier run
  const Trace* after = nullptr;   // null for what is missing
  GateFinding finding = GateFinding::passed;
  Consequence consequence = Consequence::ignore;
  std::optional<Compared> compared = {};
  std::string why = {};     // reason: it failed, or cannot be compared
  bool is_in_turn = false;  // both were timed by turns: the ratio is not that of the medians

  const Trace& trace() const { return after != nullptr ? *after : *before; }
};

struct GateReport {
  std::vector<GateRow> rows;              // ordered by definition, workload and solution
  std::vector<Diagnostic> problems = {};  // errors: what could not be judged at all; they stop
  // Sentences on evidence that says too little, as an emulated run: they shut the gate.
  std::vector<std::string> doubts = {};
  std::size_t count(Consequence consequence) const;
};

PairKey key_of(const Trace& trace);

// Another state of the trace set, held against what a run has judged.
struct TimedBase {
  std::set<PairKey> unchanged, changed;
  std::vector<ComparedWorkload> compared;  // one for each changed; a: the base's, b: now
  std::vector<Trace> missing;              // traces without an evaluation
};

// `before` may be null: verdicts alone are looked at then. Both outlive the report.
GateReport judge_run(const RunRecords& after, const RunRecords* before, const GatePolicy& policy);
GateReport judge_run(const RunRecords& after, const TimedBase& base, const GatePolicy& policy);

// Returns the rows with a consequence as tables (with `all` every one), every row as a finding, and
// the sentence as notes.
Document gate_document(const GateReport& report, bool all, const FileOf& file_of = {});

// "2 slower, 1 missing; 17 passed"
std::string gate_sentence(const GateReport& report);

}  // namespace kbench

#include "report/gate.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/parallel.hpp"
#include "report/results.hpp"
#include "schema/record_signature.hpp"

namespace kbench {
namespace {

constexpr std::size_t rows_per_thread = 64;  // minimum: a thread takes time to start

GateFinding finding_of(Answer answer) {
  switch (answer) {
    case Answer::faster:
      return GateFinding::faster;
    case Answer::slower:
      return GateFinding::slower;
    case Answer::same:
      return GateFinding::same;
    case Answer::undecided:
      break;
  }
  return GateFinding::undecided;
}

Consequence consequence_of(GateFinding finding, const GatePolicy& policy) {
  switch (finding) {
    case GateFinding::failed:
      return Consequence::fail;
    case GateFinding::skipped:
      return policy.skipped;
    case GateFinding::slower:
      return policy.slower;
    case GateFinding::undecided:
      return policy.undecided;
    case GateFinding::incomparable:
      return policy.incomparable;
    case GateFinding::missing:
      return policy.missing;
    case GateFinding::added:
      return policy.added;
    case GateFinding::vacuous:
      return policy.non_discriminating;
    default:
      return Consequence::ignore;
  }
}

// Says why its own record stops it; "": it does not.
std::string fault_of(const Trace& trace, const GatePolicy& policy) {
  const Evaluation& evaluation = *trace.evaluation;
  const auto& details = evaluation.kbench;
  if (evaluation.status != Status::passed) {
    const std::string cause = details ? details->cause.value_or("") : "";
    return std::string(status_name(evaluation.status)) + (cause.empty() ? "" : ": " + cause);
  }
  if (const Doubt doubt = doubt_about(trace); doubt != Doubt::none)
    return std::string(text_of(doubt));
  if (policy.audited && (!details || details->trust != "audit"))
    return "it is not audited: --audit, or audited: false in the policy";
  return "";
}

// Row by its verdict alone.
GateRow row_of(const Trace& after, const GatePolicy& policy) {
  GateRow row;
  row.after = &after;
  row.why = fault_of(after, policy);
  if (!row.why.empty()) {
    row.finding = is_skipped(after) ? GateFinding::skipped : GateFinding::failed;
  } else if (const std::string trivial = passing_trivially(after);
             !trivial.empty() && policy.non_discriminating != Consequence::ignore) {
    row.finding = GateFinding::vacuous;
    row.why = "a program would pass there that returns " + trivial;
  }
  return row;
}

// Says what was wrong with its verdict when it was timed; "": nothing.
std::string fault_of(const Trace& trace) {
  const GatePolicy nothing_more;
  return has_passed(trace) ? "" : "when it was timed: " + fault_of(trace, nothing_more);
}

// A run, held against an earlier one if there is one.
class Held {
 public:
  Held(const RunRecords& after, const RunRecords* before, const GatePolicy& policy)
      : policy_(policy), is_alone_(before == nullptr) {
    if (before != nullptr) pairs_ = pairs_of(*before, after);
    std::size_t to_compare = 0;
    for (const RecordPair& pair : pairs_) {
      pair_of_[&pair.a->record] = pair_of_[&pair.b->record] = &pair;
      if (has_passed(pair.a->record) && has_passed(pair.b->record)) ++to_compare;
    }
    rule_ = CompareRule{policy.margin, policy.error}.of_each(to_compare);
  }

  GateRow judge(const Stored<Trace>& stored) const {
    GateRow row = row_of(stored.record, policy_);
    const auto found = pair_of_.find(&stored.record);
    if (found != pair_of_.end()) row.before = &found->second->a->record;
    if (row.finding != GateFinding::passed || is_alone_) return row;
    if (row.before == nullptr)
      row.finding = GateFinding::added;
    else if (has_passed(found->second->a->record))
      compare(*found->second, row);
    return row;
  }

  void add_missing(const RunRecords& before, std::vector<GateRow>& rows) const {
    for (const auto& [key, solutions] : before) {
      for (const auto& [name, stored] : solutions) {
        if (!pair_of_.contains(&stored.record))
          rows.push_back({&stored.record, nullptr, GateFinding::missing});
      }
    }
  }

 private:
  // Compares the times of two that have passed.
  void compare(const RecordPair& pair, GateRow& row) const {
    const Diagnostics found = obstacles(pair, policy_.across_machines);
    if (found.errors() > 0) {
      row.finding = GateFinding::incomparable;
      row.why = found.items().front().message;
      return;
    }
    row.compared = compare_times(pair, rule_);
    row.finding = finding_of(row.compared->answer);
  }

  const GatePolicy& policy_;
  bool is_alone_;
  std::vector<RecordPair> pairs_;
  std::unordered_map<const Trace*, const RecordPair*> pair_of_;  // both traces of each pair
  CompareRule rule_;
};

// Compares by the timing, by turns with the base, of a pair that passed.
void compare(const ComparedWorkload& timed, GateRow& row) {
  row.before = &timed.a;
  row.why = fault_of(timed.b);
  if (!row.why.empty()) {
    row.finding = GateFinding::failed;
  } else if (timed.compared) {  // absent: the base's own failed, and has no time
    row.after = &timed.b;
    row.is_in_turn = true;
    row.compared = timed.compared;
    row.finding = finding_of(timed.compared->answer);
  }
}

GateRow row_of(const Trace& after, const TimedBase& base,
               const std::map<PairKey, const ComparedWorkload*>& timed, const GatePolicy& policy) {
  GateRow row = row_of(after, policy);
  if (row.finding != GateFinding::passed) return row;
  const PairKey key = key_of(after);
  if (base.unchanged.contains(key)) {
    row.finding = GateFinding::unchanged;
  } else if (!base.changed.contains(key)) {
    row.finding = GateFinding::added;
  } else if (const auto found = timed.find(key); found != timed.end()) {
    compare(*found->second, row);
  } else {
    row.finding = GateFinding::undecided;
    row.why = "it could not be timed with the base";
  }
  return row;
}

GateReport finished(std::vector<GateRow> rows, const GatePolicy& policy) {
  for (GateRow& row : rows) row.consequence = consequence_of(row.finding, policy);
  std::stable_sort(rows.begin(), rows.end(), [](const GateRow& a, const GateRow& b) {
    return std::tie(a.trace().definition, a.trace().workload.uuid, *a.trace().solution) <
           std::tie(b.trace().definition, b.trace().workload.uuid, *b.trace().solution);
  });
  return {std::move(rows)};
}

}  // namespace

PairKey key_of(const Trace& trace) {
  return {trace.definition, trace.workload.uuid, trace.solution.value_or("")};
}

std::string_view finding_name(GateFinding finding) {
  constexpr std::string_view names[] = {"passed",    "failed",  "skipped",   "faster",
                                        "same",      "slower",  "undecided", "incomparable",
                                        "unchanged", "missing", "new",       "non_discriminating"};
  return names[static_cast<std::size_t>(finding)];
}

std::size_t GateReport::count(Consequence consequence) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(),
                    [consequence](const GateRow& row) { return row.consequence == consequence; }));
}

GateReport judge_run(const RunRecords& after, const RunRecords* before, const GatePolicy& policy) {
  const Held held(after, before, policy);
  std::vector<const Stored<Trace>*> records;
  for (const auto& [key, solutions] : after)
    for (const auto& [name, stored] : solutions) records.push_back(&stored);
  std::vector<GateRow> rows(records.size());
  in_parallel(rows.size(), {0, rows_per_thread},
              [&](std::size_t i) { rows[i] = held.judge(*records[i]); });
  if (before != nullptr) held.add_missing(*before, rows);
  return finished(std::move(rows), policy);
}

GateReport judge_run(const RunRecords& after, const TimedBase& base, const GatePolicy& policy) {
  std::map<PairKey, const ComparedWorkload*> timed;
  for (const ComparedWorkload& one : base.compared) timed[key_of(one.b)] = &one;
  std::vector<GateRow> rows;
  for (const auto& [key, solutions] : after) {
    for (const auto& [name, stored] : solutions)
      rows.push_back(row_of(stored.record, base, timed, policy));
  }
  for (const Trace& trace : base.missing) rows.push_back({&trace, nullptr, GateFinding::missing});
  return finished(std::move(rows), policy);
}

}  // namespace kbench

#include "tune/tuned.hpp"

#include <cmath>

#include "measure/statistics.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

TunedCandidate candidate_of(const TuneRow& row) {
  TunedCandidate candidate;
  candidate.configuration = row.configuration;
  candidate.status = name_of(row.status);
  if (!row.cause.empty()) candidate.cause = row.cause;
  if (row.samples_ns.empty()) return candidate;
  const Summary summary = summarize(row.samples_ns);
  candidate.median_ns = row.median_ns.value_or(summary.median);
  candidate.p10_ns = row.p10_ns.value_or(summary.p10);
  candidate.samples = static_cast<std::int64_t>(row.samples_ns.size());
  if (row.against) candidate.ratio = std::exp(row.against->log_ratio);
  return candidate;
}

Decision decision_of(TuneDecision decision) {
  if (decision == TuneDecision::beaten) return Decision::beaten;
  return decision == TuneDecision::tied ? Decision::tied : Decision::only;
}

}  // namespace

std::optional<TunedEntry> tuned_entry(const TuneReport& report,
                                      const TunedCircumstances& circumstances) {
  if (!report.winner) return std::nullopt;
  TunedEntry entry;
  entry.parts = circumstances.key;
  entry.configuration = report.rows[*report.winner].configuration;
  entry.measured_at = circumstances.axes;
  entry.workload = circumstances.workload;
  entry.decided = decision_of(report.decision);
  if (report.heuristic) entry.heuristic = candidate_of(report.rows[*report.heuristic]);
  for (const TuneRow& row : report.rows) entry.candidates.push_back(candidate_of(row));
  entry.strategy = circumstances.strategy;
  if (report.end != SearchEnd::complete && report.rows.size() < report.space) {
    entry.cut_short = report.end == SearchEnd::budget ? "budget" : "stopped";
    entry.space = static_cast<std::int64_t>(report.space);
  }
  entry.seed = std::to_string(circumstances.seed);
  entry.date = circumstances.date;
  entry.kbench = circumstances.kbench;
  return entry;
}

}  // namespace kbench

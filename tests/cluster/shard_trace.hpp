// A record that a shard of a plan has written.
#pragma once

#include <fmt/format.h>

#include <string>

#include "cluster/plan.hpp"
#include "schema/trace.hpp"

namespace kbench {

constexpr const char* plan_digest = "0123456789abcdef";

inline Trace shard_trace(const std::string& workload, const std::string& solution, int shard,
                         int attempt = 0) {
  Trace trace;
  trace.definition = "d";
  trace.workload.uuid = workload;
  trace.solution = solution;
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.status = Status::runtime_error;
  evaluation.environment.hardware = "a CPU";
  evaluation.timestamp = "2026-11-27T12:00:00";
  Details& details = evaluation.kbench.emplace();
  details.rule = "kbench";
  details.trust = "plain";
  details.isolation = "A";
  details.seed = "0";
  details.run = RunRecord{plan_digest,
                          shard,
                          attempt,
                          fmt::format("n{}", shard),
                          pair_digest("hash of d", "hash of " + workload, solution),
                          {}};
  return trace;
}

}  // namespace kbench

// kbench leaderboard --scoring flashinfer-bench.
#pragma once

#include <string>

#include "report/flashinfer_ranking.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

struct FlashInferBoard {
  std::string by;        // "solution", "author"; or "definition": the best trace of each
  std::string baseline;  // an author
  FlashInferScope scope;
  std::string format;
};

// Prints it; the exit status.
int rank_as_flashinfer_bench(const TraceSet& set, const FlashInferBoard& board);

}  // namespace kbench

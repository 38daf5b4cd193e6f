#include <fmt/format.h>

#include "judge/derive/transport.hpp"

namespace kbench {

std::optional<CandidateFailure> run_in_turn(const RankTask& task, std::size_t ranks, RankHub&) {
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (const auto failure = task(rank))
      return CandidateFailure{failure->status, fmt::format("rank {}: {}", rank, failure->cause)};
  }
  return std::nullopt;
}

}  // namespace kbench

#include <exception>
#include <thread>

#include "judge/derive/transport.hpp"

namespace kbench {

// A rank whose part is over leaves the hub, so that who waits for it learns that it never comes.
std::optional<CandidateFailure> run_at_once(const RankTask& task, std::size_t ranks, RankHub& hub) {
  std::vector<std::optional<CandidateFailure>> failures(ranks);
  std::vector<std::exception_ptr> broken(ranks);
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          failures[rank] = task(rank);
        } catch (...) {
          broken[rank] = std::current_exception();
        }
        hub.leave(static_cast<int>(rank));
      });
    }
  }
  for (const std::exception_ptr& one : broken)
    if (one) std::rethrow_exception(one);
  return explain_ranks(failures, hub.seats());
}

}  // namespace kbench

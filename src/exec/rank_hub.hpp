// The judge's side of the memory that a sharded call's ranks share (problem/rank_protocol.hpp), and
// the cause of such a call's failure: whose fault it is where some wait for ever.
#pragma once

#include <optional>
#include <vector>

#include "base/shared_memory.hpp"
#include "exec/candidate_process.hpp"
#include "problem/rank_protocol.hpp"

namespace kbench {

class RankHub {
 public:
  explicit RankHub(int ranks);

  const SharedMemory& memory() const { return memory_; }
  // Opens the hub before a command, while all ranks are idle.
  void open();
  // Opens it again within one command: those that were gone are there again.
  void reopen();
  // Takes out a rank whose part is over: nobody waits for it any more.
  void leave(int rank);

  // Seats as the ranks left them; read with care.
  std::vector<worker::Seat> seats() const;

 private:
  worker::Hub& hub() const { return *reinterpret_cast<worker::Hub*>(memory_.data()); }

  int ranks_;
  SharedMemory memory_;
};

// Returns one cause of what became of each rank; nothing where all are well. A rank that failed by
// itself comes first among several failures; then a collective in which they disagree; then a rank
// that left others waiting, or did not come in time.
std::optional<CandidateFailure> explain_ranks(
    const std::vector<std::optional<CandidateFailure>>& failures,
    const std::vector<worker::Seat>& seats);

}  // namespace kbench

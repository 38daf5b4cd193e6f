#include "exec/rank_hub.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"

namespace kbench {
namespace {

using worker::Seat;
using worker::Whereabouts;
using Failures = std::vector<std::optional<CandidateFailure>>;

constexpr std::string_view left_alone = "LEFT ALONE: ";  // prefix of worker/rank.cpp's messages

bool has(const std::optional<CandidateFailure>& failure, std::string_view words) {
  return failure && failure->cause.find(words) != std::string::npos;
}

bool is_timeout(const std::optional<CandidateFailure>& failure) {
  return failure && failure->status == Status::timeout;
}

bool waits(const Seat& seat) { return seat.whereabouts == Whereabouts::waiting; }

std::string ranks_text(const std::vector<std::size_t>& ranks) {
  std::vector<std::string> words;
  for (const std::size_t rank : ranks) words.push_back(std::to_string(rank));
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", join(words, ", "));
}

// "all_gather, the 2nd collective of the call"
std::string meeting_text(const Seat& seat) {
  const std::uint64_t step = seat.arrived == 0 ? 0 : seat.arrived - 1;
  return fmt::format("{}, collective {} of the call",
                     worker::meeting_name(seat.posted[step % 2].meeting), seat.meetings);
}

CandidateFailure of_rank(std::size_t rank, const CandidateFailure& failure,
                         const std::string& more = "") {
  return {failure.status, fmt::format("rank {}: {}{}", rank, failure.cause, more)};
}

std::optional<CandidateFailure> own_failure(const Failures& failures) {
  std::vector<std::size_t> alone;
  for (std::size_t rank = 0; rank < failures.size(); ++rank)
    if (has(failures[rank], left_alone)) alone.push_back(rank);
  for (std::size_t rank = 0; rank < failures.size(); ++rank) {
    const auto& failure = failures[rank];
    if (!failure || is_timeout(failure) || has(failure, left_alone)) continue;
    const bool disagree = has(failure, "MISMATCH: ");
    const std::string more =
        alone.empty() || disagree
            ? ""
            : fmt::format("; {} waited for it in a collective", ranks_text(alone));
    return of_rank(rank, *failure, more);
  }
  return std::nullopt;
}

// Names the ranks that returned while others wait in a collective.
std::optional<CandidateFailure> desertion(const Failures& failures,
                                          const std::vector<Seat>& seats) {
  std::vector<std::size_t> waiting, returned;
  for (std::size_t rank = 0; rank < failures.size(); ++rank) {
    if (has(failures[rank], left_alone)) waiting.push_back(rank);
    if (!failures[rank]) returned.push_back(rank);
  }
  if (waiting.empty() || returned.empty()) return std::nullopt;
  return CandidateFailure{
      Status::runtime_error,
      fmt::format("DEADLOCK: {} returned after {} while {} {} in {}", ranks_text(returned),
                  counted(seats[returned.front()].meetings, "collective"), ranks_text(waiting),
                  waiting.size() == 1 ? "waits" : "wait", meeting_text(seats[waiting.front()]))};
}

// All late ranks ended at about the same time: one in no collective is why the others waited. The
// end of one may have left another alone a moment before its own end.
std::optional<CandidateFailure> lateness(const Failures& failures, const std::vector<Seat>& seats) {
  std::vector<std::size_t> late, waiting;
  for (std::size_t rank = 0; rank < failures.size(); ++rank) {
    if (is_timeout(failures[rank]) && !waits(seats[rank])) late.push_back(rank);
    if (failures[rank] && waits(seats[rank])) waiting.push_back(rank);
  }
  if (late.empty() || waiting.empty()) return std::nullopt;
  const CandidateFailure& first = *failures[late.front()];
  return CandidateFailure{
      first.status,
      fmt::format("{}: {}; {} {} in {}", ranks_text(late), first.cause, ranks_text(waiting),
                  waiting.size() == 1 ? "waits" : "wait", meeting_text(seats[waiting.front()]))};
}

// Ranks that are all in a collective wait for different things, which the worker does not allow
// (somebody has written into the hub); or they meet for ever, and the time limit of one has left
// the others alone.
std::optional<CandidateFailure> all_wait(const Failures& failures, const std::vector<Seat>& seats) {
  std::vector<std::string> words;
  for (std::size_t rank = 0; rank < failures.size(); ++rank) {
    if (!failures[rank]) continue;
    words.push_back(
        fmt::format("rank {} {}", rank,
                    waits(seats[rank]) ? "in " + meeting_text(seats[rank]) : "in no collective"));
  }
  const auto is_failure = [](const auto& failure) { return failure.has_value(); };
  auto blamed = std::find_if(failures.begin(), failures.end(), is_timeout);
  if (blamed == failures.end()) blamed = std::find_if(failures.begin(), failures.end(), is_failure);
  if (blamed == failures.end()) return std::nullopt;
  const std::string more = words.size() > 1 ? fmt::format(" ({})", join(words, ", ")) : "";
  return of_rank(static_cast<std::size_t>(blamed - failures.begin()), **blamed, more);
}

}  // namespace

RankHub::RankHub(int ranks) : ranks_(ranks), memory_("kbench ranks", worker::hub_bytes(ranks)) {
  memory_.seal_size();
}

void RankHub::open() { std::memset(static_cast<void*>(hub().seats), 0, sizeof hub().seats); }

void RankHub::reopen() {
  for (int rank = 0; rank < ranks_; ++rank)
    __atomic_store_n(&hub().seats[rank].gone, 0, __ATOMIC_RELEASE);
}

// The seat keeps its last meeting: explain_ranks() tells it.
void RankHub::leave(int rank) {
  __atomic_store_n(&hub().seats[rank].gone, 1, __ATOMIC_RELEASE);
  __atomic_add_fetch(&hub().bell.rung, 1, __ATOMIC_ACQ_REL);
  ::syscall(SYS_futex, &hub().bell.rung, FUTEX_WAKE, 1 << 30, nullptr, nullptr, 0);
}

std::vector<Seat> RankHub::seats() const { return {hub().seats, hub().seats + ranks_}; }

std::optional<CandidateFailure> explain_ranks(const Failures& failures,
                                              const std::vector<Seat>& seats) {
  for (const auto& find : {own_failure(failures), desertion(failures, seats),
                           lateness(failures, seats), all_wait(failures, seats)}) {
    if (find) return find;
  }
  return std::nullopt;
}

}  // namespace kbench

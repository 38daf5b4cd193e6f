// Blame where ranks wait for ever, by what they left.
#include "exec/rank_hub.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using worker::Meeting;
using worker::Seat;
using worker::Whereabouts;
using Failures = std::vector<std::optional<CandidateFailure>>;

const CandidateFailure alone{Status::runtime_error,
                             "RuntimeError: LEFT ALONE: in its collective 1"};
const CandidateFailure late{Status::timeout, "TIMEOUT in call 1 after 3 s"};
const CandidateFailure crash{Status::runtime_error, "CRASHED SIGSEGV in call 1"};

Seat seat(Whereabouts whereabouts, std::uint64_t meetings = 1) {
  Seat out{};
  out.whereabouts = whereabouts;
  out.meetings = meetings;
  out.arrived = meetings;
  for (auto& posted : out.posted) posted.meeting = Meeting::all_gather;
  return out;
}

std::string cause(const Failures& failures, const std::vector<Seat>& seats) {
  const auto found = explain_ranks(failures, seats);
  return found ? found->cause : "";
}

TEST(RankHub, AllAreWell) { EXPECT_EQ(cause({std::nullopt, std::nullopt}, {Seat{}, Seat{}}), ""); }

TEST(RankHub, WhoFailsByItselfIsNamedBeforeThoseThatWaited) {
  EXPECT_EQ(cause({alone, std::nullopt, crash},
                  {seat(Whereabouts::away), seat(Whereabouts::away), seat(Whereabouts::away)}),
            "rank 2: CRASHED SIGSEGV in call 1; rank 0 waited for it in a collective");
  EXPECT_EQ(cause({late, crash}, {seat(Whereabouts::away), seat(Whereabouts::away)}),
            "rank 1: CRASHED SIGSEGV in call 1");
}

TEST(RankHub, WhoReturnsWhileOthersWait) {
  EXPECT_EQ(
      cause({alone, std::nullopt, alone},
            {seat(Whereabouts::away, 2), seat(Whereabouts::away, 1), seat(Whereabouts::away, 2)}),
      "DEADLOCK: rank 1 returned after 1 collective while ranks 0, 2 wait in all_gather, "
      "collective 2 of the call");
}

TEST(RankHub, WhoIsLateIsInNoCollective) {
  EXPECT_EQ(cause({late, late, late}, {seat(Whereabouts::waiting), seat(Whereabouts::away, 0),
                                       seat(Whereabouts::waiting)}),
            "rank 1: TIMEOUT in call 1 after 3 s; ranks 0, 2 wait in all_gather, collective 1 of "
            "the call");
}

// The limit of one that hangs ends it: the other learns that it is alone, and ends by that or by
// its own limit.
TEST(RankHub, WhoIsLeftAloneByALimitIsNotToBlame) {
  const std::vector<Seat> seats{seat(Whereabouts::waiting), seat(Whereabouts::away, 0)};
  const std::string expected =
      "rank 1: TIMEOUT in call 1 after 3 s; rank 0 waits in all_gather, collective 1 of the call";
  EXPECT_EQ(cause({alone, late}, seats), expected);
  const CandidateFailure after{Status::timeout, "TIMEOUT after call 1 after 3 s"};
  EXPECT_EQ(cause({after, late}, seats), expected);
}

// They meet for ever: the limit of one comes first, and leaves the other alone in its next one.
TEST(RankHub, OfThoseThatMeetForEverTheLimitCounts) {
  EXPECT_EQ(cause({alone, late}, {seat(Whereabouts::waiting, 5), seat(Whereabouts::waiting, 4)}),
            "rank 1: TIMEOUT in call 1 after 3 s (rank 0 in all_gather, collective 5 of the call, "
            "rank 1 in all_gather, collective 4 of the call)");
}

TEST(RankHub, RanksThatWaitForDifferentThings) {
  EXPECT_EQ(cause({late, late}, {seat(Whereabouts::waiting, 1), seat(Whereabouts::waiting, 4)}),
            "rank 0: TIMEOUT in call 1 after 3 s (rank 0 in all_gather, collective 1 of the call, "
            "rank 1 in all_gather, collective 4 of the call)");
}

// A candidate can write there.
TEST(RankHub, NonsenseIsToldWithCare) {
  Seat odd = seat(Whereabouts::waiting, ~0ULL);
  odd.posted[0].meeting = odd.posted[1].meeting = static_cast<Meeting>(77);
  EXPECT_EQ(cause({late}, {odd}), "rank 0: TIMEOUT in call 1 after 3 s");
  EXPECT_NE(cause({alone, std::nullopt}, {odd, odd}), "");
}

TEST(RankHub, SeatsAreEmptyBeforeACommand) {
  RankHub hub(3);
  hub.leave(1);
  EXPECT_EQ(hub.seats()[1].gone, 1U);
  hub.reopen();
  EXPECT_EQ(hub.seats()[1].gone, 0U);
  hub.leave(2);
  hub.open();
  EXPECT_EQ(hub.seats()[2].gone, 0U);
  EXPECT_EQ(hub.memory().size(), worker::hub_bytes(3));
}

}  // namespace
}  // namespace kbench

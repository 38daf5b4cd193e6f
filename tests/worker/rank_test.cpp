// Ranks as a candidate finds them: the header's struct is the worker's, and one rank is alone.
#include "worker/rank.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kbench/kbench_rank.h"

namespace {

TEST(Rank, TheHeadersStructIsTheWorkers) {
  kbench::worker::begin_meetings();  // gets weak symbols linked, too
  ASSERT_NE(&KbenchRankOfCall, nullptr);
  const KbenchRank* const rank = KbenchRankOfCall();
  EXPECT_EQ(rank->version, 1);
  EXPECT_EQ(rank->rank, 0);
  EXPECT_EQ(rank->size, 1);
  EXPECT_STREQ(rank->axis, "");
  EXPECT_EQ(rank->barrier(), nullptr);
  const std::vector<double> mine{1, 2, 3};
  std::vector<double> got(3);
  EXPECT_EQ(rank->all_gather(mine.data(), got.data(), 24), nullptr);
  EXPECT_EQ(got, mine);
  got.assign(3, 0);
  EXPECT_EQ(rank->reduce_scatter(mine.data(), got.data(), 3, KBENCH_RANK_FLOAT64, KBENCH_RANK_SUM),
            nullptr);
  EXPECT_EQ(got, mine);
  got.assign(3, 0);
  EXPECT_EQ(rank->all_reduce(mine.data(), got.data(), 3, KBENCH_RANK_FLOAT64, KBENCH_RANK_MAX),
            nullptr);
  EXPECT_EQ(got, mine);
}

TEST(Rank, WhatTheHeaderDoesNotKnowIsRefused) {
  const KbenchRank* const rank = KbenchRankOfCall();
  float one = 1;
  EXPECT_STREQ(rank->all_reduce(&one, &one, 1, 9, 0), "9 is no type of kbench_rank.h");
  EXPECT_STREQ(rank->reduce_scatter(&one, &one, 1, 0, 2), "2 is no operation of kbench_rank.h");
}

TEST(Rank, OfOneRankTheClassCopies) {
  const kbench::Rank rank;
  EXPECT_EQ(rank.rank(), 0);
  EXPECT_EQ(rank.size(), 1);
  const std::vector<std::int32_t> mine{4, 5};
  std::vector<std::int32_t> got(2);
  rank.all_gather(mine.data(), got.data(), 2);
  EXPECT_EQ(got, mine);
  rank.all_reduce(mine.data(), got.data(), 2);
  rank.reduce_scatter(mine.data(), got.data(), 2);
  rank.barrier();
  EXPECT_EQ(got, mine);
}

}  // namespace

// As how many ranks a solution runs where nobody says it.
#include "cli/derive/shard_plan.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "exec/cores.hpp"
#include "problem/rank_protocol.hpp"

namespace kbench {
namespace {

// T13: where the number is left out it is that of all there are, not of a rank's share.
TEST(ShardPlan, T13WithoutANumberThereAreAsManyRanksAsCores) {
  const auto cores = static_cast<std::int64_t>(usable_cores().size());
  ASSERT_GE(cores, 1);
  EXPECT_EQ(default_ranks(nullptr), std::min<std::int64_t>(cores, worker::max_ranks));
  DeclaredSharding declared;
  EXPECT_EQ(default_ranks(&declared), default_ranks(nullptr));
  declared.ranks = 3;
  EXPECT_EQ(default_ranks(&declared), 3);
}

}  // namespace
}  // namespace kbench

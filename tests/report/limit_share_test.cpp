#include <gtest/gtest.h>

#include "report/wording.hpp"

namespace kbench {
namespace {

std::optional<double> share_of(const std::string& extra) {
  Evaluation evaluation;
  evaluation.correctness.emplace().extra = RawJson{extra};
  return limit_share(evaluation);
}

TEST(LimitShare, IsTheMargin) {
  EXPECT_EQ(share_of("{\"margin\":0.31}"), 0.31);
  EXPECT_EQ(share_of("{\"margin\":1e+09}"), 1e9);
  EXPECT_EQ(share_of("{\"matched_ratio\":1.0}"), std::nullopt);
  EXPECT_EQ(share_of("{\"margin\":\"much\"}"), std::nullopt);
  EXPECT_EQ(share_of("[1]"), std::nullopt);
  EXPECT_EQ(limit_share(Evaluation{}), std::nullopt);
}

TEST(LimitShare, PeopleReadPercent) {
  EXPECT_EQ(limit_share_text(0), "0%");
  EXPECT_EQ(limit_share_text(0.0123), "1.2%");
  EXPECT_EQ(limit_share_text(0.312), "31%");
  EXPECT_EQ(limit_share_text(3.7), "370%");
  EXPECT_EQ(limit_share_text(1e9), ">1000%");
}

}  // namespace
}  // namespace kbench

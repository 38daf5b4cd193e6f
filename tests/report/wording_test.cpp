#include "report/wording.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(ValueText, HasAShareOrARange) {
  EXPECT_EQ(value_text(12.345, Interval{11.87, 12.84}), "12.3x ±4%");
  EXPECT_EQ(value_text(12.345, Interval{9.1, 16.2}), "9.1 to 16x");
  EXPECT_EQ(value_text(1.0, Interval{0.996, 1.004}), "1.00x ±0.4%");
  EXPECT_EQ(value_text(1234.5, Interval{1200, 1270}), "1234x ±3%");
  EXPECT_EQ(value_text(0.0123, Interval{0.012, 0.0126}), "0.0123x ±2%");
  EXPECT_EQ(value_text(2, std::nullopt), "2.00x");
}

TEST(TimeText, HasAShareOrARange) {
  EXPECT_EQ(time_text(446, Interval{429, 464}), "446 ns ±4%");
  EXPECT_EQ(time_text(90'000, Interval{71'000, 119'000}), "71.0 to 119 µs");
  EXPECT_EQ(time_text(900, Interval{600, 1'400}), "600 ns to 1.40 µs");
  EXPECT_EQ(time_text(446, std::nullopt), "446 ns");
}

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

Timing timed(double events_ns, double activity_ns) {
  Timing timing;
  timing.cache = "warm";
  timing.median_ns = events_ns;
  timing.gpu.emplace();
  if (activity_ns > 0) timing.gpu->activity_ns = activity_ns;
  return timing;
}

TEST(GpuRemark, NamesClocksThatDisagree) {
  EXPECT_EQ(gpu_remark(timed(30'000, 20'000)), "events say 30.0 µs and CUPTI 20.0 µs");
  EXPECT_EQ(gpu_remark(timed(20'000, 30'000)), "events say 20.0 µs and CUPTI 30.0 µs");
  EXPECT_EQ(gpu_remark(timed(20'900, 20'000)), "");  // differs by less than a microsecond
  EXPECT_EQ(gpu_remark(timed(1'040'000, 1'000'000)), "");
  EXPECT_EQ(gpu_remark(timed(30'000, 0)), "");
  EXPECT_EQ(gpu_remark(Timing{}), "");
}

TEST(GpuRemark, ComparesNoColdCalls) {
  Timing timing = timed(30'000, 20'000);
  timing.cache = "cold";
  EXPECT_EQ(gpu_remark(timing), "");
}

TEST(GpuRemark, NamesWhatHeldTheClocksBack) {
  Timing timing = timed(20'000, 20'000);
  timing.gpu->slowed_by = {"power", "heat"};
  EXPECT_EQ(gpu_remark(timing), "clocks held back by power and heat");
  timing.median_ns = 30'000;
  EXPECT_EQ(gpu_remark(timing),
            "events say 30.0 µs and CUPTI 20.0 µs; clocks held back by power and heat");
}

}  // namespace

}  // namespace kbench

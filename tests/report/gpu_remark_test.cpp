#include <gtest/gtest.h>

#include "report/wording.hpp"

namespace kbench {
namespace {

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
  EXPECT_EQ(gpu_remark(timed(20'900, 20'000)), "");  // by a microsecond alone
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

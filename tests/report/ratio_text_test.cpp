#include <gtest/gtest.h>

#include "report/wording.hpp"

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

}  // namespace
}  // namespace kbench

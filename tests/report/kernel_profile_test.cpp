#include "report/kernel_profile.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

constexpr const char* sample =
    "==PROF== Disconnected from process 7\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"gpu__time_duration.sum\","
    "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"sm__warps_active.avg.pct_of_peak_sustained_active\",\"launch__shared_mem_per_block\","
    "\"launch__registers_per_thread\"\n"
    "\"\",\"\",\"\",\"\",\"nsecond\",\"%\",\"%\",\"Kbyte/block\",\"register/thread\"\n"
    "\"0\",\"7\",\"twice(float const*, float*, \"\"n\"\")\",\"(256, 1, 1)\",\"2,112\",\"12.50\","
    "\"71.25\",\"1.02\",\"16\"\r\n"
    "\"1\",\"7\",\"longer\",\"(256, 1, 1)\",\"1,500,000\",\"n/a\",\"\",\"0\",\"255\"\n";

TEST(KernelProfile, IsReadFromTheTableOfRawValues) {
  const auto kernels = read_profile(sample);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "twice(float const*, float*, \"n\")");
  ASSERT_EQ(kernels[0].figures.size(), profile_figures().size());
  EXPECT_EQ(kernels[0].figures[0], 2112);
  EXPECT_EQ(kernels[0].figures[1], 12.5);
  EXPECT_EQ(kernels[0].figures[2], std::nullopt);  // it has no such column
  EXPECT_EQ(kernels[0].figures[8], 1020);
  EXPECT_EQ(kernels[1].figures[1], std::nullopt);
}

TEST(KernelProfile, UnitsAreThoseOfTheTable) {
  const auto kernels = read_profile(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"us\"\n\"0\",\"f\",\"2.5\"\n"
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"0\",\"g\",\"2.5\"\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].figures[0], 2500);
  EXPECT_EQ(kernels[1].figures[0], 2.5);
}

TEST(KernelProfile, TheLongestStandFirst) {
  const Grid grid = profile_grid(read_profile(sample), 1);
  ASSERT_EQ(grid.rows.size(), 1U);
  EXPECT_EQ(grid.rows[0][0].text, "longer");
  EXPECT_EQ(grid.rows[0][1].text, "1.50 ms");
}

TEST(KernelProfile, AnyTextIsRead) {
  const std::string text = sample;
  for (std::size_t end = 0; end < text.size(); ++end) read_profile(text.substr(0, end));
  EXPECT_TRUE(read_profile("").empty());
  EXPECT_TRUE(read_profile("\"0\",\"a row before any header\"\n").empty());
}

}  // namespace
}  // namespace kbench

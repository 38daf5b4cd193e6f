#include "measure/machine/peaks.hpp"

#include <gtest/gtest.h>

#include "base/work_folder.hpp"

namespace kbench {
namespace {

MeasuredPeaks example() {
  return {{{{16384, {100e9, 200e9}}, {32768, {10e9, 15e9}}}, {1e11, 2e11}, 2, 4}, 2, "2026-11-22"};
}

void expect_equal(const MeasuredPeaks& a, const MeasuredPeaks& b) {
  EXPECT_EQ(write_peaks(a), write_peaks(b));
  EXPECT_EQ(a.peaks.float32.all, b.peaks.float32.all);
  ASSERT_EQ(a.peaks.bandwidth.size(), b.peaks.bandwidth.size());
  EXPECT_EQ(a.peaks.bandwidth[1].bytes, b.peaks.bandwidth[1].bytes);
  EXPECT_EQ(a.peaks.bandwidth[1].bytes_per_second.one, b.peaks.bandwidth[1].bytes_per_second.one);
}

TEST(Peaks, AreReadAsTheyAreWritten) {
  const auto read = read_peaks(write_peaks(example()));
  ASSERT_TRUE(read);
  expect_equal(*read, example());
}

TEST(Peaks, AreNothingInAnyOtherText) {
  for (const std::string text : {"", "{", "[]", "{\"cores\": 2}", "null"})
    EXPECT_FALSE(read_peaks(text)) << text;
  MeasuredPeaks none = example();
  none.peaks.bandwidth.clear();
  EXPECT_FALSE(read_peaks(write_peaks(none)));
}

TEST(Peaks, AreKeptForThatNumberOfCores) {
  const WorkFolder folder(std::filesystem::temp_directory_path(), "kbench-peaks-");
  Cache cache(folder.path(), {1 << 20, 1 << 20});
  EXPECT_FALSE(find_peaks(cache, 2));
  keep_peaks(cache, example());
  const auto found = find_peaks(cache, 2);
  ASSERT_TRUE(found);
  expect_equal(*found, example());
  EXPECT_FALSE(find_peaks(cache, 3));
}

TEST(Peaks, AreMeasuredFromTheFirstCacheToBeyondTheLast) {
  const auto sizes = peak_sizes();
  ASSERT_GE(sizes.size(), 2U);
  EXPECT_EQ(sizes.front(), 16384U);
  for (std::size_t i = 1; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], 2 * sizes[i - 1]);
}

TEST(Peaks, OfThisMachine) {
  std::vector<std::size_t> steps;
  const Peaks peaks = measure_peaks({1 << 14, 1 << 16}, 2, [&](std::size_t step, std::size_t all) {
    steps.push_back(step);
    EXPECT_EQ(all, 3U);
  });
  EXPECT_EQ(steps, (std::vector<std::size_t>{1, 2, 3}));
  // A thousand times slower or faster than any machine of today.
  EXPECT_GT(peaks.float32.one, 1e7);
  EXPECT_LT(peaks.float32.one, 1e14);
  ASSERT_EQ(peaks.bandwidth.size(), 2U);
  EXPECT_GT(peaks.bandwidth[1].bytes_per_second.one, 1e7);
  EXPECT_LT(peaks.bandwidth[0].bytes_per_second.all, 1e14);
  EXPECT_GE(peaks.bandwidth[0].bytes_per_second.one, peaks.bandwidth[1].bytes_per_second.one);
  EXPECT_GE(peaks.float32.all, peaks.float32.one);
}

}  // namespace
}  // namespace kbench

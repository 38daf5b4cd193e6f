#include "verdict/misses.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace kbench {
namespace {

std::string where(std::int64_t rows, std::int64_t columns,
                  const std::function<bool(std::int64_t, std::int64_t)>& is_missed) {
  std::vector<bool> missed;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) missed.push_back(is_missed(i, k));
  }
  return misses_text(missed, {rows, columns});
}

TEST(Misses, SayWhatTheirPlacesHaveInCommon) {
  EXPECT_EQ(where(4, 4, [](auto, auto) { return true; }), "");
  EXPECT_EQ(where(4, 4, [](auto i, auto) { return i == 2; }), "all at index 2 of axis 0");
  EXPECT_EQ(where(4, 64, [](auto, auto k) { return k >= 48; }), "all in the last 16 of axis 1");
  EXPECT_EQ(where(64, 4, [](auto i, auto) { return i < 3; }), "all in the first 3 of axis 0");
  EXPECT_EQ(where(64, 4, [](auto i, auto) { return i == 20 || i == 21; }),
            "all at 20 to 21 of axis 0");
  EXPECT_EQ(where(100, 4, [](auto i, auto) { return i % 20 == 19; }),
            "at every 20th index of axis 0, from 19 on");
  EXPECT_EQ(where(8, 64, [](auto i, auto k) { return i == 7 && k >= 63; }),
            "all at index 7 of axis 0, all at index 63 of axis 1");
  EXPECT_EQ(where(8, 64, [](auto i, auto k) { return (i * 7 + k * 13) % 10 < 4; }), "");
}

TEST(Misses, OfAScalar) { EXPECT_EQ(misses_text({true}, {}), ""); }

}  // namespace
}  // namespace kbench

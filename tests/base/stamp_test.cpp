#include "base/stamp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kbench {
namespace {

const std::string key = "0123456789abcdef";

TEST(Stamp, ReadsAsOneWord) {
  EXPECT_EQ(stamp_label({"rmsnorm_h128", "my-kernel.v2", "3", key}),
            "kbench#rmsnorm_h128/my-kernel.v2@3:0123456789abcdef");
  EXPECT_EQ(stamp_label({"a/b", "c@d", "0", key}), "kbench#a%2Fb/c%40d@0:0123456789abcdef");
}

TEST(Stamp, EveryNameSurvives) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string names[] = {
      "",   " ",    "%",    "%2F",      "%%41", "a/b@c#d:e", "kbench#a/b@0:" + key,
      "..", "λ µs", "名前", "\n\t\"\\", "a b",  all};
  for (const std::string& definition : names) {
    for (const std::string& solution : names) {
      const Stamp stamp{definition, solution, solution, key};
      const std::string label = stamp_label(stamp);
      EXPECT_EQ(parse_stamp(label), stamp) << label;
      EXPECT_TRUE(
          std::all_of(label.begin(), label.end(), [](char c) { return c > ' ' && c < 127; }));
      const auto found = find_stamps("[\"" + label + "\", " + label + "]");
      ASSERT_EQ(found.size(), 1u) << label;
      EXPECT_EQ(found[0].stamp, stamp);
      EXPECT_EQ(found[0].count, 2u);
    }
  }
}

TEST(Stamp, NamesByChanceSurvive) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string names[3];
    for (std::string& name : names) {
      name.resize(random() % 12);
      for (char& c : name) c = static_cast<char>(random());
    }
    const Stamp stamp{names[0], names[1], names[2], key};
    ASSERT_EQ(parse_stamp(stamp_label(stamp)), stamp);
  }
}

TEST(Stamp, WhatIsNoLabelIsNone) {
  for (const char* const text :
       {"", "kbench", "kbench#", "kbench#d/s@0", "kbench#d/s@0:0123456789abcde",
        "kbench#d/s@0:0123456789abcdef0", "kbench#d/s@0:0123456789ABCDEF",
        "kbench#d@0:0123456789abcdef", "kbench#d/s:0123456789abcdef",
        "kbench#d /s@0:0123456789abcdef", "kbench#%2/s@0:0123456789abcdef",
        "kbench#%G0/s@0:0123456789abcdef", "ejkernel_ops#d@v0:0123456789abcdef"}) {
    EXPECT_EQ(parse_stamp(text), std::nullopt) << text;
    EXPECT_TRUE(find_stamps(text).empty()) << text;
  }
  EXPECT_EQ(parse_stamp(" kbench#d/s@0:" + key), std::nullopt);
  EXPECT_EQ(parse_stamp("kbench#d/s@0:" + key + " "), std::nullopt);
}

TEST(Stamp, ToolsWriteThemInTheirOwnWays) {
  const Stamp stamp{"a/b", "s", "0", key};
  for (const std::string& text :
       {"kbench#a%2Fb/s@0:" + key + " 12 calls", "kbench#a%2fb/s@0:" + key + ",",
        R"({"name":"kbench#a%2Fb\/s@0:)" + key + R"("})", "kbench#kbench#a%2Fb/s@0:" + key,
        "<text>kbench#a%2Fb/s@0:" + key + "</text>"}) {
    const auto found = find_stamps(text);
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(found[0].stamp, stamp) << text;
  }
}

TEST(Stamp, ThoseFoundAreInTheirOrder) {
  const std::string first = stamp_label({"d", "z", "0", key}),
                    second = stamp_label({"d", "a", "0", key});
  const auto found = find_stamps(first + second + first);
  ASSERT_EQ(found.size(), 1u);  // two that stand together are none: the key would go on
  const auto apart = find_stamps(first + " " + second + "\n" + first);
  ASSERT_EQ(apart.size(), 2u);
  EXPECT_EQ(apart[0].stamp.solution, "z");
  EXPECT_EQ(apart[0].count, 2u);
  EXPECT_EQ(apart[1].count, 1u);
}

}  // namespace
}  // namespace kbench

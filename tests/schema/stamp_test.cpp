#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "schema/record_origin.hpp"

namespace kbench {
namespace {

const std::string key = "0123456789abcdef";

TEST(Stamp, ReadsAsOneWord) {
  EXPECT_EQ(stamp_label({"rmsnorm_h128", "my-kernel.v2", "3", key}),
            "kbench#rmsnorm_h128/my-kernel.v2@3:0123456789abcdef");
  EXPECT_EQ(stamp_label({"a/b", "c@d", "0", key}), "kbench#a%2Fb/c%40d@0:0123456789abcdef");
}

TEST(Stamp, NamesAreToldApart) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string names[] = {"",     " ",    "%",   "%2F",      "a/b", "kbench#a/b@0:" + key,
                               "λ µs", "名前", "a b", "\n\t\"\\", all};
  std::set<std::string> labels;
  for (const std::string& definition : names) {
    for (const std::string& solution : names) {
      const std::string label = stamp_label({definition, solution, solution, key});
      EXPECT_TRUE(labels.insert(label).second) << label;
      EXPECT_TRUE(
          std::all_of(label.begin(), label.end(), [](char c) { return c > ' ' && c < 127; }));
    }
  }
}

}  // namespace
}  // namespace kbench

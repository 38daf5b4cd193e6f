#include "base/text.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kbench {
namespace {

TEST(PythonText, AsPythonPrints) {
  EXPECT_EQ(python_string("it's"), "\"it's\"");
  EXPECT_EQ(python_string("a'b\"c\\\n\x01é"), "'a\\'b\"c\\\\\\n\\x01é'");
  EXPECT_EQ(python_list({"b", "a"}), "['a', 'b']");
  EXPECT_EQ(python_tuple(std::vector<std::int64_t>{}), "()");
  EXPECT_EQ(python_tuple(std::vector<std::int64_t>{4}), "(4,)");
  EXPECT_EQ(python_tuple(std::vector<std::int64_t>{2, 3}), "(2, 3)");
}

}  // namespace
}  // namespace kbench

#include "judge/equipment.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(HeaderVersion, IsOfThreeNumbers) {
  const char* header = "#define A_MAJOR 1\n/* x */\n#define A_MINOR 12\n#define A_PATCH 3\n";
  EXPECT_EQ(header_version(header, "A"), "1.12.3");
  EXPECT_EQ(header_version(header, "B"), "");
  EXPECT_EQ(header_version("#define A_MAJOR 1\n", "A"), "");
}

}  // namespace
}  // namespace kbench

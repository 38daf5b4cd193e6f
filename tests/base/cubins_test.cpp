#include "base/cubins.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Cubins, ComeBackAsTheyWere) {
  const std::string zeros(3, '\0');
  const std::string file = pack({{"sm_80", "\n\n" + zeros}, {"sm_90a", ""}, {"sm_90", "code"}});
  const auto back = unpack(file);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 3u);
  EXPECT_EQ((*back)[0].code, "\n\n" + zeros);
  EXPECT_EQ((*back)[1].architecture, "sm_90a");
  EXPECT_EQ((*back)[2].code, "code");
}

TEST(Cubins, AreNoneInAnyOtherFile) {
  for (const char* const file : {"",
                                 "\x7f"
                                 "ELF",
                                 "sm_90 4\n\ncod", "sm_90 4\n\ncode ", "sm_90\n\n",
                                 "sm_90 x\n\ncode", "sm_90 99999999999999999999\n\n"})
    EXPECT_FALSE(unpack(file)) << file;
}

}  // namespace
}  // namespace kbench

#include "base/installation.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Installation, LiesBelowThePrefixOfItsPrograms) {
  const Installation found = installation_of("/opt/kbench/bin/kbench");
  EXPECT_EQ(found.programs, "/opt/kbench/bin");
  EXPECT_EQ(found.plugins, "/opt/kbench/lib/kbench");
  EXPECT_EQ(found.headers, "/opt/kbench/share/kbench/include");
}

// A build folder has them, too.
TEST(Installation, HasTheHeadersOfCandidates) {
  EXPECT_TRUE(std::filesystem::exists(installation().headers / "kbench_ffi.h"));
}

}  // namespace
}  // namespace kbench

#include "base/content_identity.hpp"

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

TEST(ContentIdentity, IsThatOfTheContentAndOfNothingElse) {
  TempFolder folder;
  const auto first = folder.path() / "first", second = folder.path() / "second";
  EXPECT_EQ(content_identity(first), "absent");
  write_file(first, "a compiler");
  write_file(second, "a compiler");
  const std::string identity = content_identity(first);
  EXPECT_EQ(content_identity(second), identity);
  write_file(first, "another compiler");
  EXPECT_NE(content_identity(first), identity);
}

}  // namespace
}  // namespace kbench

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace kbench {
namespace {

std::string near(std::string_view word, const std::vector<std::string>& known) {
  return nearest(word, known);
}

TEST(Nearest, IsWithinAThirdOfTheLetters) {
  EXPECT_EQ(near("formt", {"table", "format"}), "format");
  EXPECT_EQ(near("FORMAT", {"format"}), "format");
  EXPECT_EQ(near("rmsnrm_h129", {"rmsnorm_h128", "gemm"}), "rmsnorm_h128");
  EXPECT_EQ(near("frobnicate", {"validate", "run"}), "");
  EXPECT_EQ(near("x", {"y"}), "");
}

TEST(Nearest, TakesSwappedNeighboursForOneEdit) {
  EXPECT_EQ(near("claer", {"info", "clear"}), "clear");
  EXPECT_EQ(near("rnu", {"run"}), "run");
  EXPECT_EQ(near("abdc", {"dcba"}), "");  // no other order of its letters
}

}  // namespace
}  // namespace kbench

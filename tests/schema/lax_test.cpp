#include "schema/lax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kbench {
namespace {

json::Value text(std::string_view said) {
  json::Value value;
  value.kind = json::Kind::string;
  value.text = said;
  return value;
}

TEST(LaxNumber, IsReadAsPythonReadsIt) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<const char*, double> known[] = {
      {"4", 4},        {"-0.5", -0.5},        {"+2", 2},           {".5", 0.5},
      {"1e3", 1000},   {"1E3", 1000},         {"1e400", infinity}, {"-1E400", -infinity},
      {"1e-400", 0},   {"1E-400", 0},         {"inf", infinity},   {"-Infinity", -infinity},
      {"1_000", 1000}, {"INFINITY", infinity}};
  for (const auto& [said, wanted] : known) EXPECT_EQ(lax_number(text(said)), wanted) << said;
  for (const char* const said : {"nan", "NaN", "-nan", "+NAN"}) {
    const auto number = lax_number(text(said));
    EXPECT_TRUE(number && std::isnan(*number)) << said;
  }
  for (const char* const said : {"", "-", "four", "1e", "--1", "-+1", "0x10", "infinite"})
    EXPECT_FALSE(lax_number(text(said))) << said;
}

}  // namespace
}  // namespace kbench

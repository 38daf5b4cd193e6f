#include "schema/configuration.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

Configuration parsed(std::string_view text) {
  auto result = parse_configuration(text);
  EXPECT_TRUE(std::holds_alternative<Configuration>(result)) << std::get<std::string>(result);
  return std::get<Configuration>(std::move(result));
}

std::string complaint(std::string_view text) {
  const auto result = parse_configuration(text);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result) : "";
}

TEST(ParameterValue, KnowsItsKind) {
  EXPECT_EQ(parameter_value("128"), ParameterValue(std::int64_t{128}));
  EXPECT_EQ(parameter_value("-3"), ParameterValue(std::int64_t{-3}));
  EXPECT_EQ(parameter_value("0.5"), ParameterValue(0.5));
  EXPECT_EQ(parameter_value("4.0"), ParameterValue(4.0));
  EXPECT_EQ(parameter_value("true"), ParameterValue(true));
  EXPECT_EQ(parameter_value("row_major"), ParameterValue("row_major"));
  EXPECT_EQ(parameter_value("nan"), ParameterValue("nan"));
  EXPECT_EQ(parameter_value("99999999999999999999"), ParameterValue(99999999999999999999.0));
}

TEST(ParameterValue, TextReadsBackAsTheSame) {
  for (const ParameterValue& value :
       {ParameterValue(std::int64_t{0}), ParameterValue(std::int64_t{INT64_MIN}),
        ParameterValue(4.0), ParameterValue(0.1), ParameterValue(1e300), ParameterValue(-2.5e-8),
        ParameterValue(false), ParameterValue(std::string("word"))})
    EXPECT_EQ(parameter_value(parameter_text(value)), value) << parameter_text(value);
}

TEST(Configuration, IsReadAsItIsWritten) {
  const std::string text = "BLOCK=128,VEC=4,scale=0.5,unrolled=true,order=row_major";
  EXPECT_EQ(configuration_text(parsed(text)), text);
  EXPECT_EQ(configuration_text(parsed(" A = 1 , B= x ")), "A=1,B=x");
}

TEST(Configuration, SaysWhatIsWrong) {
  EXPECT_EQ(complaint("BLOCK"), "\"BLOCK\" is no <name>=<value>, as in BLOCK=128,VEC=4");
  EXPECT_EQ(complaint("=3"), "\"=3\" is no <name>=<value>, as in BLOCK=128,VEC=4");
  EXPECT_EQ(complaint("A=1,"), "\"\" is no <name>=<value>, as in BLOCK=128,VEC=4");
  EXPECT_EQ(complaint("A=1,A=2"), "A stands there twice");
  EXPECT_EQ(complaint("A="), "A has no value");
}

// T10 of ejkernel's tests: equal configurations are equal, whatever the order, and others are not.
TEST(Configuration, T10OrderDoesNotCount) {
  EXPECT_TRUE(same_configuration(parsed("A=1,B=2"), parsed("B=2,A=1")));
  EXPECT_FALSE(same_configuration(parsed("A=1,B=2"), parsed("A=1")));
  EXPECT_FALSE(same_configuration(parsed("A=1"), parsed("A=1.0")));
  EXPECT_FALSE(same_configuration(parsed("A=1"), parsed("A=true")));
}

}  // namespace
}  // namespace kbench

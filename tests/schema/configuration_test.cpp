#include "schema/configuration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "schema/lax.hpp"
#include "schema/record_signature.hpp"

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

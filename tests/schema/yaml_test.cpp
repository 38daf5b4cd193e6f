#include "schema/yaml.hpp"

#include <gtest/gtest.h>

#include "schema/json_tree.hpp"

namespace kbench {
namespace {

// The YAML `text` as compact JSON.
std::string as_json(const std::string& text) {
  json::Memory memory;
  Diagnostics out;
  const json::Value value = parse_yaml({"c.yaml", text}, memory, out);
  EXPECT_TRUE(out.empty()) << text;
  return compact_json(value);
}

TEST(Yaml, WordsOfTruthAndNothing) {
  EXPECT_EQ(as_json("[true, Yes, ON]"), R"([true,true,"ON"])");
  EXPECT_EQ(as_json("[False, no, off, Off]"), "[false,false,false,false]");
  EXPECT_EQ(as_json("{a: ~, b: null, c: }"), R"({"a":null,"b":null,"c":null})");
}

TEST(Yaml, Numbers) {
  EXPECT_EQ(as_json("[1, -2, +3, 0.5, 1e-3, .5]"), "[1,-2,+3,0.5,1e-3,.5]");
  EXPECT_EQ(as_json("[1_0, 1-2, 0x1F, e, '1', \"2\"]"), R"(["1_0","1-2","0x1F","e","1","2"])");
}

TEST(Yaml, WhatIsNotFiniteInEachOfItsSpellings) {
  EXPECT_EQ(as_json("[.inf, .Inf, .INF, +.inf]"),
            R"(["Infinity","Infinity","Infinity","Infinity"])");
  EXPECT_EQ(as_json("[-.inf, -.INF]"), R"(["-Infinity","-Infinity"])");
  EXPECT_EQ(as_json("[.nan, .NaN, .NAN]"), R"(["NaN","NaN","NaN"])");
}

TEST(Yaml, MapsKeepTheirOrderAndPlaces) {
  json::Memory memory;
  Diagnostics out;
  const json::Value value = parse_yaml({"c.yaml", "b: 1\na: [x]\n"}, memory, out);
  ASSERT_EQ(value.members.size(), 2U);
  EXPECT_EQ(value.members[0].key, "b");
  EXPECT_EQ(value.members[1].key, "a");
  EXPECT_EQ(value.members[1].key_begin, 5U);
  EXPECT_EQ(value.members[1].value.items[0].begin, 9U);
}

TEST(Yaml, AMistakeIsReportedAtItsPlace) {
  json::Memory memory;
  Diagnostics out;
  parse_yaml({"c.yaml", "a: 1\nb: [1, 2\n"}, memory, out);
  ASSERT_EQ(out.errors(), 1U);
  EXPECT_GE(out.items()[0].where.line, 2);
}

}  // namespace
}  // namespace kbench

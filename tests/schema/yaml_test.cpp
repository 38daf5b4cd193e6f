#include "schema/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "schema/to_json.hpp"

namespace kbench {
namespace {

// Returns the YAML `text` as compact JSON.
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
  EXPECT_EQ(as_json("[1, -2, +3, 0.5, 1e-3, .5]"), "[1,-2,3,0.5,1e-3,0.5]");
  EXPECT_EQ(as_json("[25., 1.2.3, 1e999]"), R"([25.0,"1.2.3","1e999"])");
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

TEST(Yaml, PlacesCountBytesAndAByteOrderMark) {
  json::Memory memory;
  Diagnostics out;
  const Source source{"c.yaml", "\xEF\xBB\xBF\"é\": 1\nb: x\n"};
  const json::Value value = parse_yaml(source, memory, out);
  ASSERT_TRUE(out.empty());
  ASSERT_EQ(value.members.size(), 2U);
  EXPECT_EQ(value.members[0].key, "é");
  EXPECT_EQ(locate(source, value.members[1].value.begin).line, 2);
  EXPECT_EQ(locate(source, value.members[1].value.begin).column, 4);
}

TEST(Yaml, AnAliasIsAnotherValueOfTheSameContent) {
  EXPECT_EQ(as_json("{a: &x {b: [1]}, c: *x, d: [*x]}"),
            R"({"a":{"b":[1]},"c":{"b":[1]},"d":[{"b":[1]}]})");
}

TEST(Yaml, MergedMapsComeBelowTheMapsOwnKeys) {
  EXPECT_EQ(as_json("a: &x {p: 1, q: 2}\nb: {q: 3, <<: *x}"),
            R"({"a":{"p":1,"q":2},"b":{"p":1,"q":2,"q":3}})");
  EXPECT_EQ(as_json("a: &x {p: 1}\nb: &y {p: 2}\nc: {<<: [*x, *y]}"),
            R"({"a":{"p":1},"b":{"p":2},"c":{"p":2,"p":1}})");
  EXPECT_EQ(as_json("{'<<': 1}"), R"({"<<":1})");
}

struct Wrong {
  std::string text;
  int line, column;
  const char* message;
  const char* hint;
};

void expect_said(const Wrong& wrong) {
  json::Memory memory;
  Diagnostics out;
  parse_yaml({"c.yaml", wrong.text}, memory, out);
  ASSERT_EQ(out.items().size(), 1U) << wrong.message;
  const Diagnostic& said = out.items()[0];
  EXPECT_EQ(said.where.line, wrong.line) << said.message;
  EXPECT_EQ(said.where.column, wrong.column) << said.message;
  EXPECT_EQ(said.message, wrong.message);
  EXPECT_EQ(said.hint, wrong.hint);
  EXPECT_FALSE(said.where.excerpt.empty());
}

TEST(Yaml, AMistakeIsReportedAtItsPlaceWithTheLineAndAHint) {
  expect_said({"a:\n  - b: 1\n   c: 2\n", 3, 4, "end of sequence not found",
               "the '-' of a sequence, or the keys of a map, begin in one column"});
  expect_said({"a: 1\nb: [1, 2\n", 2, 9, "end of sequence flow not found", "a ']' is missing"});
  expect_said({"a: 1\nb: {c: 1\n", 2, 9, "end of map flow not found", "a '}' is missing"});
  expect_said({"a: b: c\n", 1, 5, "illegal map value",
               "indented too far, or a value that holds \": \" and needs quotes"});
  expect_said({"a:\n\tb: 1\n", 2, 3, "illegal map value", "indent with spaces, not tabs"});
  expect_said({"a: *x\n", 1, 4, "the referenced anchor is not defined",
               "an alias *name needs an anchor &name before it"});
  expect_said({"a: 1\n---\nb: 2\n", 2, 1, "a second document; a file holds one",
               "YAML is \"key: value\" lines, indented with spaces"});
  expect_said({"{a: 1, [b]: 2}", 1, 8, "a key must be a word, not a sequence or map",
               "YAML is \"key: value\" lines, indented with spaces"});
  expect_said({"a: \"\xff\"\n", 1, 5, "invalid UTF-8", ""});
}

TEST(Yaml, AnAliasOfItselfIsAnError) {
  expect_said({"a: 1\nb: &x {c: *x}\n", 2, 11, "the alias stands inside the value it stands for",
               "write out what is needed, without aliases"});
}

TEST(Yaml, AliasesThatMultiplyAreAnError) {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += fmt::format("a{0}: &a{0} [", i);
    for (int j = 0; j < 10; ++j) bomb += fmt::format("{}*a{}", j == 0 ? "" : ", ", i - 1);
    bomb += "]\n";
  }
  expect_said({bomb, 5, 55, "with its aliases written out, this has more than 100000 values",
               "write out what is needed, without aliases"});
}

TEST(Yaml, TooManyValuesWithoutAliasesAreNoneOfAliases) {
  std::string many = "a: [0";
  for (int i = 0; i < 100000; ++i) many += ",\n0";
  many += "]\n";
  json::Memory memory;
  Diagnostics out;
  parse_yaml({"c.yaml", many}, memory, out);
  ASSERT_EQ(out.errors(), 1U);
  EXPECT_EQ(out.items()[0].message, "this has more than 100000 values");
  EXPECT_EQ(out.items()[0].hint, "no file that kbench reads needs so many");
}

TEST(Yaml, DeepNestingIsAnError) {
  const char* message = "nested more than 200 levels deep";
  const char* hint = "a configuration needs four levels";
  for (const std::size_t depth : {300U, 600U, 100000U}) {
    const std::string text = "a: " + std::string(depth, '[') + std::string(depth, ']');
    json::Memory memory;
    Diagnostics out;
    parse_yaml({"c.yaml", text}, memory, out);
    ASSERT_EQ(out.errors(), 1U) << depth;
    EXPECT_EQ(out.items()[0].message, message);
    EXPECT_EQ(out.items()[0].hint, hint);
    EXPECT_GT(out.items()[0].where.column, 100);
  }
  std::string chain = "a0: &a0 [1]\n";
  for (int i = 1; i < 1000; ++i) chain += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  json::Memory memory;
  Diagnostics out;
  parse_yaml({"c.yaml", chain}, memory, out);
  ASSERT_EQ(out.errors(), 1U);
  EXPECT_EQ(out.items()[0].message, message);
}

TEST(Yaml, NoYamlHasANulByte) {
  json::Memory memory;
  Diagnostics out;
  parse_yaml({"c.yaml", std::string("a: \"b\0\"", 8)}, memory, out);
  ASSERT_EQ(out.errors(), 1U);
  EXPECT_EQ(out.items()[0].message, "a NUL byte, which no YAML has");
  EXPECT_EQ(out.items()[0].where.column, 6);
}

TEST(Yaml, AKeyGivenTwiceIsAWarning) {
  json::Memory memory;
  Diagnostics out;
  std::string text = "a: 1\nb: 2\na: 3\n";
  for (int i = 0; i < 100; ++i) text += fmt::format("k{}: 0\n", i);
  const json::Value value = parse_yaml({"c.yaml", text + "k7: 1\n"}, memory, out);
  ASSERT_EQ(out.items().size(), 2U);
  EXPECT_EQ(out.items()[0].level, Level::warning);
  EXPECT_EQ(out.items()[0].message, "key \"a\" is given twice; the last one counts");
  EXPECT_EQ(out.items()[0].where.line, 3);
  EXPECT_EQ(out.items()[1].where.line, 104);
  EXPECT_EQ(value.find("a")->text, "3");
}

TEST(Yaml, Utf16IsNamed) {
  json::Memory memory;
  Diagnostics out;
  parse_yaml({"c.yaml", std::string("\xFF\xFE"
                                    "a\0:\0 \0001\0",
                                    10)},
             memory, out);
  ASSERT_EQ(out.errors(), 1U);
  EXPECT_EQ(out.items()[0].message, "this file is UTF-16, kbench reads UTF-8");
}

}  // namespace
}  // namespace kbench

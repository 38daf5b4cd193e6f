#include "base/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/file.hpp"
#include "support/outside.hpp"

namespace kbench {
namespace {

struct Parsed {
  Source source;
  json::Memory memory;
  Diagnostics problems;
  json::Value value;

  explicit Parsed(std::string text) : source{"f.json", std::move(text)} {
    value = json::parse(source, 0, source.text.size(), memory, problems);
  }
  std::string first() const { return problems.empty() ? "" : problems.items().front().message; }
};

TEST(Json, ReadsValuesWithTheirPlaces) {
  const Parsed p("{\n  \"a\": [1, -2.5e3, \"x\\u00e9\\n\"],\n  \"b\": null\n}");
  ASSERT_TRUE(p.problems.empty());
  const json::Value& a = *p.value.find("a");
  ASSERT_EQ(a.items.size(), 3U);
  EXPECT_EQ(a.items[0].text, "1");
  EXPECT_EQ(a.items[1].text, "-2.5e3");
  EXPECT_EQ(a.items[1].kind, json::Kind::number);
  EXPECT_EQ(a.items[2].text, "x\xc3\xa9\n");
  const Where where = locate(p.source, p.value.find("b")->begin);
  EXPECT_EQ(where.line, 3);
  EXPECT_EQ(where.column, 8);
}

TEST(Json, TakesWhatPythonWrites) {
  const Parsed p("[NaN, Infinity, -Infinity]");
  ASSERT_TRUE(p.problems.empty());
  EXPECT_EQ(p.value.items[2].text, "-Infinity");
}

struct Mistake {
  const char* text;
  int line, column;
  const char* message;
};

class JsonMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(JsonMistakes, AreNamedWhereTheyAre) {
  const Mistake& m = GetParam();
  const Parsed p(m.text);
  ASSERT_FALSE(p.problems.empty()) << m.text;
  const Diagnostic& first = p.problems.items().front();
  EXPECT_EQ(first.message, m.message) << m.text;
  EXPECT_EQ(first.where.line, m.line) << m.text;
  EXPECT_EQ(first.where.column, m.column) << m.text;
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonMistakes,
    testing::Values(
        Mistake{"{\n \"a\": 1\n \"b\": 2}", 2, 8, "missing comma"},
        Mistake{"[1 2]", 1, 3, "missing comma"},
        Mistake{"{\"a\": 1,\n}", 1, 8, "trailing comma before '}'"},
        Mistake{"[1,]", 1, 3, "trailing comma before ']'"},
        Mistake{"[1,,2]", 1, 4, "two commas in a row"},
        Mistake{"{bad: 1}", 1, 2, "expected a key in double quotes, found 'bad'"},
        Mistake{"{\"a\" 1}", 1, 6, "expected ':' after the key, found '1'"},
        Mistake{"[tru]", 1, 2, "expected a value, found 'tru'"},
        Mistake{"[01]", 1, 2, "'01' is no JSON number"},
        Mistake{"[1.]", 1, 2, "'1.' is no JSON number"},
        Mistake{"[\"a\nb\"]", 1, 2, "string without a closing quote"},
        Mistake{"[\"\\x\"]", 1, 3, "invalid escape '\\x'"},
        Mistake{"[\"\\ud800\"]", 1, 3, "invalid escape '\\u'"},
        Mistake{"[1] x", 1, 5, "text after the end of the JSON value"},
        Mistake{"{\"a\": [1", 1, 9, "the text ends, ']' is missing"},
        Mistake{"", 1, 1, "the text is empty"}, Mistake{" \n", 2, 1, "the text is empty"},
        Mistake{R"({"a": "x "y" z"})", 1, 11, "text right after a string"},
        Mistake{"{\"a\": [1\n \"b\": 2}", 1, 9, "']' is missing before \"b\""},
        Mistake{R"({"a": 'x'})", 1, 7, "expected a value, found '''"},
        Mistake{"[1, /* no */ 2]", 1, 5, "JSON has no comments"},
        Mistake{"\xEF\xBB\xBF[1]", 1, 1, "the text begins with a byte order mark (BOM)"},
        Mistake{"[1, // no\n 2]", 1, 5, "JSON has no comments"},
        Mistake{"[\"\xff\"]", 1, 3, "invalid UTF-8"},
        Mistake{"{\"a\": 1, \"a\": 2}", 1, 10, "key \"a\" is given twice; the last one counts"}));

TEST(Json, GoesOnAfterAMistake) {
  const Parsed p("{\n \"a\": [1,],\n \"b\" 2,\n \"c\": 3\n}");
  ASSERT_EQ(p.problems.items().size(), 2U);
  ASSERT_NE(p.value.find("c"), nullptr);
  EXPECT_EQ(p.value.find("c")->text, "3");
}

TEST(Json, Utf16IsNamed) {
  for (const char* mark : {"", "\xFF\xFE"}) {
    const Parsed p(mark + std::string("{\0}\0", 4));
    ASSERT_EQ(p.problems.errors(), 1U);
    EXPECT_EQ(p.first(), "this file is UTF-16, kbench reads UTF-8");
  }
}

TEST(Json, AMistakeInALineIsSaidOnce) {
  for (const char* text : {R"({"a": tru fals, "b" 1})", "[01, 02, 03]", R"({"a: 1, "b": 2})",
                           R"({"a": "x, "b": "y"})", R"({"a", "b"})", R"({"a": [1, 2}, "b": 3})"}) {
    EXPECT_EQ(Parsed(text).problems.errors(), 1U) << text;
  }
}

TEST(Json, WhatIsBrokenIsKnownAsSuch) {
  const Parsed p("{\"a\": tru,\n\"b\": 01,\n\"c\": \"x,\n\"d\": 4}");
  EXPECT_EQ(p.problems.errors(), 3U);
  EXPECT_FALSE(p.value.lost);
  for (const char* key : {"a", "b", "c"}) EXPECT_EQ(p.value.find(key)->kind, json::Kind::broken);
  EXPECT_EQ(p.value.find("d")->text, "4");
  EXPECT_TRUE(Parsed("{\"a\": {").value.lost);
}

TEST(Json, DeepNestingIsAnErrorNotACrash) {
  const Parsed p(std::string(100000, '['));
  EXPECT_EQ(p.first(), "nested more than 200 levels deep");
}

TEST(Json, PointsIntoDecodedStrings) {
  const Parsed p(R"(["a\n\u00e9b"])");
  const json::Value& string = p.value.items[0];
  EXPECT_EQ(string.text,
            "a\n\xc3\xa9"
            "b");
  EXPECT_EQ(json::string_offset(p.source, string, 1), 3U);   // the \n
  EXPECT_EQ(json::string_offset(p.source, string, 2), 5U);   // the \u00e9
  EXPECT_EQ(json::string_offset(p.source, string, 4), 11U);  // the b
}

// nlohmann's reader is the oracle: both take the same texts.
void same_verdict(const std::string& text) {
  const Parsed p(text);
  const bool theirs = nlohmann::json::accept(text);
  const bool ours = p.problems.errors() == 0;
  const bool python =
      text.find("NaN") != std::string::npos || text.find("Infinity") != std::string::npos;
  if (!python) {
    ASSERT_EQ(ours, theirs) << text << "\n" << p.first();
  }
}

TEST(Json, AgreesWithNlohmannOnMutatedText) {
  const std::string base =
      R"({"name": "d", "axes": {"M": {"type": "var"}, "N": {"value": 4}}, "x": [1, -2.5, 1e9, "a\"\u0041", true, null, {}]})";
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = base;
    for (unsigned j = 0; j < 1 + random() % 3; ++j) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1 + random() % 3);
          break;
        case 1:
          text.insert(at, 1, "{}[],:\"\\0159.eE-+ tfn\n"[random() % 22]);
          break;
        default:
          std::swap(text[at], text[random() % text.size()]);
      }
      if (text.empty()) text = " ";
    }
    same_verdict(text);
    if (HasFatalFailure()) return;
  }
}

TEST(Json, AgreesWithNlohmannOnRealFiles) {
  KBENCH_NEEDS_OUTSIDE();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(outside_folder())) {
    if (entry.path().extension() != ".json") continue;
    same_verdict(read_file(entry.path()));
    ++files;
    if (HasFatalFailure()) FAIL() << entry.path();
  }
  EXPECT_GT(files, 300U);
}

}  // namespace
}  // namespace kbench

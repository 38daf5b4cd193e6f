#include "import/json_edit.hpp"

#include <gtest/gtest.h>

#include "schema/json_tree.hpp"

namespace kbench {
namespace {

class JsonEdit : public testing::Test {
 protected:
  json::Value parse(std::string text) {
    source_.text = std::move(text);
    Diagnostics problems;
    return json::parse(source_, 0, source_.text.size(), memory_, problems);
  }

  json::Memory memory_;
  json::Editor edit_{memory_};
  Source source_{"file", ""};
};

TEST_F(JsonEdit, WithReplacesInPlaceOrAppends) {
  const json::Value object = parse(R"({"a": 1, "b": 2})");
  EXPECT_EQ(compact_json(edit_.with(object, "a", edit_.string("x", object))), R"({"a":"x","b":2})");
  EXPECT_EQ(compact_json(edit_.with(object, "c", edit_.integer(3, object))),
            R"({"a":1,"b":2,"c":3})");
  EXPECT_EQ(compact_json(object), R"({"a":1,"b":2})");
}

TEST_F(JsonEdit, OfAKeyGivenTwiceTheLastOneIsReplacedAndAllAreDropped) {
  const json::Value object = parse(R"({"a": 1, "a": 2})");
  EXPECT_EQ(compact_json(*edit_.with(object, "a", edit_.integer(3, object)).find("a")), "3");
  EXPECT_EQ(compact_json(edit_.without(object, "a")), "{}");
}

TEST_F(JsonEdit, RenamedKeepsTheOrder) {
  const json::Value object = parse(R"({"type": "gemm", "name": "g"})");
  EXPECT_EQ(compact_json(edit_.renamed(object, "type", "op_type")),
            R"({"op_type":"gemm","name":"g"})");
}

TEST_F(JsonEdit, NewValuesStandWhereTheOldOnesStood) {
  const json::Value object = parse(R"({"a": [1, 2]})");
  const json::Value& old = *object.find("a");
  EXPECT_EQ(edit_.string("x", old).begin, old.begin);
  EXPECT_EQ(edit_.array({}, old).end, old.end);
  EXPECT_EQ(compact_json(edit_.strings({"x", "y"}, old)), R"(["x","y"])");
  EXPECT_EQ(compact_json(edit_.null(old)), "null");
  EXPECT_EQ(compact_json(edit_.boolean(true, old)), "true");
}

TEST_F(JsonEdit, LookingTakesWhatIsNotThere) {
  const json::Value object = parse(R"({"a": "x", "b": {}})");
  EXPECT_EQ(json::text_of(json::member(&object, "a")), "x");
  EXPECT_EQ(json::member(json::member(&object, "c"), "d"), nullptr);
  EXPECT_EQ(json::text_of(nullptr), "");
  EXPECT_TRUE(json::is_empty(*object.find("b")));
  EXPECT_FALSE(json::is_empty(*object.find("a")));
}

}  // namespace
}  // namespace kbench

// Files selected_operators.yaml: the cases SB1, SB2, SB9 and SB14 of the research notes.
// tests/operators/torchgen shows that torchgen reads what is written.
#include "kernels/registry/selection.hpp"

#include <gtest/gtest.h>

#include "support/said.hpp"

namespace kbench {
namespace {

using ReadSelection = ReadText<std::optional<OperatorSelection>>;

ReadSelection read_selection_text(const std::string& text) {
  Diagnostics out;
  return {read_selection({"s.yaml", text}, out), text_of(out, Tell::message)};
}

TEST(Selection, IsWrittenSortedAndReadAgain) {  // SB1
  OperatorSelection some;
  select(some, "aten::mul", "default", "b.pte");
  select(some, "aten::add", "default", "a.pte");
  const std::string text = write_selection(some);
  EXPECT_LT(text.find("  aten::add:"), text.find("  aten::mul:"));
  const ReadSelection r = read_selection_text(text);
  EXPECT_EQ(r.messages, "");
  EXPECT_EQ(r.value, some);
  EXPECT_EQ(write_selection(*r.value), text);
}

TEST(Selection, KeysAndDtypes) {  // SB2
  EXPECT_EQ(selection_key("Float"), "v1/6;");
  EXPECT_EQ(selection_key("Half"), "v1/5;");  // upstream: Unknown dtype
  EXPECT_EQ(selection_key("bfloat16"), "v1/15;");
  EXPECT_EQ(selection_key("v1/3;0,1|3;0,1"), "v1/3;0,1|3;0,1");
  EXPECT_EQ(selection_key("Bogus"), "");
  OperatorSelection some;
  select(some, "aten::add", "v1/3;0,1", "");
  select(some, "aten::add", "v1/6;", "");
  select(some, "aten::add", "v1/6;", "");  // lists each once
  EXPECT_EQ(some.kernels["aten::add"], (std::vector<std::string>{"v1/3;0,1", "v1/6;"}));
}

TEST(Selection, TwoAreOne) {  // SB9
  OperatorSelection a;
  select(a, "aten::add.out", "v1/6;", "a.pte");
  a.operators["aten::add.out"].is_root_operator = false;
  OperatorSelection b;
  select(b, "aten::add.out", "default", "b.pte");
  select(b, "aten::mul.out", "default", "b.pte");
  b.include_all_operators = true;
  b.debug_info = {"b.pte"};
  const OperatorSelection both = unite(a, b);
  EXPECT_TRUE(both.include_all_operators);
  EXPECT_TRUE(both.operators.at("aten::add.out").is_root_operator);
  EXPECT_EQ(both.operators.at("aten::add.out").debug_info,
            (std::vector<std::string>{"a.pte", "b.pte"}));
  EXPECT_EQ(both.kernels.at("aten::add.out"), (std::vector<std::string>{"v1/6;", "default"}));
  EXPECT_EQ(both.operators.size(), 2U);
  EXPECT_EQ(both.debug_info, std::vector<std::string>{"b.pte"});
  EXPECT_EQ(unite(both, both), both);
}

TEST(Selection, WhatIsNotSaidIsAsItAlwaysIs) {
  for (const char* text :
       {"", "{}", "operators:\net_kernel_metadata:\n", "kernel_metadata: {a: [b]}"}) {
    const ReadSelection r = read_selection_text(text);
    EXPECT_EQ(r.messages, "") << text;
    EXPECT_EQ(r.value, OperatorSelection{}) << text;
  }
  const ReadSelection r = read_selection_text("operators: {aten::add: {}}\n");
  ASSERT_TRUE(r.value);
  EXPECT_EQ(r.value->operators.at("aten::add"), SelectedOperator{});
}

TEST(Selection, MistakesAreSaidWhereTheyStand) {  // SB14
  struct Row {
    const char* yaml;
    const char* messages;
  };
  const Row rows[] = {
      {"bogus: 1\n", "1:1: Got unexpected top level keys: bogus\n"},
      {"operators: {a::b: {bogus: 1}}\n", "1:20: Got unexpected operator keys: bogus\n"},
      {"- a\n", "1:1: a selection is a map\n"},
      {"include_all_operators: maybe\n", "1:24: must be true or false, not 'maybe'\n"},
      {"operators: [a]\n", "1:12: must be a map from operators to settings, not [\"a\"]\n"},
      {"operators: {a::b: 1}\n", "1:19: must be a map of settings, not 1\n"},
      {"et_kernel_metadata: {a::b: default}\n", "1:28: must be a list, not 'default'\n"},
      {"et_kernel_metadata: {a::b: [1]}\n", "1:29: must be a list of words, not 1\n"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(read_selection_text(row.yaml).messages, row.messages) << row.yaml;
    EXPECT_FALSE(read_selection_text(row.yaml).value);
  }
}

}  // namespace
}  // namespace kbench

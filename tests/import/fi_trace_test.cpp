#include <gtest/gtest.h>

#include "support/foreign_text.hpp"

namespace kbench {
namespace {

Imported dump(const std::string& text) { return read_texts("fi-trace", {{"dump.json", text}}); }

// Members of inputs, outputs and of the definition; the reference's header.
std::string text_with(const std::string& inputs, const std::string& outputs,
                      const std::string& more, const std::string& header) {
  return R"({"name": "op_n4", "op_type": "op", "axes": {"M": {"type": "var"},
 "N": {"type": "const", "value": 4}}, "inputs": {)" +
         inputs + R"(}, "outputs": {)" + outputs + "}, " + more + R"("reference": ")" + header +
         R"(\n    return a\n"})";
}

const std::string input_a = R"("a": {"shape": ["M", "N"], "dtype": "float32"})";
const std::string output_y = R"("y": {"shape": ["M", "N"], "dtype": "float32"})";

TEST(FiTrace, TheReferencesFunctionGetsARun) {
  const Imported imported = dump(text_with(input_a, output_y, "", "def _op_reference(a):"));
  ASSERT_EQ(imported.definitions.size(), 1U);
  EXPECT_EQ(imported.definitions[0].record.reference,
            "def _op_reference(a):\n    return a\n\n\ndef run(a):\n    return _op_reference(a)\n");
  EXPECT_EQ(notes_of(imported),
            std::vector<std::string>{"info: run() is added to the reference: it calls "
                                     "_op_reference()"});
  EXPECT_EQ(imported.left_out, 0U);
}

TEST(FiTrace, ARunIsLeftAlone) {
  const Imported imported = dump(text_with(input_a, output_y, "", "def run(a):"));
  ASSERT_EQ(imported.definitions.size(), 1U);
  EXPECT_EQ(imported.definitions[0].record.reference, "def run(a):\n    return a\n");
  EXPECT_TRUE(notes_of(imported).empty());
}

TEST(FiTrace, ForeignKeysAreReported) {
  const Imported imported =
      dump(text_with(R"("a": {"shape": ["M"], "dtype": "float32", "optional": true, "param": "a"})",
                     output_y, R"("init": "x", "check": "y", "mood": 1, )", "def run(a):"));
  EXPECT_EQ(imported.definitions.size(), 1U);
  const std::vector<std::string> wanted{"warning: \"init\" is not carried over",
                                        "warning: \"check\" is not carried over",
                                        "warning: key \"optional\" of a is not carried over",
                                        "warning: key \"param\" of a is not carried over",
                                        "warning: unknown key \"mood\" is ignored"};
  EXPECT_EQ(notes_of(imported), wanted);
}

TEST(FiTrace, DtypesThatTheSchemaLacksAreRefusedByName) {
  for (const std::string dtype : {"uint16", "uint32", "float64", "string", "unknown"}) {
    const Imported imported = dump(text_with(
        R"("a": {"shape": ["M"], "dtype": ")" + dtype + R"("})", output_y, "", "def run(a):"));
    EXPECT_TRUE(imported.definitions.empty());
    EXPECT_EQ(imported.left_out, 1U);
    EXPECT_EQ(notes_of(imported), std::vector<std::string>{"error: dtype " + dtype +
                                                           " of \"a\" has no counterpart: "
                                                           "definition left out"});
    EXPECT_EQ(imported.files[0].notes.items()[0].where.line, 2);
  }
}

TEST(FiTrace, AnAbsentOptionalInputIsLeftOutWhereTheReferenceCanDoWithout) {
  const std::string mask = R"(, "m": {"shape": ["L"], "dtype": "unknown", "optional": true})";
  const std::string more = R"x("constraints": ["M > 0", "L == len(m)"], )x";
  const Imported good = dump(text_with(input_a + mask, output_y, more, "def f(a, m=None):"));
  ASSERT_EQ(good.definitions.size(), 1U);
  const Definition& definition = good.definitions[0].record;
  EXPECT_EQ(definition.inputs.size(), 1U);
  EXPECT_EQ(definition.constraints, std::vector<std::string>{"M > 0"});
  EXPECT_TRUE(definition.reference.ends_with("def run(a):\n    return f(a)\n"));
  EXPECT_TRUE(has_note(good, "warning: optional input \"m\" is left out"));
  EXPECT_TRUE(has_note(good, "warning: constraint \"L == len(m)\" is not carried over"));
  const Imported bad = dump(text_with(input_a + mask, output_y, "", "def f(a, m):"));
  EXPECT_TRUE(bad.definitions.empty());
  EXPECT_TRUE(has_note(bad, "error: dtype unknown of \"m\""));
}

TEST(FiTrace, AxesThatOnlyALeftOutInputHasGoWithIt) {
  const std::string axes = R"({"name": "op", "op_type": "op", "axes": {"M": {"type": "var"},
 "L": {"type": "var"}, "free": {"type": "var"}}, "inputs": {
 "a": {"shape": ["M"], "dtype": "float32"},
 "m": {"shape": ["L"], "dtype": "unknown", "optional": true}},
 "outputs": {"y": {"shape": ["M"], "dtype": "float32"}},
 "reference": "def f(a, m=None):\n    return a\n"})";
  const Imported imported = dump(axes);
  ASSERT_EQ(imported.definitions.size(), 1U);
  const auto& kept = imported.definitions[0].record.axes;
  EXPECT_TRUE(kept.contains("M"));
  EXPECT_FALSE(kept.contains("L"));
  EXPECT_TRUE(kept.contains("free"));
  EXPECT_TRUE(has_note(imported, "info: axis \"L\" is left out"));
}

TEST(FiTrace, AnOutputWrittenInPlaceGetsANameOfItsOwn) {
  const Imported imported = dump(
      text_with(input_a, R"("a": {"shape": ["M", "N"], "dtype": "float32"})", "", "def f(a):"));
  ASSERT_EQ(imported.definitions.size(), 1U);
  EXPECT_TRUE(imported.definitions[0].record.outputs.contains("a_out"));
  EXPECT_TRUE(has_note(imported, "warning: output \"a\" is called \"a_out\""));
}

TEST(FiTrace, OutputsReturnedByNameKeepTheirNames) {
  const Imported imported =
      dump(text_with(input_a, R"("a": {"shape": ["M", "N"], "dtype": "float32"})", "",
                     R"(def f(a):\n    return {'a': a}\n\ndef run(a):)"));
  EXPECT_EQ(imported.left_out, 0U);  // run() itself returns no dict
  const Imported by_name =
      dump(text_with(input_a, R"("a": {"shape": ["M", "N"], "dtype": "float32"})", "",
                     R"(def run(a):\n    if 1: return {'a': a})"));
  EXPECT_TRUE(by_name.definitions.empty());
  EXPECT_TRUE(has_note(by_name, "error: input and output names must not overlap"));
}

TEST(FiTrace, AxesThatAreMissingOrHaveNoValueBecomeVariable) {
  const Imported imported = dump(R"({"name": "op", "op_type": "op",
 "axes": {"P": {"type": "const", "description": "page"}},
 "inputs": {"a": {"shape": ["P", "Q", "1", 2], "dtype": "float32"}},
 "outputs": {"y": {"shape": ["P"], "dtype": "float32"}},
 "reference": "def run(a):\n    return a\n"})");
  ASSERT_EQ(imported.definitions.size(), 1U);
  const Definition& definition = imported.definitions[0].record;
  EXPECT_TRUE(std::holds_alternative<AxisVar>(*definition.axes.find("P")));
  EXPECT_EQ(std::get<AxisVar>(*definition.axes.find("P")).description, "page");
  EXPECT_TRUE(std::holds_alternative<AxisVar>(*definition.axes.find("Q")));
  EXPECT_EQ(const_value(*definition.axes.find("size_1")), 1);
  EXPECT_EQ(const_value(*definition.axes.find("size_2")), 2);
  const std::vector<std::string> shape{"P", "Q", "size_1", "size_2"};
  EXPECT_EQ(definition.inputs.find("a")->shape, shape);
}

TEST(FiTrace, ImportsThatWereLeftBehindAreAdded) {
  const Imported imported =
      dump(text_with(input_a, output_y, "", R"(def run(a):\n    a = torch.exp(helper(a)))"));
  ASSERT_EQ(imported.definitions.size(), 1U);
  EXPECT_TRUE(imported.definitions[0].record.reference.starts_with("import torch\n\ndef run(a):"));
  const std::vector<std::string> wanted{
      "info: \"import torch\" is added to the reference",
      "warning: the reference uses helper, which it does not define"};
  EXPECT_EQ(notes_of(imported), wanted);
}

TEST(FiTrace, NothingIsPutBeforeFuture) {
  const Imported imported =
      dump(text_with(input_a, output_y, "",
                     R"(from __future__ import annotations\ndef run(a):\n    a = torch.exp(a))"));
  ASSERT_EQ(imported.definitions.size(), 1U);
  EXPECT_TRUE(has_note(imported, "warning: the reference uses torch, which it does not define"));
}

TEST(FiTrace, WithoutAReferenceThereIsNoDefinition) {
  const Imported imported =
      dump(R"({"name": "op", "op_type": "op", "axes": {}, "inputs": {}, "outputs": {}})");
  EXPECT_TRUE(imported.definitions.empty());
  EXPECT_EQ(notes_of(imported),
            std::vector<std::string>{"error: the dump has no reference: definition left out"});
}

TEST(FiTrace, WhatIsNoDumpIsSaid) {
  const Imported imported = read_texts("fi-trace", {{"package.json", R"({"version": 1})"}});
  EXPECT_EQ(notes_of(imported),
            std::vector<std::string>{"error: is no definition, workload or solution of this "
                                     "format: it is left out"});
  EXPECT_EQ(imported.left_out, 1U);
}

}  // namespace
}  // namespace kbench

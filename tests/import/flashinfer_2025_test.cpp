#include <gtest/gtest.h>

#include "support/foreign_text.hpp"

namespace kbench {
namespace {

const std::string old_definition_text = R"({"name": "op_n8", "type": "op", "axes": {
 "M": {"type": "var", "parent": "B"}, "N": {"type": "const", "value": 8}}, "inputs": {
 "a": {"shape": ["M", "N"], "dtype": "float32"}, "s": {"shape": [], "dtype": "float32"}},
 "outputs": {"y": {"shape": ["M"], "dtype": "float32"}},
 "reference": "def run(a, s):\n    return {'y': a}\n"})";

Imported with_line(const std::string& line) {
  return read_texts("flashinfer-2025", {{"d.json", old_definition_text}, {"t.jsonl", line + "\n"}});
}

TEST(Flashinfer2025, DefinitionsGetTodaysKeys) {
  const Imported imported = read_texts("flashinfer-2025", {{"d.json", old_definition_text}});
  ASSERT_EQ(imported.definitions.size(), 1U);
  const Definition& definition = imported.definitions[0].record;
  EXPECT_EQ(definition.op_type, "op");
  EXPECT_EQ(definition.inputs.find("s")->shape, std::nullopt);
  EXPECT_TRUE(has_note(imported, "warning: \"parent\" is not carried over"));
  EXPECT_TRUE(has_note(imported, "info: input \"s\" of shape [] is a number"));
}

TEST(Flashinfer2025, AnInputThatWorkloadsStoreStaysATensor) {
  const Imported imported = with_line(
      R"({"definition": "op_n8", "solution": "", "workload": {"axes": {"M": 2}, "inputs": {"s": {"format": "safetensors", "path": "p", "tensor_key": "s"}}}, "evaluation": {}})");
  ASSERT_EQ(imported.definitions.size(), 1U);
  EXPECT_EQ(imported.definitions[0].record.inputs.find("s")->shape, std::vector<std::string>{});
  ASSERT_EQ(imported.traces.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<SafetensorsInput>(
      *imported.traces[0].record.workload.inputs.find("s")));
}

TEST(Flashinfer2025, AWorkloadHasNoSolutionAndAUuidOfItsContent) {
  const std::string line =
      R"({"definition": "op_n8", "solution": "", "workload": {"axes": {"M": 2, "N": 8}, "inputs": {}}, "evaluation": {}})";
  const Imported imported = with_line(line);
  ASSERT_EQ(imported.traces.size(), 1U);
  const Trace& trace = imported.traces[0].record;
  EXPECT_TRUE(is_workload_trace(trace));
  EXPECT_EQ(trace.workload.axes.size(), 1U);
  EXPECT_EQ(trace.workload.uuid.size(), 36U);
  EXPECT_EQ(trace.workload.uuid, with_line(line).traces[0].record.workload.uuid);
  const Imported other = with_line(
      R"({"definition": "op_n8", "solution": "", "workload": {"axes": {"M": 3}, "inputs": {}}, "evaluation": {}})");
  EXPECT_NE(trace.workload.uuid, other.traces[0].record.workload.uuid);
}

TEST(Flashinfer2025, AConstAxisOfAnotherLengthStaysForTheCheck) {
  const Imported imported = with_line(
      R"({"definition": "op_n8", "workload": {"axes": {"M": 2, "N": 9}, "inputs": {}, "uuid": "u"}})");
  ASSERT_EQ(imported.traces.size(), 1U);
  EXPECT_EQ(imported.traces[0].record.workload.axes.size(), 2U);
}

TEST(Flashinfer2025, EvaluationsKeepAllButTheLogFile) {
  const Imported imported = with_line(
      R"({"definition": "op_n8", "solution": "s", "workload": {"axes": {"M": 2}, "inputs": {}}, "evaluation": {"status": "PASSED", "log_file": "x.log", "correctness": {"max_relative_error": 0.5}, "performance": {"latency_ms": 1}, "environment": {"device": "B200", "libs": {}}, "timestamp": "t"}})");
  ASSERT_EQ(imported.traces.size(), 1U);
  const Evaluation& evaluation = *imported.traces[0].record.evaluation;
  EXPECT_EQ(evaluation.environment.hardware, "B200");
  EXPECT_EQ(evaluation.correctness->max_relative_error, 0.5);
  EXPECT_TRUE(has_note(imported, "warning: \"log_file\" is not carried over"));
}

TEST(Flashinfer2025, SolutionsGetLanguageEntryFileAndStyle) {
  const std::string text = R"([{"name": "s", "definition": "d", "author": "me", "spec": {
 "language": "CUDA", "target_hardware": ["H100"], "entry_point": "run", "build_steps": [],
 "build_commands": ["make"]}, "sources": [{"path": "x.cu", "content": "x"}]},
 {"name": "t", "definition": "d", "author": "me", "spec": {"language": "Triton",
 "target_hardware": ["H100"], "entry_point": "run"}, "sources": [
 {"path": "main.py", "content": "x"}, {"path": "b.py", "content": "x"}]}])";
  const Imported imported = read_texts("flashinfer-2025", {{"solutions.json", text}});
  ASSERT_EQ(imported.solutions.size(), 2U);
  const BuildSpec& cuda = imported.solutions[0].record.spec;
  EXPECT_EQ(cuda.language, Language::cuda);
  EXPECT_EQ(cuda.binding, Binding::torch);
  EXPECT_EQ(cuda.entry_point, "x.cu::run");
  EXPECT_FALSE(cuda.destination_passing_style);
  const BuildSpec& triton = imported.solutions[1].record.spec;
  EXPECT_EQ(triton.language, Language::triton);
  EXPECT_EQ(triton.binding, std::nullopt);
  EXPECT_EQ(triton.entry_point, "main.py::run");
  EXPECT_TRUE(has_note(imported, "warning: \"build_commands\" is not carried over"));
  EXPECT_FALSE(has_note(imported, "build_steps"));
}

TEST(Flashinfer2025, OneBrokenLineHidesNoOther) {
  const Imported imported =
      read_texts("flashinfer-2025",
                 {{"t.jsonl",
                   "{\"definition\": \n\n{\"definition\": \"d\", \"workload\": {\"axes\": {}, "
                   "\"inputs\": {}, \"uuid\": \"u\"}}\n"}});
  EXPECT_EQ(imported.traces.size(), 1U);
  EXPECT_EQ(imported.traces[0].line, 3);
  EXPECT_EQ(imported.left_out, 1U);
  EXPECT_EQ(imported.files[0].notes.items()[0].where.line, 1);
}

}  // namespace
}  // namespace kbench

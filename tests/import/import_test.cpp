#include "cli/import/import.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "problem/data/safetensors.hpp"
#include "schema/scan.hpp"
#include "support/temp_folder.hpp"
#include "validate/validate.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* own_definition_text = R"({"name": "op_n8", "op_type": "op", "axes": {
 "M": {"type": "var"}, "N": {"type": "const", "value": 2}}, "inputs": {
 "a": {"shape": ["M", "N"], "dtype": "float32"}},
 "outputs": {"y": {"shape": ["M"], "dtype": "float32"}},
 "reference": "def run(a):\n    return a\n"})";

constexpr const char* solution_text = R"({"name": "s", "definition": "op_n8", "author": "me",
 "spec": {"language": "Python", "target_hardware": ["H100"], "entry_point": "run"},
 "sources": [{"path": "main.py", "content": "x"}]})";

std::string workload_line(int m, const std::string& input = R"({"type": "random"})",
                          const std::string& definition = "op_n8") {
  return fmt::format(
      R"({{"definition": "{}", "workload": {{"axes": {{"M": {}}}, "inputs": {{"a": {}}}}}}})"
      "\n",
      definition, m, input);
}

constexpr const char* passed_line =
    R"({"definition": "op_n8", "solution": "s", "workload": {"axes": {"M": 3}, "inputs": {"a": {"type": "random"}}}, "evaluation": {"status": "TIMEOUT", "environment": {"device": "B200"}, "timestamp": "t"}})"
    "\n";

class Import : public testing::Test {
 protected:
  ImportReport import(bool dry_run = false) {
    return import_files(from(), *find_import_format("flashinfer-2025"), root(), dry_run);
  }
  void write(std::string_view name, std::string_view text) {
    folder_.write("from/" + std::string(name), text);
  }
  fs::path from() const { return folder_.path() / "from"; }
  fs::path root() const { return folder_.path() / "root"; }

  std::size_t validation_errors() const {
    ValidationReport report;
    validate_trace_set(root(), {}, report);
    std::size_t errors = 0;
    for (const FileReport& file : report.files) errors += file.messages.errors();
    return errors;
  }

  static std::string messages(const ImportReport& report) {
    return report_text(report.notes, false, true);
  }

  TempFolder folder_;
};

using Counts = std::array<std::size_t, 4>;

TEST_F(Import, WritesThroughNoLinkOfAFolder) {
  write("op.json", own_definition_text);
  const fs::path elsewhere = folder_.path() / "elsewhere";
  fs::create_directories(elsewhere);
  fs::create_directories(root());
  fs::create_symlink(elsewhere, root() / "definitions");
  const ImportReport report = import();
  EXPECT_FALSE(report.usable);
  EXPECT_TRUE(fs::is_empty(elsewhere));
  ASSERT_EQ(report.notes.files.size(), 1U);
  EXPECT_NE(messages(report).find("op_n8.json: a link leads out"), std::string::npos);
}

TEST_F(Import, WritesAValidTraceSet) {
  write("d.json", own_definition_text);
  write("s.json", solution_text);
  write("t/all.jsonl", workload_line(3) + workload_line(4) + passed_line);
  const ImportReport report = import();
  EXPECT_EQ(report.written, (Counts{1, 2, 1, 1})) << messages(report);
  EXPECT_EQ(report.left_out, 0U);
  EXPECT_TRUE(fs::exists(root() / "definitions/op/op_n8.json"));
  EXPECT_TRUE(fs::exists(root() / "workloads/op/op_n8.jsonl"));
  EXPECT_TRUE(fs::exists(root() / "solutions/me/op/op_n8/s.json"));
  EXPECT_TRUE(fs::exists(root() / "traces/me/op/op_n8.jsonl"));
  EXPECT_EQ(validation_errors(), 0U);
  EXPECT_EQ(import_summary(report, false),
            "1 definition, 2 workloads, 1 solution, 1 trace written; 0 left out\n");
}

TEST_F(Import, ASecondTimeChangesNothing) {
  write("d.json", own_definition_text);
  write("t.jsonl", workload_line(3));
  import();
  const ImportReport again = import();
  EXPECT_EQ(again.written, Counts{});
  EXPECT_EQ(again.there, (Counts{1, 1, 0, 0}));
  EXPECT_EQ(again.left_out, 0U);
}

TEST_F(Import, ADryRunWritesNothing) {
  write("d.json", own_definition_text);
  const ImportReport report = import(true);
  EXPECT_EQ(report.written[0], 1U);
  EXPECT_FALSE(fs::exists(root()));
}

TEST_F(Import, WhatIsThereIsNotOverwritten) {
  write("d.json", own_definition_text);
  write("t.jsonl", workload_line(3));
  folder_.write("root/definitions/op/op_n8.json", "{}");
  const ImportReport report = import();
  EXPECT_EQ(read_file(root() / "definitions/op/op_n8.json"), "{}");
  EXPECT_EQ(report.left_out, 2U);  // the workload is of another definition than the one there
  EXPECT_NE(messages(report).find("op_n8.json is there already, with other content"),
            std::string::npos);
}

TEST_F(Import, WorkloadsAreNotGivenToAnotherDefinitionThatIsThere) {
  write("d.json", own_definition_text);
  import();
  std::string other = own_definition_text;
  other.replace(other.find("\"value\": 2"), 10, "\"value\": 3");
  write("d.json", other);
  write("t.jsonl", workload_line(3));
  const ImportReport report = import();
  EXPECT_EQ(report.written, Counts{}) << messages(report);
  EXPECT_EQ(report.left_out, 2U);
}

TEST_F(Import, LinesThatAreThereAreNotOverwritten) {
  write("d.json", own_definition_text);
  write("t.jsonl", workload_line(3));
  folder_.write("root/workloads/op/op_n8.jsonl", "\n");
  const ImportReport report = import();
  EXPECT_EQ(report.written, (Counts{1, 0, 0, 0}));
  EXPECT_EQ(report.left_out, 1U);
  EXPECT_EQ(read_file(root() / "workloads/op/op_n8.jsonl"), "\n");
}

TEST_F(Import, ADefinitionThatTheTraceSetHasServesLaterFiles) {
  write("d.json", own_definition_text);
  import();
  fs::remove(from() / "d.json");
  write("t.jsonl", workload_line(3));
  const ImportReport report = import();
  EXPECT_EQ(report.written, (Counts{0, 1, 0, 0})) << messages(report);
}

TEST_F(Import, ADefinitionOfANameThatIsElsewhereIsLeftOut) {
  write("d.json", own_definition_text);
  import();
  fs::rename(root() / "definitions/op", root() / "definitions/other");
  const ImportReport report = import();
  EXPECT_EQ(report.left_out, 1U);
  EXPECT_FALSE(fs::exists(root() / "definitions/op"));
}

TEST_F(Import, RecordsOfAnUnknownDefinitionAreLeftOutTogether) {
  write("t.jsonl", workload_line(3) + workload_line(4));
  const ImportReport report = import();
  EXPECT_EQ(report.left_out, 2U);
  EXPECT_NE(messages(report).find("2 records are left out: definition \"op_n8\""),
            std::string::npos);
}

TEST_F(Import, TwoRecordsOfOneNameAreOneWhereTheyAreTheSame) {
  write("a/d.json", own_definition_text);
  write("b/d.json", own_definition_text);
  write("t.jsonl", workload_line(3) + workload_line(3));
  const ImportReport same = import();
  EXPECT_EQ(same.written, (Counts{1, 1, 0, 0})) << messages(same);
  EXPECT_EQ(same.left_out, 0U);
  std::string other = own_definition_text;
  other.replace(other.find("\"value\": 2"), 10, "\"value\": 3");
  write("c/d.json", other);
  fs::remove_all(root());
  const ImportReport report = import();
  EXPECT_EQ(report.left_out, 1U);
  EXPECT_NE(messages(report).find("another definition is called \"op_n8\""), std::string::npos);
}

TEST_F(Import, WorkloadsThatCannotRunAreLeftOut) {
  write("d.json", own_definition_text);
  write("t.jsonl",
        workload_line(0) + workload_line(1, R"({"type": "scalar", "value": 1})") +
            workload_line(
                2, R"({"type": "safetensors", "path": "absent.safetensors", "tensor_key": "a"})") +
            workload_line(5));
  const ImportReport report = import();
  EXPECT_EQ(report.written, (Counts{1, 1, 0, 0}));
  EXPECT_EQ(report.left_out, 3U);
  const std::string said = messages(report);
  EXPECT_NE(said.find("axis M has the length 0"), std::string::npos) << said;
  EXPECT_NE(said.find("a is scalar but definition expects tensor"), std::string::npos);
  EXPECT_NE(said.find("the file absent.safetensors is not there"), std::string::npos);
  EXPECT_EQ(validation_errors(), 0U);
}

TEST_F(Import, FilesOfTensorsAreFoundAboveAndCopied) {
  const std::array<float, 6> numbers{};
  fs::create_directories(from() / "blob");
  const NamedTensor tensor{
      "a",
      {DType::float32, {3, 2}, reinterpret_cast<const std::byte*>(numbers.data()), sizeof numbers}};
  write_safetensors(from() / "blob/x.safetensors", std::span(&tensor, 1));
  write("d.json", own_definition_text);
  const std::string input =
      R"({"type": "safetensors", "path": "blob/x.safetensors", "tensor_key": "a"})";
  write("deep/down/t.jsonl", workload_line(3, input) + workload_line(4, input));
  const ImportReport report = import();
  EXPECT_EQ(report.written, (Counts{1, 1, 0, 0})) << messages(report);
  EXPECT_EQ(report.left_out, 1U);  // one workload has another shape
  EXPECT_TRUE(fs::exists(root() / "blob/workloads/op/op_n8/x.safetensors"));
  EXPECT_EQ(validation_errors(), 0U);
}

TEST_F(Import, NamesThatAreNoFileNamesAreLeftOut) {
  std::string text = own_definition_text;
  text.replace(text.find("op_n8"), 5, "op/n8");
  write("d.json", text);
  const ImportReport report = import();
  EXPECT_EQ(report.left_out, 1U);
  EXPECT_FALSE(fs::exists(root()));
}

TEST_F(Import, ASingleFileIsReadAlone) {
  write("d.json", own_definition_text);
  write("s.json", solution_text);
  const ImportReport report =
      import_files(from() / "d.json", *find_import_format("flashinfer-2025"), root(), false);
  EXPECT_EQ(report.written, (Counts{1, 0, 0, 0}));
  EXPECT_EQ(report.notes.files.size(), 1U);
}

TEST_F(Import, NothingToReadIsNotUsable) {
  fs::create_directories(from());
  EXPECT_FALSE(import().usable);
  write("d.json", "{");
  const ImportReport broken = import();
  EXPECT_FALSE(broken.usable);
  EXPECT_EQ(broken.left_out, 1U);
  write("e.json", own_definition_text);
  EXPECT_TRUE(import().usable);
}

TEST_F(Import, TheReportIsJsonToo) {
  write("d.json", own_definition_text);
  write("e.json", "{");
  const auto json = nlohmann::json::parse(import_json(import(), false));
  EXPECT_EQ(json["status"], "error");
  EXPECT_EQ(json["written"]["definitions"], 1);
  EXPECT_EQ(json["left_out"], 1);
  EXPECT_EQ(json["files"].size(), 2U);
}

}  // namespace
}  // namespace kbench

// Every message of FlashInfer-Bench's checks, on trace sets made for it.

#include <gtest/gtest.h>

#include "data/safetensors.hpp"
#include "support/small_records.hpp"
#include "support/temp_folder.hpp"
#include "validate/validate.hpp"

namespace kbench {
namespace {

using Messages = std::vector<std::string>;

std::string replace(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A complete trace set of one definition; a test damages one thing.
class ChecksTest : public testing::Test {
 protected:
  ChecksTest() {
    definition(definition_text("scale_n4"));
    workloads(workload_line("scale_n4", workload_text("u1", 2)));
    solution("alice", "alice_s", solution_text("alice_s", "scale_n4", "alice"));
    solution("baseline", "base_s", solution_text("base_s", "scale_n4", "baseline"));
    traces("alice", trace_line("scale_n4", workload_text("u1", 2), "alice_s"));
    traces("baseline", passed(trace_line("scale_n4", workload_text("u1", 2), "base_s")));
  }

  static std::string passed(std::string line) {
    line = replace(line, "TIMEOUT", "PASSED");
    return replace(line, "\"timestamp\"", R"("correctness": {}, "performance": {}, "timestamp")");
  }
  void definition(std::string_view text) const {
    folder_.write("definitions/scale/scale_n4.json", text);
  }
  void workloads(std::string_view text) const {
    folder_.write("workloads/scale/scale_n4.jsonl", text);
  }
  void solution(std::string_view author, std::string_view name, std::string_view text) const {
    folder_.write(fmt::format("solutions/{}/scale/scale_n4/{}.json", author, name), text);
  }
  void traces(std::string_view author, std::string_view text) const {
    folder_.write(fmt::format("traces/{}/scale/scale_n4.jsonl", author), text);
  }
  void remove(std::string_view path) const { std::filesystem::remove(folder_.path() / path); }

  // "level: message" of a check; the reports of files are left in report_.
  Messages check(Check which, std::string_view name = "scale_n4") {
    report_ = ValidationReport();
    validate_trace_set(folder_.path(), {}, report_);
    Messages out;
    for (DefinitionReport& definition : report_.definitions) {
      if (definition.name != name) continue;
      for (const CheckMessage& message : definition[which].messages) {
        out.push_back(fmt::format("{}: {}", level_name(message.level), message.message));
      }
    }
    return out;
  }
  Messages workload_errors(std::string_view workload) {
    workloads(workload_line("scale_n4", workload));
    Messages messages = check(Check::workload);
    EXPECT_EQ(messages.front(), "info: 0/1 valid");
    messages.erase(messages.begin());
    return messages;
  }

  TempFolder folder_;
  ValidationReport report_;
};

TEST_F(ChecksTest, AGoodSetHasNothingButInformation) {
  EXPECT_EQ(check(Check::layout), Messages{});
  EXPECT_EQ(check(Check::definition), Messages{});
  EXPECT_EQ(check(Check::workload), Messages{"info: 1 valid"});
  EXPECT_EQ(check(Check::solution), Messages{"info: 2 solutions"});
  EXPECT_EQ(check(Check::trace), Messages{});
  EXPECT_EQ(check(Check::baseline), (Messages{"info: solution: base_s", "info: trace: all passed",
                                              "info: trace: 1/1 workloads"}));
  EXPECT_EQ(worst(report_), Level::info) << report_text(report_, false, true);
}

TEST_F(ChecksTest, LayoutNamesDefinitions) {
  definition(
      replace(definition_text("other_scale"), "\"op_type\": \"scale\"", "\"op_type\": \"zz\""));
  EXPECT_EQ(
      check(Check::layout),
      (Messages{"error: definition name mismatch: path says 'scale_n4', JSON says 'other_scale'",
                "error: definition op_type mismatch: path says 'scale', JSON says 'zz'"}));
}

TEST_F(ChecksTest, LayoutOfTwoDefinitionsWithOneStem) {
  folder_.write("definitions/zz/scale_n4.json", definition_text("scale_n4"));
  const std::string root = folder_.path().string();
  const std::string duplicate = fmt::format(
      "duplicate definition name: {0}/definitions/scale/scale_n4.json and "
      "{0}/definitions/zz/scale_n4.json",
      root);
  EXPECT_EQ(check(Check::layout), Messages{"error: " + duplicate});
  EXPECT_EQ(check(Check::definition), Messages{"error: parse error: " + duplicate});
  EXPECT_EQ(check(Check::workload), Messages{"info: 1 valid"});  // by the second definition
}

TEST_F(ChecksTest, LayoutOfWorkloadsSolutionsAndTraces) {
  workloads(workload_line("zz", workload_text("u1", 2)));
  solution("alice", "alice_s", solution_text("other", "zz", "zed"));
  folder_.write("solutions/bob/zz/scale_n4/bob_s.json", solution_text("bob_s", "scale_n4", "bob"));
  traces("alice", trace_line("zz", workload_text("u1", 2), "alice_s"));
  folder_.write("traces/carol/zz/scale_n4.jsonl", "");
  EXPECT_EQ(
      check(Check::layout),
      (Messages{
          "error: workload trace definition mismatch: expected 'scale_n4', got 'zz'",
          "error: solution 'alice_s' author mismatch: path 'alice', JSON 'zed'",
          "error: solution 'alice_s' definition mismatch: path 'scale_n4', JSON 'zz'",
          "error: solution name mismatch: path 'alice_s', JSON 'other'",
          "error: solution 'bob_s' op_type mismatch: expected 'scale', got 'zz'",
          "error: trace definition mismatch for author 'alice': expected 'scale_n4', got 'zz'",
          "error: trace file op_type mismatch for author 'carol': expected 'scale', got 'zz'"}));
  EXPECT_EQ(check(Check::solution),
            (Messages{"info: 3 solutions", "error: alice_s: definition field 'zz' != 'scale_n4'",
                      "error: alice_s: author field 'zed' != path 'alice'",
                      "error: alice_s: name field 'other' != path 'alice_s'"}));
  EXPECT_EQ(check(Check::trace).front(), "error: alice: trace definition 'zz' != 'scale_n4'");
}

TEST_F(ChecksTest, DefinitionDescriptions) {
  std::string text = definition_text("scale_n4");
  for (const char* what : {"A times s", "rows", "input", "result"}) {
    text = replace(text, fmt::format("\"{}\"", what), "\"\"");
  }
  definition(text);
  EXPECT_EQ(check(Check::definition),
            (Messages{"warning: missing description", "warning: missing description: axes.M",
                      "warning: missing description: inputs.A",
                      "warning: missing description: outputs.C"}));
  ASSERT_EQ(report_.files.front().messages.items().size(), 1U);  // said once for the file
  EXPECT_EQ(report_.files.front().messages.items().front().message,
            "missing description: the definition, axes.M, inputs.A, outputs.C");
}

TEST_F(ChecksTest, ABrokenDefinition) {
  definition("{\n\"name\": 7}");
  EXPECT_EQ(check(Check::layout), Messages{});
  EXPECT_TRUE(check(Check::definition).front().starts_with("error: parse error: "));
  EXPECT_EQ(check(Check::workload),
            Messages{"error: cannot validate workloads: definition failed to load"});
  EXPECT_EQ(check(Check::solution), Messages{"info: 2 solutions"});
}

TEST_F(ChecksTest, NoWorkloadFile) {
  remove("workloads/scale/scale_n4.jsonl");
  EXPECT_EQ(check(Check::workload), Messages{"warning: no workload file found"});
  EXPECT_EQ(check(Check::baseline),
            (Messages{"info: solution: base_s", "info: trace: all passed"}));
}

TEST_F(ChecksTest, AnEmptyWorkloadFile) {
  workloads("\n");
  EXPECT_EQ(check(Check::workload), Messages{"info: 0 valid"});
}

TEST_F(ChecksTest, ABadWorkloadLineSpoilsTheFile) {
  workloads(workload_line("scale_n4", workload_text("u1", 2)) + "\n{bad\n");
  const Messages messages = check(Check::workload);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_TRUE(messages[0].starts_with("error: parse error: "));
  EXPECT_TRUE(messages[0].ends_with(" (line 3)"));
}

TEST_F(ChecksTest, WorkloadAxes) {
  EXPECT_EQ(workload_errors(replace(workload_text("u1", 2), "\"M\": 2", "\"N\": 4, \"it's\": 0")),
            (Messages{"error: u1: missing axes ['M']", "error: u1: extra axes ['N', \"it's\"]",
                      "error: u1: axis it's has non-positive value 0"}));
}

TEST_F(ChecksTest, WorkloadInputs) {
  EXPECT_EQ(workload_errors(replace(workload_text("u1", 2), "\"A\":", "\"B\":")),
            (Messages{"error: u1: missing inputs ['A']", "error: u1: extra inputs ['B']"}));
  EXPECT_EQ(workload_errors(workload_text("u1", 2, R"({"type": "scalar", "value": 1})")),
            Messages{"error: u1: A is scalar but definition expects tensor"});
  const std::string plain = workload_text("u1", 2);
  EXPECT_EQ(workload_errors(replace(plain, R"({"type": "scalar", "value": 2})", "{}")),
            Messages{"error: u1: s is random but definition expects scalar"});
  EXPECT_EQ(workload_errors(replace(plain, R"({"type": "scalar", "value": 2})",
                                    R"({"path": "x", "tensor_key": "k"})")),
            Messages{"error: u1: s is safetensors but definition expects scalar"});
}

TEST_F(ChecksTest, AWorkloadLineWithAnEvaluation) {
  workloads(trace_line("scale_n4", workload_text("u1", 2), "alice_s"));
  EXPECT_EQ(check(Check::workload),
            (Messages{"info: 0/1 valid",
                      "error: u1: workload entry should not have solution or evaluation"}));
}

// A float32 tensor of two rows and four columns under "k".
void write_blob(const std::filesystem::path& path, DType dtype, std::vector<std::int64_t> shape) {
  std::vector<std::byte> bytes(64);
  TensorView view;
  view.dtype = dtype;
  view.shape = std::move(shape);
  view.data = bytes.data();
  view.bytes = storage_bytes(dtype, element_count(view.shape));
  const NamedTensor tensor{"k", view};
  std::filesystem::create_directories(path.parent_path());
  write_safetensors(path, std::span(&tensor, 1));
}

constexpr const char* blob_input =
    R"({"type": "safetensors", "path": "blob/b.safetensors", "tensor_key": "k"})";

TEST_F(ChecksTest, BlobsMissingAndBroken) {
  const std::string workload = workload_text("u1", 2, blob_input);
  EXPECT_EQ(workload_errors(workload), Messages{"error: u1: blob missing at blob/b.safetensors"});
  EXPECT_EQ(check(Check::layout),
            Messages{"error: workload u1: blob missing at blob/b.safetensors"});
  const std::string failed = "error: u1: blob load failed: Error while deserializing header: ";
  folder_.write("blob/b.safetensors", "abc");
  EXPECT_EQ(workload_errors(workload), Messages{failed + "header too small"});
  folder_.write("blob/b.safetensors", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_EQ(workload_errors(workload), Messages{failed + "header too large"});
  const Diagnostic shown = report_.files.at(3).messages.items().at(0);
  EXPECT_NE(shown.hint.find("git lfs pull"), std::string::npos) << shown.hint;
  folder_.write("blob/b.safetensors", std::string_view("\x40\0\0\0\0\0\0\0{}", 10));
  EXPECT_EQ(workload_errors(workload), Messages{failed + "invalid header length"});
}

TEST_F(ChecksTest, BlobKeyAndShape) {
  write_blob(folder_.path() / "blob/b.safetensors", DType::float32, {2, 5});
  const std::string workload = workload_text("u1", 2, blob_input);
  EXPECT_EQ(workload_errors(workload),
            Messages{"error: u1: A shape mismatch: expected (2, 4), got (2, 5)"});
  EXPECT_EQ(workload_errors(replace(workload, "\"k\"", "\"z\"")),
            Messages{"error: u1: tensor key 'z' not found in blob/b.safetensors"});
}

TEST_F(ChecksTest, BlobDtypeIsCheckedBesides) {
  write_blob(folder_.path() / "blob/b.safetensors", DType::int32, {2, 4});
  workloads(workload_line("scale_n4", workload_text("u1", 2, blob_input)));
  EXPECT_EQ(check(Check::workload), Messages{"info: 1 valid"});  // theirs looks at the shape alone
  EXPECT_EQ(report_.files.at(3).messages.items().at(0).message,
            "u1: A dtype mismatch: expected float32, got int32");
}

TEST_F(ChecksTest, Solutions) {
  solution("alice", "alice_s", "{}");
  const Messages messages = check(Check::solution);
  EXPECT_EQ(messages.at(0), "info: 1 solutions");
  EXPECT_TRUE(messages.at(1).starts_with("error: alice_s: parse error: "));
  EXPECT_EQ(check(Check::trace),
            Messages{"error: alice: trace references unknown solution 'alice_s'"});
  remove("solutions/alice/scale/scale_n4/alice_s.json");
  remove("solutions/baseline/scale/scale_n4/base_s.json");
  EXPECT_EQ(check(Check::solution), Messages{"info: no solutions"});
}

TEST_F(ChecksTest, Traces) {
  workloads(workload_line("scale_n4", workload_text("u1", 2)) +
            workload_line("scale_n4", workload_text("u2", 3)));
  traces("alice", workload_line("scale_n4", workload_text("u1", 2)));
  EXPECT_EQ(check(Check::trace),
            (Messages{"error: alice: trace entry u1 missing solution or evaluation",
                      "warning: alice missing 1/2 workloads",
                      "warning: baseline missing 1/2 workloads"}));
  traces("alice", "{bad\n");
  EXPECT_TRUE(check(Check::trace).front().starts_with("error: alice: parse error: "));
  remove("traces/alice/scale/scale_n4.jsonl");
  remove("traces/baseline/scale/scale_n4.jsonl");
  EXPECT_EQ(check(Check::trace), Messages{"info: no trace files"});
}

TEST_F(ChecksTest, Baseline) {
  workloads(workload_line("scale_n4", workload_text("u1", 2)) +
            workload_line("scale_n4", workload_text("u2", 3)));
  traces("baseline", trace_line("scale_n4", workload_text("u1", 2), "alice_s"));
  EXPECT_EQ(
      check(Check::baseline),
      (Messages{"info: solution: base_s", "error: trace references non-baseline solution 'alice_s'",
                "warning: trace has 1 non-passing entries",
                "warning: trace covers 1/2 workloads"}));
  traces("baseline", "{bad\n");
  EXPECT_TRUE(check(Check::baseline).at(1).starts_with("error: trace parse error: "));
  remove("traces/baseline/scale/scale_n4.jsonl");
  EXPECT_EQ(check(Check::baseline), (Messages{"info: solution: base_s", "warning: trace missing"}));
  remove("solutions/baseline/scale/scale_n4/base_s.json");
  EXPECT_EQ(check(Check::baseline), Messages{"warning: no baseline solution"});
}

TEST_F(ChecksTest, ARepeatedFindingIsShownOnceInItsFile) {
  traces("alice", trace_line("scale_n4", workload_text("u1", 2), "zz") +
                      trace_line("scale_n4", workload_text("u1", 2), "zz"));
  EXPECT_EQ(check(Check::trace).size(), 2U);  // as FlashInfer-Bench
  const Diagnostics& shown = report_.files.at(4).messages;
  ASSERT_EQ(shown.items().size(), 1U);
  EXPECT_EQ(shown.items().front().where.line, 1);
}

}  // namespace
}  // namespace kbench

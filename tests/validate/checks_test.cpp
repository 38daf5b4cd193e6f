// Faults that FlashInfer-Bench's validator finds, on trace sets made for it: each is said once.

#include <gtest/gtest.h>

#include <algorithm>

#include "problem/data/safetensors.hpp"
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

  // Returns "level: message" of the files whose paths end so; the report is left in report_.
  Messages said(std::string_view path) {
    report_ = ValidationReport();
    validate_trace_set(folder_.path(), {}, report_);
    Messages out;
    for (const FileReport& file : report_.files) {
      if (!file.path.ends_with(path)) continue;
      for (const Diagnostic& one : file.messages.items())
        out.push_back(fmt::format("{}: {}", level_name(one.level), one.message));
    }
    return out;
  }
  Messages workload_errors(std::string_view workload) {
    workloads(workload_line("scale_n4", workload));
    return said(workload_file);
  }

  static constexpr std::string_view workload_file = "workloads/scale/scale_n4.jsonl";
  static constexpr std::string_view definition_file = "definitions/scale/scale_n4.json";
  static constexpr std::string_view alice_traces = "traces/alice/scale/scale_n4.jsonl";
  static constexpr std::string_view baseline_traces = "traces/baseline/scale/scale_n4.jsonl";

  TempFolder folder_;
  ValidationReport report_;
};

TEST_F(ChecksTest, AGoodSetHasNothing) {
  EXPECT_EQ(said(""), Messages{});
  EXPECT_EQ(worst(report_), Level::info) << report_text(report_, false, true);
}

TEST_F(ChecksTest, LayoutNamesDefinitions) {
  definition(
      replace(definition_text("other_scale"), "\"op_type\": \"scale\"", "\"op_type\": \"zz\""));
  const Messages messages = said(definition_file);
  for (const char* message :
       {"error: definition name mismatch: path says 'scale_n4', JSON says 'other_scale'",
        "error: definition op_type mismatch: path says 'scale', JSON says 'zz'"})
    EXPECT_EQ(std::count(messages.begin(), messages.end(), message), 1) << message;
}

TEST_F(ChecksTest, LayoutOfTwoDefinitionsWithOneStem) {
  folder_.write("definitions/zz/scale_n4.json", definition_text("scale_n4"));
  const Messages messages = said("definitions/zz/scale_n4.json");
  const std::string duplicate = fmt::format(
      "error: duplicate definition name: {0}/definitions/scale/scale_n4.json and "
      "{0}/definitions/zz/scale_n4.json",
      folder_.path().string());
  EXPECT_EQ(std::count(messages.begin(), messages.end(), duplicate), 1);
  EXPECT_EQ(said(workload_file), Messages{});  // the second definition checks them
}

TEST_F(ChecksTest, LayoutOfWorkloadsSolutionsAndTraces) {
  workloads(workload_line("zz", workload_text("u1", 2)));
  solution("alice", "alice_s", solution_text("other", "zz", "zed"));
  folder_.write("solutions/bob/zz/scale_n4/bob_s.json", solution_text("bob_s", "scale_n4", "bob"));
  traces("alice", trace_line("zz", workload_text("u1", 2), "alice_s"));
  folder_.write("traces/carol/zz/scale_n4.jsonl", "");
  const std::string unknown = "warning: definition \"zz\" is not in this trace set";
  EXPECT_EQ(said(workload_file),
            (Messages{"error: workload trace definition mismatch: expected 'scale_n4', got 'zz'",
                      unknown}));
  EXPECT_EQ(said("alice_s.json"),
            (Messages{"error: solution 'alice_s' author mismatch: path 'alice', JSON 'zed'",
                      "error: solution 'alice_s' definition mismatch: path 'scale_n4', JSON 'zz'",
                      "error: solution name mismatch: path 'alice_s', JSON 'other'", unknown}));
  EXPECT_EQ(said("bob_s.json"),
            Messages{"error: solution 'bob_s' op_type mismatch: expected 'scale', got 'zz'"});
  EXPECT_EQ(
      said(alice_traces),
      (Messages{
          "error: trace definition mismatch for author 'alice': expected 'scale_n4', got 'zz'",
          unknown}));
  EXPECT_EQ(
      said("traces/carol/zz/scale_n4.jsonl"),
      Messages{
          "error: trace file op_type mismatch for author 'carol': expected 'scale', got 'zz'"});
}

TEST_F(ChecksTest, DefinitionDescriptions) {
  std::string text = definition_text("scale_n4");
  for (const char* what : {"A times s", "rows", "input", "result"}) {
    text = replace(text, fmt::format("\"{}\"", what), "\"\"");
  }
  definition(text);
  EXPECT_EQ(said(definition_file),
            Messages{"warning: missing description: the definition, axes.M, inputs.A, outputs.C"});
}

TEST_F(ChecksTest, ABrokenDefinition) {
  definition("{\n\"name\": 7}");
  EXPECT_NE(said(definition_file), Messages{});
  EXPECT_EQ(said(workload_file), Messages{});
}

TEST_F(ChecksTest, NoWorkloadFile) {
  remove("workloads/scale/scale_n4.jsonl");
  EXPECT_EQ(said(definition_file), Messages{"warning: no workload file found"});
}

TEST_F(ChecksTest, AnEmptyWorkloadFile) {
  workloads("\n");
  EXPECT_EQ(said(workload_file), Messages{});
}

TEST_F(ChecksTest, ATornLineIsRefusedElsewhere) {
  traces("baseline", passed(trace_line("scale_n4", workload_text("u1", 2), "base_s")) + "{\"so");
  EXPECT_EQ(said(baseline_traces),
            (Messages{"error: parse error: torn last line, for which FlashInfer-Bench refuses the "
                      "file (line 2)",
                      "warning: torn last line ignored"}));
}

TEST_F(ChecksTest, WorkloadAxes) {
  EXPECT_EQ(workload_errors(replace(workload_text("u1", 2), "\"M\": 2", "\"N\": 4, \"it's\": 0")),
            (Messages{"error: workload u1: axis \"N\" is const and must not be given",
                      "error: workload u1: scale_n4 has no axis \"it's\"",
                      "error: workload u1: axis \"M\" is missing"}));
}

TEST_F(ChecksTest, WorkloadInputs) {
  EXPECT_EQ(workload_errors(replace(workload_text("u1", 2), "\"A\":", "\"B\":")),
            (Messages{"error: workload u1: scale_n4 has no input \"B\"",
                      "error: workload u1: input \"A\" is missing"}));
  EXPECT_EQ(workload_errors(workload_text("u1", 2, R"({"type": "scalar", "value": 1})")),
            Messages{"error: workload u1: A is scalar but definition expects tensor"});
  const std::string plain = workload_text("u1", 2);
  EXPECT_EQ(workload_errors(replace(plain, R"({"type": "scalar", "value": 2})", "{}")),
            Messages{"error: u1: s is random but definition expects scalar"});
  EXPECT_EQ(workload_errors(replace(plain, R"({"type": "scalar", "value": 2})",
                                    R"({"path": "x", "tensor_key": "k"})")),
            Messages{"error: workload u1: s is safetensors but definition expects scalar"});
}

TEST_F(ChecksTest, AWorkloadLineWithAnEvaluation) {
  workloads(trace_line("scale_n4", workload_text("u1", 2), "alice_s"));
  const Messages messages = said(workload_file);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_TRUE(messages[0].starts_with("error: ")) << messages[0];
}

// Writes a tensor of up to 64 bytes under "k".
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
  const std::string missing = "error: u1: blob missing at blob/b.safetensors";
  EXPECT_EQ(workload_errors(workload), Messages{missing});
  EXPECT_EQ(workload_errors(replace(workload, "\"M\": 2", "\"M\": 0")),
            Messages{"error: workload u1: constraint \"M >= 1\" of scale_n4 is violated: M = 0"});
  folder_.write("blob/b.safetensors", "abc");
  EXPECT_EQ(workload_errors(workload),
            Messages{"error: u1: blob load failed: is no safetensors file: 3 bytes, 8 are its "
                     "header's length"});
}

TEST_F(ChecksTest, BlobKeyAndShape) {
  write_blob(folder_.path() / "blob/b.safetensors", DType::float32, {2, 5});
  const std::string workload = workload_text("u1", 2, blob_input);
  EXPECT_EQ(workload_errors(workload),
            Messages{"error: u1: A shape mismatch: expected (2, 4), got (2, 5)"});
  EXPECT_EQ(workload_errors(replace(workload, "\"k\"", "\"z\"")),
            Messages{"error: u1: tensor key 'z' not found in blob/b.safetensors"});
}

TEST_F(ChecksTest, BlobDtypeIsChecked) {
  write_blob(folder_.path() / "blob/b.safetensors", DType::int32, {2, 4});
  EXPECT_EQ(workload_errors(workload_text("u1", 2, blob_input)),
            Messages{"error: u1: A dtype mismatch: expected float32, got int32"});
}

TEST_F(ChecksTest, ASolutionThatCannotBeReadHasNoTraces) {
  solution("alice", "alice_s", "{}");
  EXPECT_NE(said("alice_s.json"), Messages{});
  EXPECT_EQ(said(alice_traces),
            Messages{"error: alice: trace references unknown solution 'alice_s'"});
}

TEST_F(ChecksTest, Traces) {
  workloads(workload_line("scale_n4", workload_text("u1", 2)) +
            workload_line("scale_n4", workload_text("u2", 3)));
  traces("alice", workload_line("scale_n4", workload_text("u1", 2)));
  EXPECT_EQ(said(alice_traces).front(), "warning: alice missing 1/2 workloads");
  EXPECT_EQ(worst(report_), Level::error);  // the line has no evaluation
  EXPECT_EQ(said(baseline_traces), Messages{"warning: baseline missing 1/2 workloads"});
}

TEST_F(ChecksTest, ATraceWithoutEvaluation) {
  const std::string line = trace_line("scale_n4", workload_text("u1", 2), "alice_s");
  traces("alice", replace(line, "\"alice_s\"", "null"));
  EXPECT_EQ(said(alice_traces),
            Messages{"error: alice: trace entry u1 missing solution or evaluation"});
}

TEST_F(ChecksTest, Baseline) {
  workloads(workload_line("scale_n4", workload_text("u1", 2)) +
            workload_line("scale_n4", workload_text("u2", 3)));
  traces("baseline", trace_line("scale_n4", workload_text("u1", 2), "alice_s"));
  EXPECT_EQ(said(baseline_traces), (Messages{"warning: baseline missing 1/2 workloads",
                                             "warning: trace has 1 non-passing entries",
                                             "error: trace references non-baseline solution "
                                             "'alice_s'"}));
  traces("baseline", "");
  EXPECT_EQ(said(baseline_traces), Messages{"warning: baseline missing 2/2 workloads"});
  remove(baseline_traces);
  EXPECT_EQ(said(definition_file), Messages{"warning: trace missing"});
  remove("solutions/baseline/scale/scale_n4/base_s.json");
  EXPECT_EQ(said(definition_file), Messages{"warning: no baseline solution"});
}

TEST_F(ChecksTest, ARepeatedFindingIsShownOnceInItsFile) {
  traces("alice", trace_line("scale_n4", workload_text("u1", 2), "zz") +
                      trace_line("scale_n4", workload_text("u1", 2), "zz"));
  EXPECT_EQ(said(alice_traces), Messages{"error: alice: trace references unknown solution 'zz'"});
}

}  // namespace
}  // namespace kbench

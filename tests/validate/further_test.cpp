// Faults that FlashInfer-Bench's validator misses.
#include "validate/further.hpp"

#include <gtest/gtest.h>

#include "support/small_records.hpp"
#include "support/temp_folder.hpp"
#include "validate/validate.hpp"

namespace kbench {
namespace {

class FurtherTest : public testing::Test {
 protected:
  FurtherTest() {
    folder_.write("definitions/scale/scale_n4.json", definition_text("scale_n4"));
    folder_.write("solutions/baseline/scale/scale_n4/s.json",
                  solution_text("s", "scale_n4", "baseline"));
    workloads(workload_line("scale_n4", workload_text("u1", 2)));
  }

  void workloads(std::string_view text) const {
    folder_.write("workloads/scale/scale_n4.jsonl", text);
  }

  // Returns "level:line: message" of the file's messages, without those of FlashInfer-Bench's
  // baseline check.
  std::vector<std::string> messages(std::string_view path, bool strict = false) {
    ValidationReport report;
    validate_trace_set(folder_.path(), {"", strict, 1}, report);
    std::vector<std::string> out;
    for (const FileReport& file : report.files) {
      if (file.path != (folder_.path() / path).string()) continue;
      for (const Diagnostic& message : file.messages.items()) {
        if (message.message.find("trace missing") != std::string::npos) continue;
        out.push_back(fmt::format("{}:{}: {}", level_name(message.level), message.where.line,
                                  message.message));
      }
    }
    return out;
  }

  using Messages = std::vector<std::string>;
  TempFolder folder_;
};

TEST_F(FurtherTest, FilesAtTheWrongDepth) {
  const std::string path = "definitions/scale/deep/scale_e.json";
  folder_.write(path, definition_text("scale_e"));
  EXPECT_EQ(messages(path), Messages{"warning:0: FlashInfer-Bench's validator does not look here"});
  EXPECT_EQ(messages(path, true),
            Messages{"error:0: FlashInfer-Bench's validator does not look here"});
}

TEST_F(FurtherTest, KernelsThatCannotBeLaunched) {
  const std::string path = "solutions/baseline/scale/scale_n4/k.json";
  folder_.write(path, R"({"name": "k", "definition": "scale_n4", "author": "baseline",
"spec": {"language": "cuda", "target_hardware": ["cuda"], "entry_point": "k.cu::k",
"launch": {"grid": ["K // 2"], "block": [32, 64]}},
"sources": [{"path": "k.cu", "content": "x"}]})");
  EXPECT_EQ(
      messages(path),
      (Messages{"error:3: cannot be launched: \"K\" is no axis",
                "error:3: cannot be launched: a block has 2048 threads, and 1024 are the most "
                "that a device takes"}));
}

TEST_F(FurtherTest, WhatSidecarsDeclareFitsTheDefinition) {
  const std::string idle_macro =
      "warning:1: no source of s mentions the macro B: all its values are one program";
  const std::string path = "solutions/baseline/scale/scale_n4/s.kbench.yaml";
  folder_.write(path,
                "params: {B: [1, 2]}\n"
                "where: [\"MM % B == 0\"]\n"
                "bucket: {K: pow2}\n"
                "specialise: [A]\n"
                "nondiff: [nosuch]\n");
  EXPECT_EQ(
      messages(path),
      (Messages{idle_macro, "error:2: \"MM\" is no axis and no scalar input, and no parameter",
                "error:3: bucket: \"K\" is no axis of scale_n4",
                "error:4: specialise: A is a tensor, whose values are not part of a key",
                "error:5: scale_n4 has no input \"nosuch\""}));
  folder_.write(path, "params: {B: [1, 2]}\nbucket: {M: pow2}\n");
  EXPECT_EQ(messages(path), Messages{idle_macro});
}

TEST_F(FurtherTest, WhatStandsUnderSpecIsCheckedLikewise) {
  const std::string path = "solutions/baseline/scale/scale_n4/k.json";
  folder_.write(path, R"({"name": "k", "definition": "scale_n4", "author": "baseline",
"spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "k.cpp::k",
"kbench": {"params": {"B": [1]},
"bucket": {"K": "pow2"}}},
"sources": [{"path": "k.cpp", "content": "B"}]})");
  EXPECT_EQ(messages(path), Messages{"error:4: bucket: \"K\" is no axis of scale_n4"});
  folder_.write(path, R"({"name": "k", "definition": "scale_n4", "author": "baseline",
"spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "k.cpp::k",
"kbench": {"params": {"B": [1],
"B": [2]}}},
"sources": [{"path": "k.cpp", "content": "B"}]})");
  EXPECT_EQ(messages(path), Messages{"error:4: B stands here twice"});  // stands without a warning
}

TEST_F(FurtherTest, WorkloadsInAnotherPlaceAreCheckedAsWell) {
  std::filesystem::remove(folder_.path() / "workloads/scale/scale_n4.jsonl");
  folder_.write(
      "workloads/w.jsonl",
      workload_line("scale_n4", workload_text("u1", 2)) +
          workload_line("scale_n4", workload_text("u2", 0)) +
          workload_line("scale_n4", R"({"axes": {"m": 2}, "inputs": {}, "uuid": "u3"})") +
          workload_line("scale_n4", workload_text("u4", 2, R"({"path": "x", "tensor_key": "k"})")));
  EXPECT_EQ(
      messages("workloads/w.jsonl"),
      (Messages{"warning:0: FlashInfer-Bench's validator does not look here",
                "error:2: workload u2: constraint \"M >= 1\" of scale_n4 is violated: M = 0",
                "error:3: workload u3: scale_n4 has no axis \"m\"",
                "error:3: workload u3: input \"A\" is missing",
                "error:3: workload u3: input \"s\" is missing", "error:4: u4: blob missing at x"}));
}

TEST_F(FurtherTest, OrphansAreSaidOnceEach) {
  folder_.write("workloads/scale/scale_z.jsonl", workload_line("scale_z", workload_text("u1", 2)));
  folder_.write("solutions/me/scale/scale_z/t.json", solution_text("t", "scale_z", "me"));
  const Messages expected{
      "warning:0: belongs to no definition: there is none in a file scale_z.json"};
  EXPECT_EQ(messages("workloads/scale/scale_z.jsonl"), expected);
  EXPECT_EQ(messages("solutions/me/scale/scale_z/t.json"), expected);
}

TEST_F(FurtherTest, NamesThatLeadNowhere) {
  folder_.write("traces/me/deep/scale/scale_n4.jsonl",
                trace_line("scale_n4", workload_text("u1", 2), "sz") +
                    trace_line("scale_n4", workload_text("u1", 2), "sz") +
                    trace_line("scale_e", workload_text("u1", 2), "s"));
  EXPECT_EQ(messages("traces/me/deep/scale/scale_n4.jsonl"),
            (Messages{"warning:0: FlashInfer-Bench's validator does not look here",
                      "warning:1: solution \"sz\" is not in this trace set",
                      "warning:3: definition \"scale_e\" is not in this trace set"}));
}

TEST_F(FurtherTest, DuplicateUuids) {
  workloads(workload_line("scale_n4", workload_text("u1", 2)) +
            workload_line("scale_n4", workload_text("u2", 2)) +
            workload_line("scale_n4", workload_text("u1", 3)));
  EXPECT_EQ(messages("workloads/scale/scale_n4.jsonl"),
            Messages{"error:3: duplicate workload uuid \"u1\""});
}

TEST_F(FurtherTest, ViolatedConstraintsNameTheWorkload) {
  folder_.write("definitions/scale/scale_n4.json", definition_text("scale_n4", "M % 2 == 0"));
  workloads(workload_line("scale_n4", workload_text("u1", 2)) +
            workload_line("scale_n4", workload_text("u2", 3)));
  const Messages found = messages("workloads/scale/scale_n4.jsonl");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("error:2: ")) << found[0];
  for (const char* part : {"M % 2 == 0", "M = 3", "u2"}) {
    EXPECT_NE(found[0].find(part), std::string::npos) << found[0] << " does not say " << part;
  }
}

TEST_F(FurtherTest, ATornLastLineIsSaid) {
  workloads(workload_line("scale_n4", workload_text("u1", 2)) + "{\"defin");
  EXPECT_EQ(messages("workloads/scale/scale_n4.jsonl"),
            (Messages{"error:0: parse error: torn last line, for which FlashInfer-Bench refuses "
                      "the file (line 2)",
                      "warning:2: torn last line ignored"}));
}

TEST_F(FurtherTest, SolutionsThatCannotBeCalled) {
  std::string text = solution_text("s", "scale_n4", "baseline");
  text.replace(text.find("k.cpp::run"), 10, "k.cpp::");
  folder_.write("solutions/baseline/scale/scale_n4/s.json", text);
  EXPECT_EQ(messages("solutions/baseline/scale/scale_n4/s.json"),
            Messages{"warning:2: entry_point \"k.cpp::\" names no function"});
}

TEST_F(FurtherTest, RemarksStandAtTheirPlace) {
  folder_.write("definitions/scale/scale_n4.json",
                definition_text("scale_n4", "M >= 1", R"(def run(s, A):\n    return A * s\n)"));
  EXPECT_EQ(messages("definitions/scale/scale_n4.json"),
            Messages{"warning:17: run() takes \"s\" as argument 1, where \"inputs\" has \"A\""});
  EXPECT_EQ(messages("definitions/scale/scale_n4.json", true).front().substr(0, 9), "error:17:");
}

TEST_F(FurtherTest, StrictMakesUnknownKeysErrors) {
  std::string text = definition_text("scale_n4");
  text.insert(1, "\"extra\": 1,");
  folder_.write("definitions/scale/scale_n4.json", text);
  EXPECT_EQ(messages("definitions/scale/scale_n4.json"), Messages{});
  EXPECT_EQ(messages("definitions/scale/scale_n4.json", true).at(0),
            "error:1: unknown key \"extra\"");
}

}  // namespace
}  // namespace kbench

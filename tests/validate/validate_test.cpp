#include "validate/validate.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/words.hpp"
#include "support/small_records.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

std::string kind_of(std::string text, std::string path = "x.json") {
  const Source source{std::move(path), std::move(text)};
  json::Memory memory;
  Diagnostics ignored;
  const json::Value value = json::parse(source, 0, source.text.size(), memory, ignored);
  return std::string(guess_kind(value, source.path));
}

TEST(GuessKind, ByKeysThenFoldersThenExtension) {
  EXPECT_EQ(kind_of(definition_text("d")), "definition");
  EXPECT_EQ(kind_of(solution_text("s", "d", "me")), "solution");
  EXPECT_EQ(kind_of(workload_text("u", 1)), "workload");
  EXPECT_EQ(kind_of(workload_line("d", workload_text("u", 1))), "trace");
  EXPECT_EQ(kind_of(R"({"axes": {}})"), "definition");
  EXPECT_EQ(kind_of(R"({"status": "PASSED"})"), "evaluation");
  EXPECT_EQ(kind_of(R"({"shape": [], "dtype": "bool"})"), "tensor_spec");
  EXPECT_EQ(kind_of(R"({"name": "x"})"), "");
  EXPECT_EQ(kind_of(R"({"name": "x"})", "set/solutions/me/x.json"), "solution");
  EXPECT_EQ(kind_of("{", "set/definitions/op/x.json"), "definition");
  EXPECT_EQ(kind_of("{", "x.jsonl"), "trace");
}

ValidationReport validate(std::string text, std::string path, ValidateOptions options = {}) {
  ValidationReport report;
  validate_text({std::move(path), std::move(text)}, options, report);
  return report;
}

TEST(ValidateText, AFileOfUnknownKindIsAnError) {
  const ValidationReport report = validate("{\"name\": 1}", "x.json");
  EXPECT_EQ(worst(report), Level::error);
  EXPECT_EQ(report.files[0].kind, "");
  EXPECT_EQ(report.files[0].messages.items()[0].message, "cannot tell what kind of record this is");
}

TEST(ValidateText, SyntaxErrorsComeFirstWhereTheKindIsUnknown) {
  EXPECT_NE(validate("nonsense", "x.json").files[0].messages.items()[0].message,
            "cannot tell what kind of record this is");
}

TEST(ValidateText, AKindThatIsSaidCounts) {
  EXPECT_EQ(worst(validate(workload_text("u", 1), "x.json")), Level::info);
  EXPECT_EQ(worst(validate(workload_text("u", 1), "x.json", {"solution", false, 1})), Level::error);
}

TEST(ValidateFolder, HasEachFileOnce) {
  const TempFolder folder;
  folder.write("s.json", solution_text("s", "d", "me"));
  folder.write("s.kbench.json", R"({"params": {"A": [1], "A": [2]}})");
  ValidationReport report;
  validate_folder(folder.path(), {}, report);
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_EQ(report.files[1].kind, "sidecar");
  ASSERT_EQ(report.files[1].messages.items().size(), 1U);
  EXPECT_EQ(report.files[1].messages.items()[0].message, "A stands here twice");
}

TEST(ValidateText, LinesOfAnyKind) {
  const ValidationReport report =
      validate(workload_text("u", 1) + "\n\n" + workload_line("d", workload_text("u", 1)) +
                   "{\"uuid\": 7}\n",
               "x.jsonl");
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_EQ(report.files[0].kind, "workload");
  ASSERT_FALSE(report.files[0].messages.empty());
  for (const Diagnostic& message : report.files[0].messages.items())
    EXPECT_EQ(message.where.line, 4);
}

TEST(ValidateText, ATornLastLineIsOneError) {
  const std::string line = workload_line("d", workload_text("u", 1));
  for (std::size_t length = 1; length + 1 < line.size(); ++length) {
    const ValidationReport report = validate(line + line.substr(0, length), "x.jsonl");
    EXPECT_EQ(report.files[0].messages.errors(), 1U) << line.substr(0, length);
  }
}

TEST(ValidateText, Utf16IsSaidOnce) {
  const std::string text("\xFF\xFE{\0}\0\n\0{\0}\0", 12);
  for (const char* path : {"x.jsonl", "x.json"}) {
    const ValidationReport report = validate(text, path);
    ASSERT_EQ(report.files[0].messages.errors(), 1U);
    EXPECT_EQ(report.files[0].messages.items()[0].message,
              "this file is UTF-16, kbench reads UTF-8");
  }
}

TEST(ValidateText, MessagesAreInTheOrderOfLines) {
  const ValidationReport report =
      validate("{\n\"name\": 1,\n\"reference\": 2,\n\"axes\": {},}", "x.json");
  int line = 0;
  for (const Diagnostic& message : report.files[0].messages.items()) {
    EXPECT_GE(message.where.line, line);
    line = message.where.line;
  }
  EXPECT_EQ(line, 4);
}

TEST(ValidateFile, AFileThatIsNotThereIsAMessage) {
  ValidationReport report;
  validate_file("/nowhere/x.json", {}, report);
  EXPECT_EQ(report.files.at(0).messages.items().at(0).message,
            "cannot be read: No such file or directory");
}

TEST(ValidateFile, SourcesLieBesideTheirSolution) {
  TempFolder folder;
  std::string text = solution_text("s", "d", "me");
  text.erase(text.find(", \"content\""), std::string(", \"content\": \"void run();\"").size());
  folder.write("s.json", text);
  ValidationReport report;
  validate_file(folder.path() / "s.json", {}, report);
  folder.write("k.cpp", "void run();");
  validate_file(folder.path() / "s.json", {}, report);
  EXPECT_EQ(worst(report.files.at(0).messages), Level::error);
  EXPECT_EQ(worst(report.files.at(1).messages), Level::info);
}

TEST(ValidateFolder, EveryFileBelow) {
  TempFolder folder;
  folder.write("a/d.json", definition_text("scale_n4"));
  folder.write("w.jsonl", workload_line("scale_n4", workload_text("u", 1)));
  folder.write("note.txt", "");
  ValidationReport report;
  validate_folder(folder.path(), {}, report);
  EXPECT_EQ(report.files.size(), 2U);
  EXPECT_EQ(worst(report), Level::info) << report_text(report, false, true);
  validate_folder(folder.path() / "none", {}, report);
  EXPECT_EQ(worst(report), Level::error);
}

TEST(Report, JsonHasTheDocumentedKeys) {
  const ValidationReport report = validate("{\"axes\": 1}", "x.json");
  const auto json = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(json["status"], "error");
  const auto& file = json["files"][0];
  EXPECT_EQ(file["path"], "x.json");
  EXPECT_EQ(file["kind"], "definition");
  EXPECT_EQ(file["status"], "error");
  for (const char* key : {"level", "line", "column", "pointer", "message", "hint"}) {
    EXPECT_TRUE(file["messages"][0].contains(key)) << key;
  }
}

TEST(Report, InvalidUtf8InANameIsStillJson) {
  const ValidationReport report = validate("{}", "\xff.json");
  EXPECT_NO_THROW(nlohmann::json::parse(report_json(report)));
}

TEST(Report, SummaryCounts) {
  ValidationReport report;
  report.files.resize(2);
  report.files[0].messages.error({}, "a");
  report.files[1].messages.warning({}, "b");
  report.files[1].messages.warning({}, "c");
  EXPECT_EQ(report_summary(report), "2 files, 1 error, 2 warnings\n");
}

TEST(MatchName, ExactThenUniquePrefix) {
  const std::vector<std::string> names{"gemm_n4096", "gemm_n4096_k4096", "rmsnorm_h128"};
  EXPECT_EQ(match_name("gemm_n4096", names, "name").name, "gemm_n4096");
  EXPECT_EQ(match_name("gemm_n4096_k4096.json", names, "name").name, "gemm_n4096_k4096");
  EXPECT_EQ(match_name("rms", names, "name").name, "rmsnorm_h128");
  const NameMatch many = match_name("gemm", names, "name");
  EXPECT_EQ(many.name, "");
  EXPECT_EQ(many.message, "name \"gemm\" is ambiguous");
  EXPECT_EQ(many.hint, "it could be gemm_n4096, gemm_n4096_k4096");
  const NameMatch none = match_name("rmsnrm_h128", names, "definition");
  EXPECT_EQ(none.message, "unknown definition \"rmsnrm_h128\"");
  EXPECT_EQ(none.hint, "did you mean \"rmsnorm_h128\"?");
}

}  // namespace
}  // namespace kbench

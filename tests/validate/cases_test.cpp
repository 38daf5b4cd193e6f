// Reports of FlashInfer-Bench on small trace sets, and its verdicts on real files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "schema/read.hpp"
#include "schema/scan.hpp"
#include "support/outside.hpp"
#include "support/temp_folder.hpp"
#include "validate/remarks.hpp"
#include "validate/validate.hpp"

namespace kbench {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// Returns the words that a message quotes: "'a' != 'b'" has a and b.
std::vector<std::string> quoted(const std::string& message) {
  std::vector<std::string> out;
  for (auto at = message.find('\''); at != message.npos; at = message.find('\'', at + 1)) {
    const auto end = message.find('\'', at + 1);
    if (end == message.npos) break;
    out.push_back(message.substr(at + 1, end - at - 1));
    at = end;
  }
  return out;
}

// Tells whether one of our messages is at least as severe and has all words that theirs quotes.
bool is_found(const Json& theirs, const ValidationReport& report) {
  const std::string said = theirs["message"];
  // Each program has its own words for what cannot be read.
  const bool is_unread = said.find("parse error: ") != said.npos;
  const std::vector<std::string> words = is_unread ? std::vector<std::string>{} : quoted(said);
  for (const FileReport& file : report.files) {
    for (const Diagnostic& ours : file.messages.items()) {
      const bool is_severe = ours.level == Level::error || theirs["level"] == "warning";
      if (ours.level != Level::info && is_severe &&
          std::all_of(words.begin(), words.end(), [&](const std::string& word) {
            return ours.message.find(word) != ours.message.npos;
          }))
        return true;
    }
  }
  return false;
}

// Faults that FlashInfer-Bench refuses or warns of are found here, in words of our own.
TEST(ValidateCases, FindAllThatFlashInferBenchDoes) {
  KBENCH_NEEDS_OUTSIDE();
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(outside_folder() / "validate_cases")) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++cases;
    ValidationReport report;
    validate_trace_set(entry.path() / "dataset", {}, report);
    const Json expected = Json::parse(read_file(entry.path() / "expected_report.json"));
    for (const auto& definition : expected["definitions"]) {
      for (const auto& check : definition) {
        if (!check.is_object()) continue;
        for (const Json& message : check["messages"])
          EXPECT_TRUE(message["level"] == "info" || is_found(message, report)) << message;
      }
    }
  }
  EXPECT_GE(cases, 19);
}

// Its loader refuses what our loader has errors for.
TEST(ValidateCases, EveryLoadIsFlashInferBenchs) {
  KBENCH_NEEDS_OUTSIDE();
  for (const auto& entry : fs::directory_iterator(outside_folder() / "validate_cases")) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Json expected = Json::parse(read_file(entry.path() / "expected_load.json"));
    Diagnostics problems;
    const TraceSet set = load_trace_set(entry.path() / "dataset", LoadOptions{}, problems);
    EXPECT_EQ(problems.errors() == 0, expected["ok"].get<bool>());
    if (problems.errors() > 0) continue;
    EXPECT_EQ(set.definitions.size(), expected["definitions"].get<std::size_t>());
    EXPECT_EQ(set.solutions.size(), expected["solutions"].get<std::size_t>());
    EXPECT_EQ(set.workloads.size(), expected["workloads"].get<std::size_t>());
    EXPECT_EQ(set.traces.size(), expected["traces"].get<std::size_t>());
  }
}

// Tells whether FlashInfer-Bench would take it: a dtype that kbench alone has is a remark.
bool is_valid_definition(const fs::path& path) {
  Diagnostics problems;
  const auto definition = read_text<Definition>({path.string(), read_file(path)}, {}, problems);
  if (problems.errors() > 0) return false;
  const std::vector<Remark> remarks = remarks_on(*definition);
  return std::none_of(remarks.begin(), remarks.end(), [](const Remark& one) {
    return one.message.starts_with("FlashInfer-Bench has no dtype");
  });
}

// FlashInfer-Bench takes the definitions of the data set itself and those of its history, but for
// three of dtypes it does not have and one with a number in a shape, and one of another project.
TEST(Corpus, VerdictsOnMoreDefinitionsAreFlashInferBenchs) {
  KBENCH_NEEDS_OUTSIDE();
  const std::set<std::string> refused{
      "fib_history_prs/moe/moe_fp4_block_scale_ds_routing_topk8_ng8_kg4_e32_h7168_i2048.json",
      "fib_history_prs/moe/trtllm_fp4_block_scale_routed_moe_topk8_e128_h4096_i2048.json",
      "fib_history_prs/moe/trtllm_fp4_block_scale_routed_moe_topk8_e256_h7168_i2048.json",
      "fib_history_prs/nsa_paged/nsa_topk_indexer_h16_ckv512_kpe64_topk256.json"};
  const fs::path folder = outside_folder() / "more_definitions";
  int files = 0;
  for (const std::string& path : files_below(folder, ".json")) {
    const bool taken = (path.starts_with("fib_history_prs/") && !refused.contains(path)) ||
                       path == "sol_execbench/examples/cudnn/softmax/definition.json";
    EXPECT_EQ(is_valid_definition(folder / path), taken) << path;
    ++files;
  }
  EXPECT_EQ(files, 161);
}

TEST(Corpus, EveryFileOfTheTraceSetIsValid) {
  KBENCH_NEEDS_OUTSIDE();
  for (const ScannedFile& file : scan_trace_set(outside_folder() / "traceset", {})) {
    EXPECT_EQ(file.problems.errors(), 0U)
        << file.path << ": " << file.problems.items().front().message;
  }
}

constexpr const char* oracle = R"(
import json, pathlib, sys
sys.path.insert(0, sys.argv[1])
import fib_data
definition = fib_data.load().Definition
for line in sys.stdin:
    path = pathlib.Path(line.strip())
    try:
        definition.model_validate_json(path.read_text())
        print(1)
    except Exception:
        print(0)
)";

// The package itself says what is valid: on every file of the corpus.
TEST(Corpus, VerdictsAreThoseOfTheInstalledPackage) {
  KBENCH_NEEDS_OUTSIDE();
  const char* python = std::getenv("KBENCH_FIB_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "KBENCH_FIB_PYTHON names no Python with flashinfer-bench";
  std::vector<fs::path> files;
  for (const std::string_view part : {"more_definitions", "traceset/definitions"}) {
    for (const std::string& path : files_below(outside_folder() / part, ".json")) {
      files.push_back(outside_folder() / part / path);
    }
  }
  std::string list;
  for (const fs::path& file : files) list += file.string() + "\n";
  const TempFolder folder;
  folder.write("oracle.py", oracle);
  folder.write("list", list);
  const std::string command =
      fmt::format("'{0}' '{1}/oracle.py' '{2}/tests/support' < '{1}/list' > '{1}/said'", python,
                  folder.path().string(), KBENCH_SOURCE_DIR);
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string said = read_file(folder.path() / "said");
  ASSERT_EQ(std::count(said.begin(), said.end(), '\n'), static_cast<long>(files.size()));
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(is_valid_definition(files[i]), said[2 * i] == '1') << files[i];
  }
}

}  // namespace
}  // namespace kbench

// FlashInfer-Bench's own reports on small trace sets, and its verdicts on real files.
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

constexpr std::string_view parse_words = "parse error: ";

// Up to and with "parse error: ", and for lines the place: the rest is each program's own wording.
std::string comparable(const std::string& message) {
  const std::size_t at = message.find(parse_words);
  if (at == std::string::npos) return message;
  const std::size_t place = message.rfind("(line ");
  const bool by_line = message.find("Trace", at) != std::string::npos;  // pydantic names the record
  return message.substr(0, at + parse_words.size()) + (by_line ? message.substr(place) : "");
}

std::vector<std::pair<std::string, std::string>> messages_of(const Json& check) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Json& message : check["messages"])
    out.emplace_back(message["level"], message["message"]);
  return out;
}

void expect_same_messages(const Json& ours, const Json& theirs) {
  const auto mine = messages_of(ours);
  const auto wanted = messages_of(theirs);
  ASSERT_EQ(mine.size(), wanted.size()) << ours.dump(1);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    EXPECT_EQ(mine[i].first, wanted[i].first);
    const std::string pattern = comparable(wanted[i].second);
    if (pattern == wanted[i].second) {
      EXPECT_EQ(mine[i].second, pattern);
    } else {
      const std::size_t head = pattern.find(parse_words) + parse_words.size();
      EXPECT_TRUE(mine[i].second.starts_with(pattern.substr(0, head))) << mine[i].second;
      EXPECT_TRUE(mine[i].second.ends_with(pattern.substr(head)))
          << mine[i].second << " | " << pattern;
    }
  }
}

void check_case(const fs::path& folder) {
  SCOPED_TRACE(folder.filename().string());
  ValidationReport report;
  validate_trace_set(folder / "dataset", {}, report);
  const Json ours = Json::parse(report_json(report))["definitions"];
  const Json theirs = Json::parse(read_file(folder / "expected_report.json"))["definitions"];
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [name, expected] : theirs.items()) {
    ASSERT_TRUE(ours.contains(name));
    EXPECT_EQ(ours[name]["status"], expected["status"]);
    for (const std::string_view check : check_names) {
      SCOPED_TRACE(check);
      EXPECT_EQ(ours[name][std::string(check)]["status"], expected[std::string(check)]["status"]);
      expect_same_messages(ours[name][std::string(check)], expected[std::string(check)]);
    }
  }
}

TEST(ValidateCases, EveryReportIsFlashInferBenchs) {
  KBENCH_NEEDS_OUTSIDE();
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(outside_folder() / "validate_cases")) {
    if (!entry.is_directory()) continue;
    check_case(entry.path());
    ++cases;
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

// FlashInfer-Bench would take it: a dtype that kbench alone has is a remark.
bool is_valid_definition(const fs::path& path) {
  Diagnostics problems;
  const auto definition = read_text<Definition>({path.string(), read_file(path)}, {}, problems);
  if (problems.errors() > 0) return false;
  const std::vector<Remark> remarks = remarks_on(*definition);
  return std::none_of(remarks.begin(), remarks.end(), [](const Remark& one) {
    return one.message.starts_with("FlashInfer-Bench has no dtype");
  });
}

// Beside the definitions of the data set itself, FlashInfer-Bench takes those of its history, but
// for three of dtypes it does not have and one with a number in a shape, and one of another
// project.
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

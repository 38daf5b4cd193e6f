// Wrong, broken and hostile candidates (tests/hostile), each judged end to end by the real programs
// at the isolation levels A and B, in plain mode and in audit: its status, its cause, and that the
// right one among them still passes.
#include "judge/hostile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

namespace kbench {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

enum class Mode : std::uint8_t { plain, audit };

// Level and mode that a candidate is tried in.
struct Trying {
  Isolation level;
  Mode mode;
  friend auto operator<=>(const Trying&, const Trying&) = default;
};

// Judges all in one run, and returns the traces that the tests look at.
const std::map<std::string, Trace>& judged(const Trying& how) {
  static std::map<Trying, std::map<std::string, Trace>> all;
  const auto found = all.find(how);
  if (found != all.end()) return found->second;
  const TraceSet set = hostile_set();
  JudgeOptions options{default_config(), how.level};
  if (how.mode == Mode::audit) {
    options.audit.emplace().sets = 48;
    options.threads = 1;
  }
  return all[how] = judge(set, smallest_workloads(set), options);
}

// Tells whether `log` has one of the texts.
bool names_one(const std::string& log, const json& causes) {
  return std::any_of(causes.begin(), causes.end(), [&](const json& cause) {
    return log.find(cause.get<std::string>()) != std::string::npos;
  });
}

class Hostile : public testing::TestWithParam<std::tuple<Isolation, Mode, std::string>> {};

// Rows of expect.json: for each mode what it promises, null where it promises nothing; a "lacks" is
// what the candidate prints where it got what it wanted; "any" status: the judge goes on.
TEST_P(Hostile, HasItsStatusAndCause) {
  const auto& [level, mode, name] = GetParam();
  if (const std::string& why = missing_for(level); !why.empty()) GTEST_SKIP() << why;
  const json& row = hostile_expectations()[name];
  const json& expected = row[mode == Mode::plain ? "plain" : "audit"];
  const auto& traces = judged({level, mode});
  const auto found = traces.find(row["solution"].get<std::string>());
  ASSERT_NE(found, traces.end()) << "no trace was written";
  const Evaluation& evaluation = *found->second.evaluation;
  EXPECT_EQ(evaluation.kbench->isolation, letter(level));
  EXPECT_EQ(evaluation.kbench->trust, mode == Mode::plain ? "plain" : "audit");
  if (expected.is_null() || expected["status"] == "any") return;
  const std::string log = evaluation.log.substr(0, 2000);
  EXPECT_EQ(status_name(evaluation.status), expected["status"].get<std::string>()) << log;
  EXPECT_TRUE(names_one(log, expected["cause"]))
      << "none of " << expected["cause"] << " in: " << log;
  if (expected.contains("lacks")) {
    EXPECT_FALSE(names_one(log, json::array({expected["lacks"]}))) << log;
  }
}

std::vector<std::string> hostile_names() {
  std::vector<std::string> all;
  for (const auto& [name, expected] : hostile_expectations().items()) all.push_back(name);
  return all;
}

std::string title(const testing::TestParamInfo<Hostile::ParamType>& info) {
  const auto& [level, mode, name] = info.param;
  return std::string(letter(level)) + (mode == Mode::plain ? "_plain_" : "_audit_") + name;
}

INSTANTIATE_TEST_SUITE_P(
    All, Hostile,
    testing::Combine(testing::Values(Isolation::namespaces, Isolation::landlock),
                     testing::Values(Mode::plain, Mode::audit), testing::ValuesIn(hostile_names())),
    &title);

// Caches of builds and answers are closed at levels A and B: at C they can be opened.
TEST(HostileAt, TheCachesAreOutOfReachAtLevelsAAndB) {
  TraceSet set = hostile_set();
  const std::string cache =
      (fs::path(KBENCH_BIN_DIR).parent_path() / "test-cache" / "builds").string();
  Solution solution =
      read_file_record<Solution>(hostile_folder() / "reads_files" / "reads_files.json");
  solution.sources[0].content =
      "#include \"attack.h\"\n#include \"right.h\"\n"
      "void rmsnorm(kbench::Tensor x, kbench::Tensor weight, kbench::Tensor out) {\n"
      "  Attack attack;\n  attack.opens(\"" +
      cache +
      "\", O_RDONLY);\n  attack.end();\n"
      "  right(x, weight, out);\n}\nKBENCH_EXPORT(run, rmsnorm)\n";
  set.solutions = {{solution, "reads_cache", 1}};
  for (const auto level : {Isolation::namespaces, Isolation::landlock, Isolation::limits}) {
    if (!missing_for(level).empty()) continue;
    const auto traces = judge(set, smallest_workloads(set), {default_config(), level});
    EXPECT_EQ(traces.at(solution.name).evaluation->status,
              level == Isolation::limits ? Status::passed : Status::runtime_error)
        << letter(level);
  }
}

}  // namespace
}  // namespace kbench

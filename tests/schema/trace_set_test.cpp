#include "schema/trace_set.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.hpp"
#include "schema/place.hpp"
#include "schema/record_signature.hpp"
#include "schema/scan.hpp"
#include "support/outside.hpp"
#include "support/small_records.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

std::vector<std::string> names_of(const TraceSet& set) {
  std::vector<std::string> names;
  for (const auto& stored : set.definitions) names.push_back(stored.record.name);
  return names;
}

class TraceSetTest : public testing::Test {
 protected:
  TraceSet load(int threads = 1) {
    LoadOptions options;
    options.threads = threads;
    problems_ = Diagnostics();
    return load_trace_set(folder_.path(), options, problems_);
  }
  const Diagnostic& problem(std::size_t i) const { return problems_.items().at(i); }

  TempFolder folder_;
  Diagnostics problems_;
};

TEST_F(TraceSetTest, ReadsEveryFolderAtAnyDepth) {
  folder_.write("definitions/scale_a.json", definition_text("scale_a"));
  folder_.write("definitions/x/y/z/scale_b.json", definition_text("scale_b"));
  folder_.write("solutions/me/s.json", solution_text("s", "scale_a", "me"));
  folder_.write("workloads/w.jsonl", workload_line("scale_a", workload_text("u1", 1)) + "\n  \n" +
                                         workload_line("scale_b", workload_text("u2", 2)));
  folder_.write("traces/deep/down/t.jsonl", trace_line("scale_a", workload_text("u1", 1), "s"));
  folder_.write("definitions/notes.txt", "not JSON");
  const TraceSet set = load();
  EXPECT_TRUE(problems_.empty());
  EXPECT_EQ(names_of(set), (std::vector<std::string>{"scale_a", "scale_b"}));
  ASSERT_EQ(set.workloads.size(), 2U);
  EXPECT_EQ(set.workloads[1].path, (folder_.path() / "workloads/w.jsonl").string());
  EXPECT_EQ(set.workloads[1].line, 4);
  EXPECT_EQ(set.traces.size(), 1U);
  EXPECT_NE(set.definition("scale_b"), nullptr);
  EXPECT_EQ(set.definition("scale"), nullptr);
}

TEST_F(TraceSetTest, OrderIsThatOfThePathsParts) {
  folder_.write("definitions/a-b/scale_2.json", definition_text("scale_2"));
  folder_.write("definitions/a/scale_1.json", definition_text("scale_1"));
  EXPECT_EQ(names_of(load()), (std::vector<std::string>{"scale_1", "scale_2"}));
}

TEST_F(TraceSetTest, AFolderThatCannotBeListedIsAnErrorAtItsPlace) {
  namespace fs = std::filesystem;
  folder_.write("workloads/scale/w.jsonl", workload_line("scale_a", workload_text("u1", 1)));
  folder_.write("solutions/me/s.json", solution_text("s", "scale_a", "me"));
  fs::permissions(folder_.path(), fs::perms(0755));
  for (const char* closed : {"workloads/scale", "solutions"})
    fs::permissions(folder_.path() / closed, fs::perms::none);
  const bool is_root = ::geteuid() == 0;  // root may list all
  ASSERT_EQ(is_root ? ::seteuid(65534) : 0, 0);
  load();
  ASSERT_EQ(is_root ? ::seteuid(0) : 0, 0);
  ASSERT_EQ(problems_.errors(), 2U);
  EXPECT_EQ(problem(0).where.file, (folder_.path() / "solutions").string());
  EXPECT_EQ(problem(1).where.file, (folder_.path() / "workloads/scale").string());
  EXPECT_EQ(problem(1).message, "cannot be read: Permission denied");
  for (const char* closed : {"workloads/scale", "solutions"})
    fs::permissions(folder_.path() / closed, fs::perms::owner_all);
}

TEST_F(TraceSetTest, ABrokenFileHidesNoOther) {
  folder_.write("definitions/op/a.json", "{\"name\": \"a\",}");
  folder_.write("definitions/op/scale_b.json", definition_text("scale_b"));
  folder_.write("definitions/op/c.json", "[");
  EXPECT_EQ(names_of(load()), std::vector<std::string>{"scale_b"});
  EXPECT_GE(problems_.errors(), 3U);
  EXPECT_EQ(problem(0).where.file, (folder_.path() / "definitions/op/a.json").string());
  EXPECT_EQ(problems_.items().back().where.file,
            (folder_.path() / "definitions/op/c.json").string());
}

TEST_F(TraceSetTest, ABrokenFileIsKnownByItsNameOrElseItsPath) {
  folder_.write("definitions/op/a.json", R"({"name": "scale_a", "op_type": 1})");
  folder_.write("definitions/op/b.json", "[");
  folder_.write("solutions/me/s.json", R"({"name": "quick", "author": )");
  const TraceSet set = load();
  EXPECT_EQ(set.broken_definitions, (std::vector<std::string>{"scale_a", "b"}));
  EXPECT_EQ(set.broken_solutions, std::vector<std::string>{"quick"});
}

TEST_F(TraceSetTest, ABrokenLineHidesNoOther) {
  folder_.write("workloads/op/a.jsonl", workload_line("a", workload_text("u1", 1)) +
                                            "{\"definition\": 7}\n" +
                                            workload_line("a", workload_text("u3", 1)));
  const TraceSet set = load();
  ASSERT_EQ(set.workloads.size(), 2U);
  EXPECT_EQ(set.workloads[1].record.workload.uuid, "u3");
  EXPECT_EQ(problem(0).where.line, 2);
  EXPECT_GT(problem(0).where.column, 1);
}

TEST_F(TraceSetTest, ATornLastLineIsAWarning) {
  folder_.write("traces/me/op/a.jsonl",
                trace_line("a", workload_text("u1", 1), "s") + R"({"definition": "a", "wor)");
  const TraceSet set = load();
  EXPECT_EQ(set.traces.size(), 1U);
  EXPECT_EQ(problems_.errors(), 0U);
  EXPECT_EQ(problem(0).level, Level::warning);
  EXPECT_EQ(problem(0).message, "torn last line ignored");
  EXPECT_EQ(problem(0).where.line, 2);
}

TEST_F(TraceSetTest, Utf16IsSaidOnceAFile) {
  std::string text = "\xFF\xFE";
  for (const char c : workload_line("a", workload_text("u1", 1))) text += {c, '\0'};
  folder_.write("workloads/op/a.jsonl", text + text);
  EXPECT_TRUE(load().workloads.empty());
  ASSERT_EQ(problems_.errors(), 1U);
  EXPECT_EQ(problem(0).message, "this file is UTF-16, kbench reads UTF-8");
}

TEST_F(TraceSetTest, ARecordOverSeveralLinesIsSaidOnce) {
  for (const char* text : {"{\n\"definition\": \"a\"\n}\n", "[\n{},\n{}\n]"}) {
    folder_.write("workloads/op/a.jsonl", text);
    load();
    ASSERT_EQ(problems_.errors(), 1U);
    EXPECT_EQ(problem(0).message, "one JSON value over several lines");
  }
}

TEST_F(TraceSetTest, AWholeLastLineNeedsNoLineBreak) {
  std::string line = workload_line("a", workload_text("u1", 1));
  line.pop_back();
  folder_.write("workloads/op/a.jsonl", line);
  EXPECT_EQ(load().workloads.size(), 1U);
  EXPECT_TRUE(problems_.empty());
}

TEST_F(TraceSetTest, AnUnparsableLineWithALineBreakIsAnError) {
  folder_.write("traces/me/op/a.jsonl", R"({"definition": "a", "wor)"
                                        "\n");
  load();
  EXPECT_GT(problems_.errors(), 0U);
}

TEST_F(TraceSetTest, DuplicateNamesAreErrorsWithBothPlaces) {
  folder_.write("definitions/op/a.json", definition_text("scale_x"));
  folder_.write("definitions/op/b.json", definition_text("scale_x"));
  folder_.write("solutions/me/op/x/s.json", solution_text("s", "scale_x", "me"));
  folder_.write("solutions/you/op/x/s.json", solution_text("s", "scale_x", "you"));
  const TraceSet set = load();
  ASSERT_EQ(problems_.errors(), 2U);
  EXPECT_EQ(problem(0).message, "duplicate definition name \"scale_x\"");
  EXPECT_EQ(problem(0).where.file, (folder_.path() / "definitions/op/b.json").string());
  EXPECT_EQ(problem(0).where.line, 2);
  EXPECT_NE(problem(0).hint.find("definitions/op/a.json:2"), std::string::npos);
  EXPECT_EQ(problem(1).message, "duplicate solution name \"s\"");
  ASSERT_EQ(set.definitions.size(), 1U);
  EXPECT_EQ(set.definitions[0].path, (folder_.path() / "definitions/op/a.json").string());
  EXPECT_EQ(set.solution("s")->author, "me");
}

TEST_F(TraceSetTest, WorkloadsAndTracesInTheWrongFolderAreErrors) {
  folder_.write("workloads/op/a.jsonl", trace_line("a", workload_text("u1", 1), "s"));
  folder_.write("traces/me/op/a.jsonl", workload_line("a", workload_text("u1", 1)));
  const TraceSet set = load();
  EXPECT_EQ(problems_.errors(), 2U);
  EXPECT_TRUE(set.workloads.empty());
  EXPECT_TRUE(set.traces.empty());
}

TEST_F(TraceSetTest, ManyBadLinesAreCountedNotListed) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "{\n";
  folder_.write("traces/me/op/a.jsonl", text);
  load();
  EXPECT_LT(problems_.items().size(), 100U);
  EXPECT_EQ(problems_.items().back().message, "480 more lines have problems");
}

// Lines are so many that several threads read them.
TEST_F(TraceSetTest, ManyLinesAndTheirProblemsKeepTheirOrder) {
  std::string text;
  for (int i = 1; i <= 2000; ++i) {
    const bool is_bad = i == 700 || i == 1300;
    text += is_bad ? "{\n" : trace_line("a", workload_text("u" + std::to_string(i), i), "s");
  }
  folder_.write("traces/me/op/a.jsonl", text);
  const TraceSet set = load(0);
  ASSERT_EQ(set.traces.size(), 1998U);
  for (const auto& stored : set.traces)
    ASSERT_EQ(stored.record.workload.uuid, "u" + std::to_string(stored.line));
  ASSERT_EQ(problems_.items().size(), 2U);
  EXPECT_EQ(problem(0).where.line, 700);
  EXPECT_EQ(problem(1).where.line, 1300);
}

TEST_F(TraceSetTest, AFileThatCannotBeReadIsAProblem) {
  folder_.write("definitions/op/scale_a.json", definition_text("scale_a"));
  std::filesystem::create_symlink(folder_.path() / "definitions/op",
                                  folder_.path() / "definitions/link");
  std::filesystem::create_directory(folder_.path() / "definitions/op/folder.json");
  EXPECT_EQ(load().definitions.size(), 1U);  // linked folders are not entered, folders are no files
  EXPECT_TRUE(problems_.empty());
}

TEST_F(TraceSetTest, NoFolderIsAnError) {
  Diagnostics problems;
  const TraceSet set = load_trace_set(folder_.path() / "none", LoadOptions{}, problems);
  EXPECT_EQ(problems.errors(), 1U);
  EXPECT_TRUE(set.definitions.empty());
}

TEST_F(TraceSetTest, ThreadsChangeNothing) {
  for (int i = 0; i < 64; ++i) {
    const std::string name = fmt::format("scale_{}", i);
    folder_.write(fmt::format("definitions/op/{}.json", name),
                  i % 5 == 0 ? "{" : definition_text(name));
  }
  const std::vector<std::string> alone = names_of(load(1));
  const std::size_t said = problems_.items().size();
  const std::string last = problems_.items().back().where.file;
  EXPECT_EQ(names_of(load(4)), alone);
  EXPECT_EQ(problems_.items().size(), said);
  EXPECT_EQ(problems_.items().back().where.file, last);
}

TEST(TraceFile, SamplesAreLeftOutOfWhatIsAsItWasWritten) {
  TempFolder folder;
  Trace trace;
  trace.definition = "d";
  trace.workload.uuid = "u";
  trace.solution = "s";
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.environment.hardware = "a CPU";
  evaluation.timestamp = "2026-11-27T12:00:00";
  Details& details = evaluation.kbench.emplace();
  details.rule = "kbench";
  details.timing.emplace().samples_ns = {1, 2, 3};
  details.digest = record_digest(trace);
  const auto file = folder.path() / "traces" / "t.jsonl";
  append_trace(file, trace);
  details.rule = "edited";
  append_trace(file, trace);
  Diagnostics problems;
  const auto traces =
      load_trace_set(folder.path(), {false, true, 0, false, false}, problems).traces;
  ASSERT_EQ(traces.size(), 2u) << render(problems.items().at(0), false);
  EXPECT_TRUE(traces[0].record.evaluation->kbench->timing->samples_ns.empty());
  EXPECT_EQ(doubt_about(traces[0].record), Doubt::none);
  EXPECT_EQ(traces[1].record.evaluation->kbench->timing->samples_ns.size(), 3u);
  EXPECT_EQ(doubt_about(traces[1].record), Doubt::edited);
}

TEST(TraceFile, StaysBelowItsFolder) {
  Definition definition;
  definition.name = "gemm/x";
  definition.op_type = "..";
  Solution solution;
  solution.author = "../../root";
  EXPECT_EQ(trace_file("out", solution, definition, Evaluation()),
            "out/traces/.._.._root/_/gemm_x.jsonl");
}

TEST(TraceFile, HasANameThatTheFileSystemTakes) {
  Definition definition;
  definition.op_type = "op";
  const auto file_of = [&](const std::string& name) {
    definition.name = name;
    return trace_file("out", Solution(), definition, Evaluation()).filename().string();
  };
  EXPECT_EQ(file_of(std::string(249, 'x')), std::string(249, 'x') + ".jsonl");
  const std::string longer = file_of(std::string(250, 'x'));
  EXPECT_EQ(longer.size(), 255U);
  EXPECT_TRUE(longer.ends_with(".jsonl"));
  EXPECT_NE(longer, file_of(std::string(251, 'x')));
  std::string umlauts = "x";  // a cut in the middle of one would be no UTF-8
  for (int i = 0; i < 200; ++i) umlauts += "\u00e4";
  EXPECT_EQ(find_invalid_utf8(file_of(umlauts)), std::string::npos);
}

TEST(Place, FollowsAPointerIntoALineAndAString) {
  const Source source{"f", "{\"a\": 1}\n{\"b\": {\"c/d\": [1, \"x\\ny\"]}}\n"};
  const Place place(source, 2);
  const Where value = place.value("/b/c~1d/1");
  EXPECT_EQ(value.line, 2);
  EXPECT_EQ(value.column, 19);
  EXPECT_EQ(place.value("/b/c~1d/1", 2).column, 23);  // stands behind the quote, x and \n
  EXPECT_EQ(place.value("/b/none").column, 7);        // the nearest that is there
  EXPECT_EQ(place.key("/b/c~1d").column, 8);
  EXPECT_EQ(place.at_line(1).value("/a").column, 7);
  EXPECT_EQ(pointer_step("c/d~"), "c~1d~0");
}

TEST_F(TraceSetTest, ReadsAFileOfSeveralPartsWhole) {  // parts end within lines, it without one
  std::string text, initials;
  for (char c = 'a'; c <= 'z'; ++c)
    text +=
        std::string(2 << 20, ' ') + workload_line("scale_a", workload_text(std::string(1, c), 1));
  folder_.write("w.jsonl", text.substr(0, text.size() - 1));
  const auto take = [&](TraceLine&& line) {
    EXPECT_EQ(line.line, line.trace.workload.uuid.back() - 'a' + 1);
    initials += line.trace.workload.uuid.front();
  };
  EXPECT_EQ(read_trace_file(folder_.path() / "w.jsonl", problems_, take), 0);
  EXPECT_EQ(initials, "abcdefghijklmnopqrstuvwxyz");
}

TEST(Place, OfAFileThatCannotBeReadIsItsPathAndLine) {
  const Where where = Place("nowhere.jsonl", 3).key("/a");
  EXPECT_EQ(where.file, "nowhere.jsonl");
  EXPECT_EQ(where.line, 3);
  EXPECT_EQ(where.excerpt, "");
}

TEST(TraceSet, TheRealOneLoadsWithoutAProblem) {
  KBENCH_NEEDS_OUTSIDE();
  Diagnostics problems;
  const TraceSet set = load_trace_set(outside_folder() / "traceset", LoadOptions{}, problems);
  EXPECT_EQ(problems.errors(), 0U) << render(problems.items().front(), false);
  EXPECT_EQ(set.definitions.size(), 85U);
  EXPECT_GT(set.workloads.size(), 300U);
  EXPECT_GT(set.solutions.size(), 0U);
  EXPECT_GT(set.traces.size(), 0U);
}

}  // namespace
}  // namespace kbench

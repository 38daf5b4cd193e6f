#include "tune/kernel_tuner_cache.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace kbench {
namespace {

struct Read {
  std::optional<RecordedSearch> record;
  Diagnostics diagnostics;

  // "line:column: message" of each.
  std::vector<std::string> said() const {
    std::vector<std::string> all;
    for (const Diagnostic& one : diagnostics.items())
      all.push_back(std::to_string(one.where.line) + ":" + std::to_string(one.where.column) + ": " +
                    one.message);
    return all;
  }
};

Read read_cache(std::string text, const RecordedObjective& objective = {}) {
  Read result;
  result.record = read_kernel_tuner({"cache.json", std::move(text)}, objective, result.diagnostics);
  return result;
}

using SaidLines = std::vector<std::string>;

// As Kernel Tuner leaves it while a search runs: a comma behind the last entry, brackets open.
const char* const open_cache =
    R"({"device_name": "CPU", "kernel_name": "add", "problem_size": [100],
"tune_params_keys": ["block", "layout", "fast"],
"tune_params": {"block": [64, 32], "layout": ["row", "column"], "fast": [true, 0.5]},
"objective": "time", "cache": {
"64,row,True": {"block": 64, "layout": "row", "fast": true, "time": 0.25, "times": [0.5, 0.25]},
"32,row,True": {"block": 32, "layout": "row", "fast": true, "time": 1e-1},
"32,column,0.5": {"block": 32.0, "layout": "column", "fast": 0.5, "time": "CompilationFailedConfig"},
"64,column,0.5": {"block": 64, "layout": "column", "fast": 0.5, "__error__": "RuntimeFailedConfig"},)";

void expect_open_cache(const Read& given) {
  ASSERT_TRUE(given.record);
  const RecordedSearch& record = *given.record;
  EXPECT_EQ(record.kernel, "add");
  EXPECT_EQ(record.device, "CPU");
  EXPECT_EQ(record.unit, "ms");
  ASSERT_EQ(record.space.size(), 4U);
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < 4; ++i)
    texts.push_back(configuration_text(record.space.configuration(i)));
  EXPECT_EQ(texts, (SaidLines{"block=64,layout=row,fast=true", "block=64,layout=column,fast=0.5",
                              "block=32,layout=row,fast=true", "block=32,layout=column,fast=0.5"}));
  EXPECT_EQ(record.values,
            (std::vector<std::optional<double>>{0.25, std::nullopt, 0.1, std::nullopt}));
  EXPECT_EQ(record.failures, (SaidLines{"", "RuntimeFailedConfig", "", "CompilationFailedConfig"}));
}

TEST(KernelTunerCache, IsReadOpenAndClosed) {
  const std::string text = open_cache;
  for (const std::string& end : {std::string(), std::string("\n")}) {
    const Read open = read_cache(text + end);
    EXPECT_EQ(open.said(), SaidLines{});
    expect_open_cache(open);
  }
  const std::string without_comma = text.substr(0, text.size() - 1);
  for (const char* end : {"", "}", "}\n}", "}}\n"}) {
    const Read closed = read_cache(without_comma + end);
    EXPECT_EQ(closed.said(), SaidLines{}) << end;
    expect_open_cache(closed);
  }
}

// Killed while it wrote an entry: whatever byte it stopped at, the entries before stand.
TEST(KernelTunerCache, LeavesOutAnEntryThatBreaksOff) {
  const std::string entry =
      "\n\"64,row,0.5\": {\"block\": 64, \"layout\": \"r,{w\", \"time\": [1, 2";
  for (std::size_t length = 2; length <= entry.size(); ++length) {
    const Read torn = read_cache(open_cache + entry.substr(0, length));
    EXPECT_EQ(torn.said(), SaidLines{"9:1: the file breaks off in this entry, which is left out"})
        << entry.substr(0, length);
    expect_open_cache(torn);
  }
}

std::string with_entry(const std::string& entry) {
  return "{\"tune_params\": {\"block\": [32, 64]},\n\"cache\": {\n\"32\": {\"block\": 32, "
         "\"time\": 1},\n" +
         entry + "}}";
}

TEST(KernelTunerCache, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string text;
    std::string said;
  };
  for (const Case& c : {
           Case{with_entry("\"64\": {\"block\": 65, \"time\": 1}"),
                "4:17: this is none of the values of block"},
           {with_entry("\"64\": {\"time\": 1}"), "4:7: the entry \"64\" does not say its block"},
           {with_entry("\"64\": {\"block\": 64}"), "4:7: the entry \"64\" has no \"time\""},
           {with_entry("\"64\": {\"block\": 64, \"time\": \"soon\"}"),
            "4:29: \"time\" is neither a number nor an error that Kernel Tuner writes"},
           {with_entry("\"64\": 3"), "4:7: the entry \"64\" is no object"},
           {with_entry("\"64\": {\"block\": 64 \"time\": 1}"), "4:19: missing comma"},
           {"{\"cache\": {}}", "1:1: there is no \"tune_params\""},
           {"{\"tune_params\": {\"a\": 3}, \"cache\": {}}", "1:23: a has no list of values"},
           {"{\"tune_params\": {\"a\": [[3]]}, \"cache\": {}}",
            "1:24: a value of a is neither a number nor a word nor a truth"},
           {"{\"tune_params\": {\"a\": [3]}, \"cache\": []}", "1:38: \"cache\" is no object"},
           {"[]", "1:1: this is neither a cache file of Kernel Tuner nor T4 results"},
           {"\x1f\x8b\x08", "0:0: the file is compressed"},
       }) {
    const Read given = read_cache(c.text);
    EXPECT_FALSE(given.record) << c.text;
    ASSERT_FALSE(given.said().empty()) << c.text;
    EXPECT_EQ(given.said().front(), c.said) << c.text;
  }
}

TEST(KernelTunerCache, TakesAnotherObjective) {
  const std::string text =
      "{\"tune_params\": {\"n\": [1, 2]}, \"objective\": [\"GFLOP/s\", \"time\"], \"cache\": {"
      "\"1\": {\"n\": 1, \"time\": 4, \"GFLOP/s\": 9, \"score\": 2},"
      "\"2\": {\"n\": 2, \"time\": 3, \"GFLOP/s\": 12, \"score\": 1}}}";
  const Read rate = read_cache(text);
  ASSERT_TRUE(rate.record);
  EXPECT_EQ(rate.record->objective, "GFLOP/s");
  EXPECT_TRUE(rate.record->is_higher_better);
  EXPECT_EQ(rate.record->values, (std::vector<std::optional<double>>{9, 12}));
  const Read time = read_cache(text, {"time", {}});
  EXPECT_FALSE(time.record->is_higher_better);
  EXPECT_EQ(time.record->values, (std::vector<std::optional<double>>{4, 3}));
  const Read score = read_cache(text, {"score", {}});
  EXPECT_EQ(
      score.said(),
      SaidLines{"1:45: it is not known whether more \"score\" is better: less is taken to be"});
  EXPECT_EQ(read_cache(text, {"score", true}).said(), SaidLines{});
}

TEST(KernelTunerCache, TakesTheOldSignOfFailure) {
  const Read given = read_cache(with_entry("\"64\": {\"block\": 64, \"time\": 1e20}"));
  ASSERT_TRUE(given.record);
  EXPECT_EQ(given.record->failures[1], "ErrorConfig");
}

TEST(KernelTunerCache, TakesWhatIsNotFiniteAsFailed) {
  for (const char* time : {"NaN", "-Infinity", "-1e999"}) {
    const Read given =
        read_cache(with_entry(std::string("\"64\": {\"block\": 64, \"time\": ") + time + "}"));
    ASSERT_TRUE(given.record) << time;
    EXPECT_EQ(given.record->values[1], std::nullopt) << time;
    EXPECT_EQ(given.record->failures[1], "no finite value") << time;
  }
}

TEST(T4, IsRead) {
  const Read given =
      read_cache(R"({"metadata": {"timeunit": "seconds"}, "schema_version": "1.0.0", "results": [
{"configuration": {"block": 64, "layout": "row"}, "times": {"compilation": 1, "runtimes": [1, 2]},
 "invalidity": "correct", "correctness": 1, "objectives": ["time"],
 "measurements": [{"name": "GFLOP/s", "value": 3}, {"name": "time", "value": 0.25, "unit": ""}]},
{"configuration": {"block": 32, "layout": "row"}, "times": {}, "invalidity": "runtime", "correctness": 0,
 "measurements": [{"name": "time", "value": "RuntimeFailedConfig"}]},
{"configuration": {"block": 128, "layout": "column"}, "times": {}, "invalidity": "correct", "correctness": 1,
 "measurements": [{"name": "time", "value": 1}]}]})");
  EXPECT_EQ(given.said(), SaidLines{});
  ASSERT_TRUE(given.record);
  const Space& space = given.record->space;
  ASSERT_EQ(space.size(), 3U);
  EXPECT_EQ(configuration_text(space.configuration(0)), "block=32,layout=row");
  EXPECT_EQ(configuration_text(space.configuration(2)), "block=128,layout=column");
  EXPECT_EQ(given.record->values, (std::vector<std::optional<double>>{std::nullopt, 250, 1000}));
  EXPECT_EQ(given.record->failures, (SaidLines{"runtime", "", ""}));
}

TEST(T4, SaysWhatIsWrongAndWhere) {
  const auto result = [](const std::string& keys) {
    return "{\"results\": [{\"configuration\": {\"n\": 1}, \"invalidity\": \"correct\",\n"
           "\"measurements\": [{\"name\": \"time\", \"value\": 1}]},\n{" +
           keys + "}]}";
  };
  struct Case {
    std::string text;
    std::string said;
  };
  for (const Case& c : {
           Case{"{\"results\": []}", "1:13: there are no results"},
           {"{\"results\": 3}", "1:13: \"results\" is no array"},
           {result("\"configuration\": {}"), "3:19: the configuration has no value of n"},
           {result("\"configuration\": {\"n\": 2, \"m\": 2}"),
            "3:19: the configuration has other parameters than the first one"},
           {result("\"configuration\": {\"n\": 2}"), "3:1: there is no \"invalidity\""},
           {result("\"configuration\": {\"n\": 2}, \"invalidity\": \"correct\""),
            "3:1: there is no \"measurements\""},
           {result("\"configuration\": {\"n\": 2}, \"invalidity\": \"correct\", "
                   "\"measurements\": []"),
            "3:70: \"time\" is not among the measurements"},
           {result("\"configuration\": {\"n\": 2}, \"invalidity\": \"correct\", "
                   "\"measurements\": [{\"name\": \"time\", \"value\": \"x\"}]"),
            "3:71: the measurement \"time\" has no number"},
       }) {
    const Read given = read_cache(c.text);
    EXPECT_FALSE(given.record) << c.text;
    EXPECT_EQ(given.said(), SaidLines{c.said}) << c.text;
  }
}

}  // namespace
}  // namespace kbench

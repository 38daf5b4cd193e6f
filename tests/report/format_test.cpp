// One set of traces through every format, compared with tests/golden/report.<format>.
// KBENCH_BLESS=1 writes them anew after a change that is meant; look at the difference before you
// commit it.
#include "report/format.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "report/html_assets.hpp"
#include "report/tables.hpp"

namespace kbench {
namespace {

using nlohmann::json;

Trace trace(const std::string& definition, std::int64_t m, const std::string& solution,
            Evaluation evaluation) {
  Trace out;
  out.definition = definition;
  out.workload.axes["M"] = m;
  out.workload.inputs["A"] = RandomInput{};
  out.workload.uuid = definition + "-" + std::to_string(m);
  out.solution = solution;
  evaluation.environment.hardware = "a CPU";
  evaluation.environment.libs["kbench"] = "0.1.0";
  evaluation.timestamp = "2026-11-21T12:00:00.000000";
  out.evaluation = std::move(evaluation);
  return out;
}

Details details(std::optional<std::string> cause) {
  Details out;
  out.rule = "flashinfer-bench";
  out.trust = "plain";
  out.isolation = "C";
  out.seed = "0";
  out.trials = 3;
  out.cause = std::move(cause);
  return out;
}

Evaluation passed(double median_ns, double reference_ns) {
  Evaluation out;
  out.status = Status::passed;
  out.correctness = Correctness{0.001, 0.0005, std::nullopt};
  out.performance = Performance{median_ns * 1e-6, reference_ns * 1e-6, reference_ns / median_ns};
  out.kbench = details(std::nullopt);
  Timing timing;
  timing.clock = "worker";
  timing.cache = "warm";
  timing.median_ns = median_ns;
  timing.latency_ns = median_ns;
  timing.latency_interval_ns = {median_ns * 0.99, median_ns * 1.01};
  timing.p10_ns = median_ns * 0.98;
  timing.samples_ns = {median_ns * 0.98, median_ns, median_ns * 1.02};
  const double ratio = reference_ns / median_ns;
  SpeedupRecord& speedup = timing.speedup.emplace();
  speedup.ratio = ratio;
  speedup.interval = {ratio * 0.97, ratio * 1.03};
  speedup.how = "in turn";
  speedup.pairs = 40;
  speedup.starts = {ratio * 0.99, ratio, ratio * 1.01};
  speedup.evaluator = "libtorch";
  speedup.threads = 1;
  out.kbench->timing = timing;
  return out;
}

Evaluation failed(Status status, const std::string& cause) {
  Evaluation out;
  out.status = status;
  if (status == Status::incorrect_numerical) {
    out.correctness = Correctness{std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity(), std::nullopt};
  }
  out.log = cause + "\nmore";
  out.kbench = details(cause);
  return out;
}

// Adds what a rule says that tells how much of a limit was used, on a workload that tells nothing.
Evaluation vacuous(Evaluation out) {
  out.correctness->extra = RawJson{"{\"margin\":0.312}"};
  out.kbench->non_discriminating = {"zeros", "mean"};
  return out;
}

std::vector<Trace> traces() {
  return {trace("gemm", 1, "fast_gemm", passed(812.5, 20700)),
          trace("gemm", 4096, "fast_gemm", vacuous(passed(3.4e6, 2.9e6))),
          trace("gemm", 1, "wrong_gemm",
                failed(Status::incorrect_numerical,
                       "UNWRITTEN: 4 of 8 elements of output 0 were not written")),
          trace("norm", 16, "crash", failed(Status::runtime_error, "CRASHED SIGSEGV in call 1")),
          trace("norm", 16, "slow", failed(Status::timeout, "time limit of 1.00 s in call 1"))};
}

// Drops the page's style and program, which are files already.
std::string without_assets(std::string text) {
  for (const std::string_view asset : {html_style(), html_script()}) {
    const auto at = text.find(asset);
    if (at != text.npos) text.erase(at, asset.size());
  }
  return text;
}

class Formats : public testing::TestWithParam<std::string> {};

TEST_P(Formats, WriteWhatTheyWrote) {
  const auto golden =
      std::filesystem::path(KBENCH_SOURCE_DIR) / "tests" / "golden" / ("report." + GetParam());
  const std::vector<Trace> all = traces();
  const std::string written = without_assets(find_format(GetParam())->write({.traces = all}, {}));
  if (std::getenv("KBENCH_BLESS") != nullptr) write_file(golden, written);
  EXPECT_EQ(written, read_file_if_there(golden).value_or("no golden file"));
}

INSTANTIATE_TEST_SUITE_P(All, Formats, testing::ValuesIn(format_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Formats, WhatGoogleBenchmarkWroteStandsUnderKbenchsNames) {
  std::vector<Trace> all = traces();
  all[1].evaluation->kbench->timing->google_benchmark = RawJson{
      R"({"context":{"num_cpus":2},"benchmarks":[)"
      R"({"name":"c/real_time","run_name":"c/real_time","run_type":"iteration","cpu_time":7},)"
      R"({"name":"c/real_time_cv","run_name":"c/real_time","aggregate_name":"cv"}]})"};
  const json out = json::parse(find_format("google-benchmark")->write({.traces = all}, {}));
  EXPECT_EQ(out.at("context"), json({{"num_cpus", 2}}));
  const std::string name = "fast_gemm/gemm/M=4096";
  const json first = {
      {"name", name}, {"run_name", name}, {"run_type", "iteration"}, {"cpu_time", 7}};
  const json second = {{"name", name + "_cv"}, {"run_name", name}, {"aggregate_name", "cv"}};
  EXPECT_EQ(out.at("benchmarks")[4], first);  // follows another's three samples and their median
  EXPECT_EQ(out.at("benchmarks")[5], second);
  EXPECT_EQ(out.at("benchmarks")[6].at("error_message"), "INCORRECT_NUMERICAL");
}

TEST(Formats, RatesAreByWhatTheReferenceComputesAndWhatACallMustMove) {
  std::vector<Trace> all = {trace("gemm", 1, "fast_gemm", passed(1000, 2000))};
  Work& work = all[0].evaluation->kbench->work.emplace();
  work.flops = 8e6;
  work.bytes = 4'000'000;
  work.bytes_touched = 3'000'000;
  const std::string with = find_format("table")->write({.traces = all}, {.rates = true});
  EXPECT_NE(with.find("GFLOP/s"), with.npos);
  EXPECT_NE(with.find(" 8000 "), with.npos);  // 8e6 in a microsecond
  EXPECT_NE(with.find(" 3000"), with.npos);
  EXPECT_EQ(find_format("table")->write({.traces = all}, {}).find("GFLOP/s"), with.npos);
  EXPECT_NE(find_format("csv")->write({.traces = all}, {}).find(",8000,3000,"), with.npos);
}

TEST(Formats, AFileHasThatOfItsName) {
  EXPECT_EQ(format_of_file("a/report.html").name, "html");
  EXPECT_EQ(format_of_file("r.json").name, "json");
  EXPECT_EQ(format_of_file("r.jsonl").name, "jsonl");
  EXPECT_EQ(format_of_file("html").name, "table");
  EXPECT_EQ(format_of_file("").name, "table");
}

TEST(Formats, NoTracesAreNoError) {
  const std::vector<Trace> none;
  EXPECT_EQ(find_format("json")->write({.traces = none}, {}), "[]\n");
  EXPECT_EQ(find_format("jsonl")->write({.traces = none}, {}), "");
  EXPECT_EQ(find_format("table")->write({.traces = none}, {}), "");
}

TEST(Columns, AreAlignedByCharactersNotBytes) {
  EXPECT_EQ(align({{"name"}, {"time", true}}, {{{"a"}, {"1 µs"}}, {{"bb"}, {"10 ns"}}}),
            "name   time\na      1 µs\nbb    10 ns\n");
}

// A table of two names, a figure and a cause, in so many characters.
std::string narrowed(std::size_t width) {
  const std::vector<Column> columns = {{"workload", false, GivesWay::in_the_middle},
                                       {"solution", false, GivesWay::in_the_middle},
                                       {"time", true},
                                       {"95 %", true, GivesWay::wholly},
                                       {"cause", false, GivesWay::at_the_end}};
  return align_within(
      width, 2, columns,
      {{{"n=4"}, {"a_solution_with_a_long_name_v2"}, {"1.20 µs"}, {"±1.0%"}, {}},
       {{"n=8"}, {"short"}, {}, {}, {"a cause that goes on and on, for ever and ever"}}});
}

TEST(Columns, GiveWayWhereTheTerminalIsNarrow) {
  EXPECT_EQ(narrowed(0), narrowed(120));
  EXPECT_EQ(narrowed(90),
            "workload  solution                           time   95 %  cause\n"
            "n=4       a_solution_with_a_long_name_v2  1.20 µs  ±1.0%\n"
            "n=8       short                                           a cause that goes on and "
            "on, fo…\n");
  EXPECT_EQ(narrowed(64),
            "workload  solution                time  cause\n"
            "n=4       a_solutio…g_name_v2  1.20 µs\n"
            "n=8       short                         a cause that goes on an…\n");
}

TEST(Columns, AreBlocksWhereNoTableFits) {
  EXPECT_EQ(narrowed(30),
            "n=4  a_solution_with_a_long_name_v2\n"
            "  time   1.20 µs\n"
            "  95 %   ±1.0%\n"
            "n=8  short\n"
            "  cause  a cause that goes on and on, for ever and ever\n");
}

TEST(Columns, EndWithoutSpaces) {
  EXPECT_EQ(align({{"a"}, {"b"}}, {{{"x"}, {""}}, {{"y"}, {"long"}}}), "a  b\nx\ny  long\n");
}

}  // namespace
}  // namespace kbench

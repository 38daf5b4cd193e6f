// The report that the judge takes for Google Benchmark's may be the work of a candidate beside it.
#include "judge/google_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace kbench {
namespace {

using nlohmann::json;

json run(int index, double ns) {
  return {{"name", "candidate/min_time:0.002/repeats:2/real_time"},
          {"family_index", 0},
          {"per_family_instance_index", 0},
          {"run_name", "candidate/min_time:0.002/repeats:2/real_time"},
          {"run_type", "iteration"},
          {"repetitions", 2},
          {"repetition_index", index},
          {"threads", 1},
          {"iterations", 1000},
          {"real_time", ns},
          {"cpu_time", ns},
          {"time_unit", "ns"}};
}

json report() {
  json mean = run(0, 15);
  mean.erase("repetition_index");
  mean["run_type"] = "aggregate";
  mean["aggregate_name"] = "mean";
  mean["aggregate_unit"] = "time";
  return {{"context",
           {{"date", "2026-11-22T16:00:00+00:00"},
            {"host_name", "a host"},
            {"executable", "kbench"},
            {"num_cpus", 2},
            {"mhz_per_cpu", 2500},
            {"cpu_scaling_enabled", false},
            {"caches", {{{"type", "Data"}, {"level", 1}, {"size", 32768}, {"num_sharing", 1}}}},
            {"load_avg", {0.5, 0.25, 0.125}},
            {"library_build_type", "release"}}},
          {"benchmarks", {run(0, 10), run(1, 20), mean}}};
}

TEST(GoogleReport, GivesTheRealTimeOfEachRepetitionAndKeepsAll) {
  const auto read = read_google_report(report().dump(1), 2);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->samples_ns, (std::vector<double>{10, 20}));
  EXPECT_EQ(read->calls, 1000);
  EXPECT_EQ(json::parse(read->json.text), report());
}

TEST(GoogleReport, IsNothingWhereTheTextIsNoJson) {
  const std::string whole = report().dump();
  EXPECT_FALSE(read_google_report("", 2));
  EXPECT_FALSE(read_google_report("garbage", 2));
  EXPECT_FALSE(read_google_report(whole.substr(0, whole.size() - 1), 2));
  EXPECT_FALSE(read_google_report(whole + "{}", 2));
  EXPECT_FALSE(read_google_report(std::string(1 << 18, '['), 2));
  EXPECT_FALSE(read_google_report("[]", 2));
  EXPECT_FALSE(read_google_report("{}", 2));
}

TEST(GoogleReport, IsNothingWithAnotherNumberOfRepetitions) {
  EXPECT_FALSE(read_google_report(report().dump(), 1));
  EXPECT_FALSE(read_google_report(report().dump(), 3));
  json many = report();
  for (int i = 0; i < 9; ++i) many["benchmarks"].push_back(many["benchmarks"][2]);
  EXPECT_FALSE(read_google_report(many.dump(), 2));
}

TEST(GoogleReport, IsNothingWhereATimeIsNone) {
  for (const json& time : {json(0), json(-1), json(1e300), json("10"), json(nullptr), json(true)}) {
    json wrong = report();
    wrong["benchmarks"][1]["real_time"] = time;
    EXPECT_FALSE(read_google_report(wrong.dump(), 2)) << time;
  }
  json no_time = report();
  no_time["benchmarks"][0].erase("real_time");
  EXPECT_FALSE(read_google_report(no_time.dump(), 2));
  json seconds = report();
  seconds["benchmarks"][0]["time_unit"] = "s";
  EXPECT_FALSE(read_google_report(seconds.dump(), 2));
  json no_calls = report();
  no_calls["benchmarks"][0]["iterations"] = 0;
  EXPECT_FALSE(read_google_report(no_calls.dump(), 2));
}

TEST(GoogleReport, HasNoPlaceForWhatACandidateWouldSay) {
  const auto is_taken = [](const char* pointer, const json& value) {
    json said = report();
    said[json::json_pointer(pointer)] = value;
    return read_google_report(said.dump(), 2).has_value();
  };
  EXPECT_FALSE(is_taken("/verdict", "PASSED"));
  EXPECT_FALSE(is_taken("/context/note", "fast"));
  EXPECT_FALSE(is_taken("/context/host_name", std::string(1000, 'x')));
  EXPECT_FALSE(is_taken("/context/caches/0/note", 1));
  EXPECT_FALSE(is_taken("/context/load_avg", std::vector<int>(1000, 1)));
  EXPECT_FALSE(is_taken("/benchmarks/0/error_message", "none"));
  EXPECT_FALSE(is_taken("/benchmarks/2/aggregate_name", "two words"));
  EXPECT_FALSE(is_taken("/benchmarks/2/cpu_time", json::object()));
  EXPECT_FALSE(is_taken("/benchmarks/0", "run"));
  EXPECT_FALSE(is_taken("/benchmarks", "none"));
  EXPECT_TRUE(is_taken("/context/num_cpus", 64));
}

}  // namespace
}  // namespace kbench

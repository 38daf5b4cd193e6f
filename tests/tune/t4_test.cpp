#include "tune/t4.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tune/kernel_tuner_cache.hpp"
#include "tune/t4_report.hpp"

namespace kbench {
namespace {

std::vector<T4Result> results() {
  const auto configuration = [](const char* text) {
    return std::get<Configuration>(parse_configuration(text));
  };
  std::vector<T4Result> all(4);
  all[0].timestamp = "2026-11-24 10:15:00+00:00";
  all[0].configuration = configuration("BLOCK=128,LAYOUT=row,FAST=true,SCALE=0.5");
  all[0].time = 0.25;
  all[0].runtimes = {0.5, 0.25, 0.125};
  all[0].compilation = 120.5;
  all[0].benchmark = 3;
  all[0].framework = 0.5;
  all[0].search = 0.01;
  all[0].validation = 2;
  all[1].configuration = configuration("BLOCK=256,LAYOUT=row,FAST=true,SCALE=0.5");
  all[1].invalidity = T4Invalidity::compile;
  all[2].configuration = configuration("BLOCK=128,LAYOUT=\"column\\,FAST=false,SCALE=2.0");
  all[2].invalidity = T4Invalidity::correctness;
  all[3].configuration = configuration("BLOCK=64,LAYOUT=row,FAST=true,SCALE=0.5");
  all[3].time = 1.0 / 3;
  return all;
}

// KBENCH_BLESS=1 writes it anew.
void expect_golden(const std::string& text, const std::string& name) {
  const std::string path = KBENCH_SOURCE_DIR "/tests/golden/" + name;
  if (std::getenv("KBENCH_BLESS") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << name;
}

TEST(T4, IsWrittenAsTheGoldenFile) {
  expect_golden(t4_results(results()), "tune.t4.json");
  expect_golden(t4_metadata({"Linux", {"x86_64, 2 cores"}, {"kbench==1.0"}}),
                "tune.t4-metadata.json");
}

TEST(T4, ComesBackAsItWasWritten) {
  Diagnostics diagnostics;
  const auto record = read_kernel_tuner({"t4.json", t4_results(results())}, {}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_TRUE(record);
  ASSERT_EQ(record->space.size(), 4U);
  for (const T4Result& result : results()) {
    const auto number = record->space.number(result.configuration);
    ASSERT_TRUE(number) << configuration_text(result.configuration);
    EXPECT_EQ(record->values[*number], result.time);
    EXPECT_EQ(record->failures[*number],
              result.time ? "" : std::string(t4_name(result.invalidity)));
  }
}

TuneRow row(const char* configuration, Status status, std::vector<double> samples_ns) {
  TuneRow made;
  made.configuration = std::get<Configuration>(parse_configuration(configuration));
  made.status = status;
  made.samples_ns = std::move(samples_ns);
  return made;
}

TEST(T4, IsMadeOfATuning) {
  TuneReport report;
  report.rows = {row("A=1", Status::passed, {4e6, 1e6, 2e6}),
                 row("A=2", Status::compile_error, {}),
                 row("A=3", Status::incorrect_numerical, {}),
                 row("A=4", Status::passed, {}),
                 row("A=5", Status::timeout, {}),
                 row("A=6", Status::runtime_error, {}),
                 row("A=7", Status::passed, {3e6})};
  report.rows[6].median_ns = 2.5e6;
  const std::vector<T4Result> results = t4_results_of(report);
  std::vector<std::string> said;
  for (const T4Result& one : results)
    said.push_back(configuration_text(one.configuration) + " " +
                   std::string(t4_name(one.invalidity)));
  EXPECT_EQ(said, (std::vector<std::string>{"A=1 correct", "A=2 compile", "A=3 correctness",
                                            "A=5 timeout", "A=6 runtime", "A=7 correct"}));
  EXPECT_EQ(results[0].time, 2);
  EXPECT_EQ(results[0].runtimes, (std::vector<double>{4, 1, 2}));
  EXPECT_EQ(results[1].time, std::nullopt);
  EXPECT_EQ(results[5].time, 2.5);
}

}  // namespace
}  // namespace kbench

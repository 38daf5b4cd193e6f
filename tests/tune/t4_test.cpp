#include "tune/t4.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tune/kernel_tuner_cache.hpp"

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

}  // namespace
}  // namespace kbench
